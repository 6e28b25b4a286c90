"""The figures of Thakur, Rabenseifner and Gropp (2005) that compare algorithms, simulated.

On a Cray T3E (torus of 4x4x6) and on a star of Fast Ethernet hosts, both with exact links: old
algorithms against new ones (figures 4, 5, 6, 8, 10, 11), which allreduce is the fastest for which
number of processes and bytes (14), and its bandwidth at 32 KB (15). Simulated times repeat
exactly. Computing costs nothing there."""

from concurrent.futures import ThreadPoolExecutor

from driver.options import JOBS, joined, numbers, option, some_of
from driver.tables import Column, Crosstab, Table
from shared.simulation import Cluster

KB = 1024
# Figure, what it shows, operation, processes, bytes of a call, bytes in the figure for each, old
# plan, new plan.
OLD_AND_NEW = [
    ("4", "allgather, short; bytes gathered in all", "allgather", 64, [4, 16, 64, 256, 1024], 64,
     "ring", "recursive_doubling"),
    ("5", "allgather, long; bytes gathered in all", "allgather", 64, [8 * KB, 32 * KB, 64 * KB], 64,
     "recursive_doubling", "ring"),
    ("6", "broadcast, long", "bcast", 64, [16 * KB, 64 * KB, 256 * KB, KB * KB], 1, "binomial",
     "scatter_allgather"),
    ("8", "all-to-all, short; bytes to each other process", "alltoall", 64, [4, 16, 64, 256, 1024], 1,
     "linear", "bruck"),
    ("10 left", "reduce-scatter, short", "reduce_scatter", 64, [512, 2 * KB, 8 * KB, 32 * KB], 1,
     "reduce_scatterv", "recursive_halving"),
    ("10 right", "reduce-scatter, long", "reduce_scatter", 32, [512 * KB, KB * KB, 4 * KB * KB], 1,
     "reduce_scatterv", "pairwise"),
    ("11", "reduce, long", "reduce", 64, [4 * KB, 16 * KB, 64 * KB, 256 * KB, KB * KB], 1, "binomial",
     "rabenseifner"),
]
ALLREDUCE = {"recursive_doubling": "d", "reduce_bcast": "t", "rabenseifner": "h", "binary_blocks": "b",
             "ring": "r"}
PROCESSES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 20, 24, 28, 31, 32, 33, 36, 40, 48, 56, 60,
             63, 64, 65, 66, 68, 72, 80, 90, 96]
MAP_SIZES = [32, 256, KB, 4 * KB, 16 * KB, 32 * KB, 64 * KB, 256 * KB, KB * KB]
FIGURES = ["4", "5", "6", "8", "10", "11", "14"]
MACHINES = {"t3e": "Cray T3E, torus of 4x4x6", "clic": "star of Fast Ethernet hosts"}
OPTIONS = [
    option("--platforms", type=some_of(MACHINES), default=joined(MACHINES), help="simulated platforms"),
    option("--figures", type=some_of(FIGURES), default=joined(FIGURES),
           help="the paper's figures to reproduce (14 includes 15)"),
    option("--processes", type=numbers, default=joined(PROCESSES),
           help="numbers of processes in figures 14 and 15"), JOBS]


def points(options):
    old_and_new = [figure for figure in OLD_AND_NEW if figure[0].split()[0] in options.figures]
    return [point for platform in options.platforms for point in
            [*({"platform": platform, "figure": figure[0]} for figure in old_and_new),
             *({"platform": platform, "figure": "14", "ranks": ranks} for ranks in options.processes
               if "14" in options.figures)]]


def old_and_new(platform, figure):
    _, what, operation, ranks, sizes, factor, old, new = next(line for line in OLD_AND_NEW
                                                              if line[0] == figure)
    times = Cluster(platform, exact=True).measure(operation, sizes, ranks, [old, new])
    return [{"kind": "old and new", "machine": MACHINES[platform], "figure": figure, "what": what,
             "ranks": ranks,
             "old": old, "new": new, "bytes": size * factor, "old_ms": times[size, old],
             "new_ms": times[size, new]}
            for size in sizes]


def allreduce(platform, ranks):
    times = Cluster(platform, exact=True).measure("allreduce", MAP_SIZES, ranks, list(ALLREDUCE))
    return [{"kind": "allreduce", "machine": MACHINES[platform], "ranks": ranks, "bytes": size,
             **{plan: times[size, plan] for plan in ALLREDUCE}} for size in MAP_SIZES]


def measure(options, points):
    def records(point):
        return allreduce(point["platform"],
                         point["ranks"]) if "ranks" in point else old_and_new(*point.values())

    with ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(records, points):
            yield from found


def fastest(record):
    return min(ALLREDUCE, key=record.get) if record else None


def rate(plan):
    return lambda record: 32 * KB / (record[plan] * 1e3)


TABLES = [
    Table("{machine}, figure {figure}: {what}, {ranks} processes; from {old} to {new}", [
        Column("bytes", "bytes"), Column("old ms", "old_ms", ".4f"), Column("new ms", "new_ms", ".4f"),
        Column("old / new", lambda r: r["old_ms"] / r["new_ms"], ".2f")],
        kind="old and new", group=["machine", "figure"]),
    Crosstab("{machine}, figure 14: the fastest allreduce (" +
             ", ".join(f"{letter} {plan}" for plan, letter in ALLREDUCE.items()) + ")",
             [Column("processes", "ranks")], "bytes", Column("", lambda r: ALLREDUCE.get(fastest(r))),
             kind="allreduce", group=["machine"]),
    Table("{machine}, figure 15: bandwidth of an allreduce of 32 KB, bytes / time, MB/s",
          [Column("processes", "ranks"), *(Column(plan, rate(plan), ".2f") for plan in ALLREDUCE),
           Column("fastest", fastest)], kind="allreduce", group=["machine"],
          rows=lambda records: [r for r in records if r["bytes"] == 32 * KB]),
]
