"""Predicted against measured times of orthogonal realizations of collectives.

Figures 17 to 21 of Kühnemann, Rauber and Rünger (2006). The phases of all grids of two levels are
measured with all their groups at once (`tutti bench --groups`), runtime functions are fitted to
that, by the situations the groups are in, and the time of every grid is predicted as the sum of
its phases' functions. Deviations are at sizes drawn at random, none of those that were fitted to,
of the whole grid, which no function was fitted to. On the simulated platforms the operations are
LAM-MPI's, links are exact and every send waits for its receiver; on `emulated`, 16 hosts on
switched Fast Ethernet, they are those of a real library over real TCP. That one needs root."""

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from driver.options import JOBS, MPI, SEED, joined, ops, option, some_of
from driver.tables import Column, Table
from shared import emulation, simulation
from shared.structures import OPERATIONS, RANKS, grid, lam, sides
from shared.tutti import plans as named, tutti, tutti_json

FITTED = [8192, 16384, 32768, 65536, 131072, 262144, 524288]
OPTIONS = [
    option("--platforms", type=some_of([*RANKS, "emulated"]), default=joined(RANKS),
           help="platforms: clic, xeon, t3e, emulated"),
    ops(OPERATIONS, others=False),
    option("--ranks", type=int, help="number of ranks of simulated platforms (default: all)"),
    option("--mapping", choices=["row_major", "column_major"], default="row_major",
           help="mapping of ranks to grids"),
    JOBS, MPI, option("--seconds", type=float, default=4,
                      help="seconds for each size on the emulated cluster"), SEED]


class Simulated(simulation.Cluster):
    """What LAM-MPI did on a simulated cluster."""

    def __init__(self, name, options):
        super().__init__(name, True, simulation.SYNCHRONOUS)
        self.ranks, self.mapping = options.ranks or RANKS[name][-1], options.mapping

    def operation_on(self, operation, ranks):
        return lam(operation, ranks)

    def extents(self, sides):
        return "x".join(map(str, sides)) + ("" if self.mapping == "row_major" else f",mapping={self.mapping}")

    def on_grid(self, operation, sides):
        return grid(operation, sides, "lam", self.mapping)

    def bench(self, operation, words):
        return json.loads(self.tutti(self.ranks, "bench", operation, "--json", *words))


class Emulated(emulation.Emulated):
    """A real library's own operations on an emulated cluster."""

    ranks, mapping = 16, "row_major"

    def __init__(self, options):
        super().__init__(options.mpi, self.ranks)
        self.seconds = options.seconds

    def operation_on(self, _operation, _ranks):
        return "native"

    def extents(self, sides):
        return "x".join(map(str, sides))

    def on_grid(self, _operation, sides):
        return f"grid({self.extents(sides)},phases=apart)"

    def probe(self, ranks, file):
        self.run("probe", "-o", file, "--budget", "20s", hosts=ranks)

    def bench(self, operation, words):
        return json.loads(self.run("bench", operation, "--json", "--seconds", self.seconds, *words))


def points(options):
    random = Random(options.seed)
    sizes = sorted(round(2 ** random.uniform(13.5, 18.9)) // 8 * 8 for _ in range(5))
    return [{"platform": platform, "operation": operation, "sizes": sizes} for platform in options.platforms
            for operation in options.ops]


def phases_of(cluster, operation, sides):
    """What was measured of a grid's phases: of its groups at once, and of the first by itself."""
    plans = {cluster.operation_on(operation, side) for side in sides}
    words = [*named(plans), "--groups", cluster.extents(sides), "--sizes", joined(FITTED)]
    return [m for m in cluster.bench(operation, words) if m["plan"] == cluster.operation_on(operation,
                                                                                            m["ranks"])]


def deviations(cluster, folder, platform, operation, sizes):
    """Per cent of the whole of each grid at each size, with its sign."""
    network, measured, model = (folder / name for name in ("network.json", "measured.json", "model"))
    cluster.probe(cluster.ranks, str(network))
    grids = sides(cluster.ranks, 2)
    phases = [m | {"plan": "native"} for extents in grids for m in phases_of(cluster, operation, extents)]
    measured.write_text(json.dumps(phases))
    tutti("model", "fit", measured, "-o", model)
    plans = [cluster.on_grid(operation, extents) for extents in grids]
    # Where --seconds were too few for a size, bench says so, and there is no figure.
    whole = {(m["plan"], m["size"]): m["median_s"]
             for m in cluster.bench(operation, [*named(plans), "--sizes", joined(sizes)])}
    for extents, plan in zip(grids, plans):
        priced = tutti_json("price", operation, "--plan", f"grid({cluster.extents(extents)},phases=apart)",
                            "--ranks",
                            cluster.ranks, "--sizes", joined(sizes), "--network", network, "--model", model)
        for size, predicted in [(p["size"], p["seconds"]) for p in priced if (plan, p["size"]) in whole]:
            yield {"platform": platform, "operation": operation, "ranks": cluster.ranks,
                   "mapping": cluster.mapping,
                   "grid": "x".join(map(str, extents)), "bytes": size, "predicted_s": predicted,
                   "measured_s": whole[plan, size]}


def measure(options, points):
    clusters = {platform: Emulated(options) if platform == "emulated" else Simulated(platform, options)
                for platform in options.platforms}

    def work(point):
        with tempfile.TemporaryDirectory() as folder:
            return list(deviations(clusters[point["platform"]], Path(folder), *point.values()))

    with ThreadPoolExecutor(1 if "emulated" in clusters else options.jobs) as pool:
        for records in pool.map(work, points):
            yield from records


def rows_by_operation(records):
    """The deviation of each grid is the mean over sizes, without its sign."""
    by_operation = {}
    for r in records:
        grids = by_operation.setdefault(r["operation"], {})
        grids.setdefault(r["grid"], []).append(abs(100 * (r["predicted_s"] / r["measured_s"] - 1)))
    for operation, grids in by_operation.items():
        means = {grid: sum(each) / len(each) for grid, each in grids.items()}
        worst = max(means, key=means.get)
        yield {"operation": operation, "mean": sum(means.values()) / len(means), "worst": worst,
               "of_worst": means[worst], "most": max(map(max, grids.values()))}


TABLES = [Table("{platform}, {ranks} ranks, {mapping}: deviation of what is predicted in %", [
    Column("operation", "operation"), Column("mean of all grids", "mean", ".1f"),
    Column("the worst grid", "worst"), Column("its mean", "of_worst", ".1f"),
    Column("most", "most", ".1f")], group=["platform"], rows=rows_by_operation)]
