"""Learning in programs of others, as Debian has them, in pairs of whole runs.

LAMMPS (melt; a peptide, with Fourier transforms) and HPCC on two and four ranks of this machine,
and on emulated hosts on Fast Ethernet, which needs root, Quantum ESPRESSO (silicon, two pools; 8
and 16 hosts), CP2K (two water molecules; 16 hosts) and ABINIT (silicon; 16 hosts). Lengths and
sizes are drawn at random. With MPICH, for which Debian has none of them, the solvers of apps/.

Debian's packages are lammps, hpcc, quantum-espresso, quantum-espresso-data, cp2k, abinit and
abinit-data.

Each program runs in pairs, natively and learning, one or the other first; what was learned stays
for the next pair. Whole runs, from launch to end: the median of the pairs' ratios, between the
second smallest and the second largest (of ten pairs 98 % confidence), and the ratio of the first
pair, which began with no knowledge. With --table FILE under that table, and its guard."""

import contextlib
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from random import Random

from driver.options import MPI, ONLY, SEED, is_named, option
from driver.tables import Column, Table, by_fields
from shared.emulation import Emulated
from shared.here import launch
from shared.programs import WRITERS
from shared.tutti import BUILD

OPTIONS = [MPI, ONLY, option("--pairs", type=int, default=10,
                             help="number of pairs of runs, native and learning"),
           option("--table", type=Path, help="table to run under, in place of learning"),
           SEED]


def points(options):
    """Programs, where they run, and what their command line is made of."""
    random, found = Random(options.seed), []

    def add(name, where, program, *words):
        found.append({"name": f"{name}, {where}", "program": program, "words": words})

    for ranks in (2, 4):
        where = f"{ranks} ranks"
        if options.mpi == "openmpi":
            melt, peptide, size = random.randrange(1000, 2000), random.randrange(300,
                                                                                 600), random.randrange(600,
                                                                                                        1200)
            add(f"LAMMPS melt, {melt} steps", where, "lammps", "melt", melt)
            add(f"LAMMPS peptide, {peptide} steps", where, "lammps", "peptide", peptide)
            add(f"HPCC, N = {size}", where, "hpcc", size, ranks)
            steps, cutoff = random.randrange(4, 10), random.randrange(16, 32)
            add(f"Quantum ESPRESSO, silicon, {steps} steps, {cutoff} Ry", where, "silicon", steps, cutoff, 1)
        else:
            size, side = 16 * random.randrange(16, 64), random.randrange(24, 64)
            add(f"jacobi columns-reduce {size}", where, "jacobi", "--variant", "columns-reduce", "--size",
                size, "--iterations", 3000)
            add(f"pabm {side}", where, "parallel_adams", "--method", "pabm", "--stages", 4, "--size", side,
                "--steps", 1000, "--end", 0.001)
    if options.mpi == "openmpi":
        for hosts in (8, 16):
            steps, cutoff = random.randrange(20, 40), random.randrange(16, 32)
            add(f"Quantum ESPRESSO, silicon, {steps} steps, {cutoff} Ry", f"{hosts} hosts", "silicon", steps,
                cutoff, 2)
        steps, cutoff = random.randrange(3, 7), random.randrange(80, 120)
        add(f"CP2K, water, {steps} steps, {cutoff} Ry", "16 hosts", "water", steps, cutoff)
        steps, cutoff = random.randrange(8, 16), random.randrange(10, 16)
        add(f"ABINIT, silicon, {steps} steps, {cutoff} Ha", "16 hosts", "abinit", steps, cutoff)
    return [point for point in found if is_named(point["name"], options.only)]


def command(mpi, program, words):
    """Writes a program's input into the working folder, and returns its command line."""
    return WRITERS[program](*words) if program in WRITERS else [BUILD / f"bin/{program}-{mpi}", *words]


def measure(options, points):
    table = options.table and options.table.resolve()  # before it runs in folders of its own
    for point in points:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            words = command(options.mpi, point["program"], point["words"])
            on_hosts, ranks = "hosts" in point["name"], int(point["name"].split()[-2])
            served = ({"TUTTI_TABLE": table} if table else
                      {"TUTTI_LEARN": "1", "TUTTI_CACHE": f"{folder}/knowledge"})
            kinds = {"native": None, "tutti": {"TUTTI_FLOAT_SUMS": "any", **served}}
            for number in range(options.pairs):
                for kind in sorted(kinds, reverse=number % 2 == 0):
                    begin = time.perf_counter()
                    if on_hosts:
                        Emulated(options.mpi, ranks).launch(words, kinds[kind])
                    else:
                        launch(options.mpi, ranks, words, kinds[kind], stderr=subprocess.DEVNULL)
                    yield {"program": point["name"], "pair": number + 1, "run": kind,
                           "s": time.perf_counter() - begin}


def rows_by_program(records):
    for (program,), runs in by_fields(records, ["program"]).items():
        native, ours = ({r["pair"]: r["s"] for r in runs if r["run"] == kind} for kind in ("native", "tutti"))
        if ratios := [ours[pair] / native[pair] for pair in native if pair in ours]:
            inner = sorted(ratios)[1:-1] if len(ratios) > 3 else sorted(ratios)
            least, most = inner[0], inner[-1]
            yield {"program": program, "native": statistics.median(native.values()),
                   "ratio": statistics.median(ratios),
                   "range": f"{least:.3f} .. {most:.3f}", "first": ratios[0]}


TABLES = [Table("{mpi}, {pairs} pairs", [
    Column("program", "program"), Column("native s", "native", ".2f"), Column("ratio", "ratio", ".3f"),
    Column("", "range"), Column("first pair", "first", ".3f")],
                rows=lambda records: list(rows_by_program(records)))]
