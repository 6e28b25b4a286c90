"""What collectives gain from orthogonal structures on simulated clusters.

Figures 7 to 16 of Kühnemann, Rauber and Rünger (2006): for every grid of the ranks, the least,
mean and most improvement in per cent over a range of sizes, against what LAM-MPI did (the same in
the grid's phases), and against what SimGrid's selectors of Open MPI and MPICH choose (and choose
in the phases). Links are exact; every send waits for its receiver. Simulated times repeat exactly,
and results are checked."""

from concurrent.futures import ThreadPoolExecutor

from driver.charts import Bars
from driver.options import JOBS, joined, numbers, ops, option, sizes, some_of
from driver.tables import Column, Crosstab, by_fields
from shared.simulation import SELECTORS, SYNCHRONOUS, Cluster
from shared.structures import OPERATIONS, RANKS, grid, lam, sides

OPTIONS = [
    option("--platforms", type=some_of(RANKS), default=joined(RANKS),
           help="simulated platforms: clic, xeon, t3e"),
    option("--ranks", type=numbers, help="numbers of ranks (default: the paper's)"),
    ops(OPERATIONS, others=False),
    option("--against", type=some_of(["lam", *SELECTORS]), default="lam,ompi,mpich",
           help="baselines: lam, ompi, mpich, mvapich2"), sizes([10240, 32768, 131072, 512000]),
    option("--levels", type=numbers, default="2,3", help="numbers of levels of a grid: 2, 3"),
    option("--mapping", default="row_major",
           help="mapping of ranks to grids: row_major (the paper's), cyclic, …"),
    JOBS]


def points(options):
    return [{"platform": platform, "ranks": ranks, "levels": levels, "against": against,
             "operation": operation}
            for platform in options.platforms for ranks in options.ranks or RANKS[platform]
            for levels in options.levels
            for against in options.against for operation in options.ops]


def improvements(cluster, point, sizes, mapping):
    """Per cent by grid and size."""
    _, ranks, levels, against, operation = point.values()
    baseline = lam(operation, ranks) if against == "lam" else "native"
    grids = {"x".join(map(str, e)): grid(operation, e, against, mapping) for e in sides(ranks, levels)}
    wanted = [*grids.values()] if baseline == "native" else [baseline, *grids.values()]
    times, endings = {}, {}
    for size in sizes:  # a simulation each: SimGrid's own choices may abort at one of them
        measured = cluster.measure(operation, [size], ranks, wanted,
                                   selector="ompi" if against == "lam" else against)
        if isinstance(measured, str):
            endings[size] = measured
        else:
            times.update(measured)
    return [{**point, "mapping": mapping, "grid": extents, "bytes": size,
             "gain": 100 * (1 - times[size, plan] / times[size, baseline]) if (size, plan) in times
             else endings.get(size, "late")}
            for extents, plan in grids.items() for size in sizes]


def measure(options, points):
    clusters = {platform: Cluster(platform, True, SYNCHRONOUS) for platform in options.platforms}
    with ThreadPoolExecutor(options.jobs) as pool:
        for records in pool.map(lambda point: improvements(clusters[point["platform"]], point, options.sizes,
                                                           options.mapping), points):
            yield from records


def ranges(records):
    """A row for each grid; where it has no gain at any size its mean is the word for that."""
    gains, words = {}, {}
    for record in records:
        of_grid, gain = gains.setdefault(record["grid"], []), record["gain"]
        if isinstance(gain, str):
            words[record["grid"]] = gain
        else:
            of_grid.append(gain)
    return [{"grid": extents, "least": min(g), "mean": sum(g) / len(g), "most": max(g)} if g else
            {"grid": extents, "mean": words[extents]} for extents, g in gains.items()]


def in_tenths(row):
    return f"{round(row['mean'], 1) + 0:.1f}"  # no sign at zero


def extremes(records):
    """The best and the worst grid's mean, for each operation on each machine."""
    for of_one in by_fields(records, ["operation", "platform", "ranks"]).values():
        everyone = ranges(of_one)
        rows = [row for row in everyone if "least" in row]
        best, worst = (choose(rows, key=lambda row: row["mean"], default=everyone[0]) for choose in (max, min))
        yield {"operation": of_one[0]["operation"],
               "machine": f"{of_one[0]['platform']} {of_one[0]['ranks']}",
               "means": f"{in_tenths(best)} ({best['grid']}), {in_tenths(worst)}" if rows else best["mean"]}


TABLES = [Crosstab("{levels} levels, {mapping}, against {against}: the best grid's mean improvement over "
                   "sizes, the grid, and the worst grid's mean, in %", [Column("operation", "operation")],
                   "machine", Column("", "means"), group=["levels", "mapping", "against"],
                   rows=lambda records: list(extremes(records)))]
CHARTS = [Bars("{operation}, {platform}, {ranks} ranks, {levels} levels, {mapping}, against {against}",
               "grid", "improvement, %", group=["platform", "ranks", "levels", "against", "operation"],
               rows=lambda records: [row for row in ranges(records) if "least" in row])]
