"""Ranks of one host: what a freshly tuned table brings at sizes that were not tuned.

Drawn at random from 8 bytes to 4 MB, beside the native operation in the same run, with an exchange
of one cache line between two processors of this machine before and after. Needs as many idle
processors as there are ranks, or few; where ranks outnumber processors, all of them wait by
yielding."""

import json
import subprocess
import tempfile
from pathlib import Path
from random import Random

from driver.options import MPI, SEED, budget, drawn_sizes, ops, option, repetitions
from driver.tables import Column, Table
from shared.figures import geometric_mean
from shared.here import tutti_here
from shared.tutti import BUILD, plan_at

SHORT, LONG = 8192, 1 << 20  # bytes
OPTIONS = [MPI, option("--ranks", type=int, default=2, help="number of ranks on this machine"),
           ops(["barrier", "bcast", "allreduce", "reduce", "allgather", "alltoall"]),
           drawn_sizes(8, "sizes drawn for each operation, besides 8 bytes and 1 MB"), budget("180s"),
           repetitions(300, "calls of each kind"), SEED]


def points(options):
    random, found = Random(options.seed), []
    for operation in options.ops:
        drawn = [round(2 ** random.uniform(3, 22) / 8) * 8
                 for _ in range(options.sizes)] if operation != "barrier" else []
        sizes = sorted([8, LONG, *drawn]) if operation != "barrier" else [0]
        found += [{"operation": operation, "bytes": size} for size in sizes]
    return found


def cache_line():
    run = subprocess.run([BUILD / "bin/bench-cache-line"], check=True, capture_output=True, text=True)
    return {"kind": "cache line", "said": run.stdout.strip()}


def measure(options, points):
    yield cache_line()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        tutti_here(options.mpi, options.ranks, "tune", *options.ops, "--budget", options.budget, "-o",
                   file.name)
        table = json.loads(Path(file.name).read_text())
    for point in points:
        operation, size = point.values()
        plan = plan_at(table, operation, size)
        # Both are the same where the table leaves the operation to the library.
        native, *_, tuned = 2 * json.loads(tutti_here(
            options.mpi, options.ranks, "bench", operation, "--plan", plan, "--sizes", size, "--repetitions",
            options.repetitions, "--json"))
        yield {**point, "plan": plan, "native_s": native["median_s"], "tuned_s": tuned["median_s"],
               "ratio": tuned["ratio_to_native"], "low": tuned["ratio_low"], "high": tuned["ratio_high"]}
    yield cache_line()


def summary(records):
    chosen = {f"up to {SHORT // 1024} KB": [r["ratio"] for r in records if r["bytes"] <= SHORT],
              "1 MB": [r["ratio"] for r in records if r["bytes"] == LONG],
              "all": [r["ratio"] for r in records]}
    return [*(f"Geometric mean of the ratios, {name}: {geometric_mean(ratios):.2f}."
              for name, ratios in chosen.items() if ratios),
            f"Surely slower than native: {sum(r['low'] > 1.02 for r in records)} of {len(records)}."]


TABLES = [
    Table("{mpi}, {ranks} ranks", [
        Column("operation", "operation"), Column("bytes", "bytes"),
        Column("native us", lambda r: r["native_s"] * 1e6, ".2f"),
        Column("tuned us", lambda r: r["tuned_s"] * 1e6, ".2f"),
        Column("ratio", "ratio", ".2f"),
        Column("95 % interval", lambda r: f"{r['low']:.2f} .. {r['high']:.2f}"),
        Column("plan", "plan")], notes=summary),
    Table("An exchange of a cache line, ns, before and after", [Column("ns", "said")], kind="cache line")]
