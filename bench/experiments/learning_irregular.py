"""Learning of alltoallvs with counts at random, of which each rank knows only its own.

Programs on 16 hosts on switched Fast Ethernet, simulated or emulated: an iteration has one to three
alltoallvs, the mean block of each drawn from 32 bytes to 8 KB, with ranks that give or get more
than others, one block in ten empty; drawn once for a program, or anew for each call. Each program
runs natively and three times learning, from no knowledge on. Times are those of all iterations;
emulated ones are medians over repetitions, each of which begins with no knowledge. Emulation needs
root."""

import json
import statistics
import tempfile
from random import Random

from driver.options import HOSTS, MPI, SEED, option, repetitions
from driver.tables import Crosstab, Column, by_fields
from shared.emulation import Emulated
from shared.figures import geometric_mean
from shared.simulation import Cluster
from shared.tutti import BUILD

LEARNING = ["first", "second", "third"]
OPTIONS = [
    HOSTS, MPI, option("--simulated", action="store_true", help="instead of emulated; one repetition"),
    option("--programs", type=int, default=6, help="number of programs drawn"),
    option("--iterations", type=int, default=1000), repetitions(3),
    option("--selector", default="mvapich2", help="SimGrid's selector, for what is native there"), SEED]


def points(options):
    random = Random(options.seed)
    return [{"program": f"{counts} {seed}", "counts": counts, "seed": seed}
            for counts, seed in ((("once", "anew")[i % 2], random.randrange(1, 10**6))
                                 for i in range(options.programs))]


def runner(options):
    """A function that runs a program under variables, natively without any; seconds."""
    if options.simulated:
        cluster = Cluster("clic", exact=False)
        return lambda words, variables: json.loads(
            cluster.launch(options.hosts, "irregular", *words, variables=variables,
                           selector=options.selector))["seconds"]
    emulated = Emulated(options.mpi, options.hosts)
    return lambda words, variables: json.loads(
        emulated.launch([BUILD / f"bin/irregular-{options.mpi}", *words], variables))["seconds"]


def measure(options, points):
    run = runner(options)
    for repetition in range(1 if options.simulated else options.repetitions):
        for point in points:
            words = [point["counts"], options.iterations, point["seed"]]
            with tempfile.TemporaryDirectory() as knowledge:
                learning = {"TUTTI_LEARN": "1", "TUTTI_CACHE": knowledge}
                for kind in ["native", *LEARNING]:
                    yield {"program": point["program"], "repetition": repetition + 1, "kind_of_run": kind,
                           "seconds": run(words, None if kind == "native" else learning)}


def speedups(records):
    """Of each program and kind of run its speed-up over native of the same repetition."""
    native = {(r["program"], r["repetition"]): r["seconds"] for r in records if r["kind_of_run"] == "native"}
    return [{"program": program, "run": kind, "seconds": statistics.median(r["seconds"] for r in runs),
             "speedup": statistics.median(native[program, r["repetition"]] / r["seconds"] for r in runs)}
            for (program, kind), runs in by_fields(records, ["program", "kind_of_run"]).items()]


def summary(records):
    return ["Geometric mean of the speed-ups: " + ", ".join(
        f"{kind} {geometric_mean([r['speedup'] for r in runs]):.3f}"
        for (kind,), runs in by_fields(speedups(records), ["run"]).items()) + "."]


TABLES = [
    Crosstab("Seconds, {iterations} iterations", [Column("program", "program")], "run",
             Column("", "seconds", ".3f"), rows=speedups),
    Crosstab("Speed-up over native", [Column("program", "program")], "run", Column("", "speedup", ".3f"),
             rows=speedups, notes=summary)]
