"""Whole programs on an emulated cluster, native and under a table that is tuned first.

16 hosts on switched Fast Ethernet with real MPI over real TCP: the Jacobi iteration and the
parallel Adams method PABM at two sizes. Runs alternate; the median of each kind and their ratio.
Needs root."""

import json
import statistics
import tempfile

from driver.options import HOSTS, MPI, ONLY, budget, is_named, repetitions
from driver.tables import Column, Table, by_fields
from shared.emulation import Emulated
from shared.tutti import BUILD

# Programs, and the operations and sizes in bytes that they will want on 16 ranks.
PROGRAMS = [["jacobi", "--variant", variant, "--size", size, "--iterations", 100]
            for variant in ("rows", "columns-allreduce", "columns-reduce") for size in (2048, 8192)]
PROGRAMS += [["parallel_adams", "--method", "pabm", "--stages", 4, "--variant", "data-parallel", "--size",
              size, "--steps", 30, "--end", 0.001] for size in (32, 64)]
TUNED = ["--ops", "allgather,allreduce,reduce,bcast", "--sizes", "1K,4K,16K,64K"]
OPTIONS = [HOSTS, MPI, ONLY, budget("150s"), repetitions(3)]


def points(options):
    named = [(" ".join(map(str, program)), program) for program in PROGRAMS]
    return [{"name": name, "program": program} for name, program in named if is_named(name, options.only)]


def measure(options, points):
    cluster = Emulated(options.mpi, options.hosts)
    with tempfile.NamedTemporaryFile(suffix=".json") as table:
        cluster.tune(table.name, *TUNED, "--budget", options.budget)
        for point in points:
            name, (program, *words) = point.values()
            for repetition in range(options.repetitions):
                tuned = {"TUTTI_FLOAT_SUMS": "any", "TUTTI_TABLE": table.name}
                for run, variables in (("native", None), ("tuned", tuned)):
                    report = json.loads(cluster.launch([BUILD / f"bin/{program}-{options.mpi}", *words,
                                                        "--check", "--json"],
                                                       variables))
                    if report["verdict"] != "all right":
                        raise RuntimeError(f"{name}: {report}")
                    yield {"program": name, "repetition": repetition + 1, "run": run, "s": report["seconds"]}


def medians(records):
    for (program,), runs in by_fields(records, ["program"]).items():
        native, tuned = ([r["s"] for r in runs if r["run"] == kind] for kind in ("native", "tuned"))
        if ratios := [before / after for before, after in zip(native, tuned)]:
            yield {"program": program, "native": statistics.median(native), "tuned": statistics.median(tuned),
                   "ratios": f"{min(ratios):.2f} .. {max(ratios):.2f}"}


TABLES = [Table("{hosts} emulated hosts, {mpi}", [
    Column("program", "program"), Column("native s", "native", ".3f"), Column("tuned s", "tuned", ".3f"),
    Column("speed-up", lambda r: r["native"] / r["tuned"], ".2f"), Column("ratios", "ratios")],
    rows=lambda records: list(medians(records)))]
