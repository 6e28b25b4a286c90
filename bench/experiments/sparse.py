"""Alltoallvs of which most counts are zero: natively, by hand-written messages, and by plans.

Simulated on 16 hosts of 16 ranks, where 26 of 1,024 counts are not zero, or emulated on hosts of
some ranks, where nine tenths are. Mean blocks are drawn at random; by hand means a nonblocking
message for each block that is not empty. Microseconds a call of the rank that takes longest; what
arrives is checked. Emulated runs take turns, and show the median. Emulation needs root."""

import json
import statistics
from random import Random

from driver.options import MPI, SEED, option, repetitions, words
from driver.tables import Crosstab, Column, by_fields
from shared.emulation import Emulated
from shared.figures import geometric_mean
from shared.simulation import Cluster
from shared.tutti import BUILD

FILLED = {"simulated": 26 / 1024, "emulated": 0.1}
PLANS = "linear;aggregated(node)[linear];grid(node)[linear]"
OPTIONS = [
    MPI, option("--emulated", action="store_true", help="emulated hosts in place of simulated ones"),
    option("--hosts", type=int, default=16, help="number of hosts"),
    option("--ranks-per-host", type=int, default=16, help="number of ranks on a host"),
    option("--points", type=int, default=4, help="number of mean block sizes drawn, 16 bytes to 16 KB"),
    option("--calls", type=int, default=2, help="number of timed calls in a run"), repetitions(3),
    option("--plans", type=lambda text: text.split(";"), default=PLANS,
           help="plans of MPI_Alltoallv, separated by semicolons"),
    option("--selectors", type=words, default="mpich,ompi",
           help="SimGrid's selectors that are taken as native"),
    SEED]


def points(options):
    random = Random(options.seed)
    return [{"mean": round(2 ** random.uniform(4, 14)), "matrix": random.randrange(1, 10**6)}
            for _ in range(options.points)]


def runners(options):
    """By name of what is native there: a function that runs the program under variables."""
    hosts, ranks = options.hosts, options.ranks_per_host
    if options.emulated:
        emulated = Emulated(options.mpi, hosts, ["--ranks-per-host", str(ranks)])
        program = BUILD / f"bin/sparse-{options.mpi}"
        return {options.mpi: lambda arguments, variables: emulated.launch([program, *arguments], variables)}
    cluster = Cluster("fat", exact=False, hosts=[f"fat-{i // ranks}" for i in range(hosts * ranks)])
    return {selector: lambda arguments, variables, selector=selector: cluster.launch(
        hosts * ranks, "sparse", *arguments, variables=variables, selector=selector)
            for selector in options.selectors}


def measure(options, points):
    filled = FILLED["emulated" if options.emulated else "simulated"]
    kinds = {"native": ("collective", None), "by hand": ("by-hand", None),
             **{plan: ("collective", {"TUTTI_ALLTOALLV": plan, "TUTTI_LEARN": "0"}) for plan in options.plans}}
    for library, run in runners(options).items():
        for repetition in range(options.repetitions if options.emulated else 1):
            for point in points:
                for kind, (how, variables) in kinds.items():
                    printed = json.loads(run([how, options.calls, filled, point["mean"], point["matrix"]],
                                             variables))
                    yield {**point, "library": library, "repetition": repetition + 1, "how": kind, **printed}


def medians(records):
    return [{"library": library, "mean": mean, "how": how,
             "microseconds": statistics.median(r["microseconds"] for r in runs)}
            for (library, mean, how), runs in by_fields(records, ["library", "mean", "how"]).items()]


def summary(records):
    rows = medians(records)
    native = {(r["library"], r["mean"]): r["microseconds"] for r in rows if r["how"] == "native"}
    return ["Geometric mean of the speed-ups over native: " + ", ".join(
        f"{how} {geometric_mean([native[r['library'], r['mean']] / r['microseconds'] for r in runs]):.2f}"
        for (how,), runs in by_fields(rows, ["how"]).items()) + "."]


TABLES = [Crosstab("Microseconds a call, native of {library}", [Column("mean bytes", "mean")], "how",
                   Column("", "microseconds", ".1f"), group=["library"], rows=medians, notes=summary)]
