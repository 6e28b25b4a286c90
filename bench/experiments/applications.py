"""Whole programs: the solvers of apps/ on the simulated CLiC and T3E, with and without Tutti.

    lu      speed-ups of the LU decomposition over 4 to 64 processes, and its phases' shares: figures 4
            and 5 and table 1 of Rauber, Reilein and Rünger (2001)
    irk     those of iterated Runge-Kutta methods: figures 6 to 9
    jacobi  per cent that the Jacobi iteration gains on 48 and 96 processes, by system size: figures 22
            to 24 of Kühnemann, Rauber and Rünger (2006)
    adams   the same of the parallel Adams methods, and their variants beside each other: figures 25
            to 28

`jacobi` and `adams` compare LAM-MPI's operations with the same on a grid, every send waiting for
its receiver, as in the paper, and what the run-time formulas predict for both; then Open MPI's own
choice with a table that `tutti tune` made for it. Links are exact. Computation is charged by its
operation counts (apps/support/timing.hpp), so that figures repeat exactly."""

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from driver.charts import Curves
from driver.options import JOBS, budget, joined, numbers, option, some_of
from driver.tables import Column, Crosstab, by_fields
from shared.simulation import PLATFORMS, SYNCHRONOUS, Cluster
from shared.structures import grid, lam
from shared.tutti import tutti

PARTS = ["lu", "irk", "jacobi", "adams"]
PROCESSES = [4, 8, 16, 32, 64]
GRIDS = {48: (6, 8), 96: (8, 12)}  # the balanced ones
LU_VARIANTS = ["orthogonal", "row-cyclic", "column-cyclic"]
IRK_VARIANTS = ["data-parallel", "task-parallel", "orthogonal-task-parallel"]
IRK = [("brusselator", 32, "lobatto", 5), ("brusselator", 32, "radau", 6), ("spectral", 2000, "radau", 6),
       ("spectral", 3000, "radau", 6)]
JACOBI_VARIANTS = {"rows": ["allgather"], "columns-allreduce": ["allreduce", "allgather"],
                   "columns-reduce": ["reduce", "bcast"]}
ADAMS_VARIANTS = ["data-parallel", "orthogonal-data-parallel", "task-parallel", "orthogonal-task-parallel"]
ADAMS = [("pab", 4), ("pabm", 4), ("pab", 8), ("pabm", 8)]
OPTIONS = [
    option("--only", type=some_of(PARTS), default=joined(PARTS), help="parts: lu, irk, jacobi, adams"),
    option("--platforms", type=some_of(PLATFORMS), default="clic,t3e",
           help="simulated platforms, such as clic, t3e"),
    option("--lu-size", type=int, default=2048, help="rows of the LU matrix"),
    option("--jacobi-sizes", type=numbers, default="480,960,1920,3840,7680",
           help="numbers of equations, multiples of 96"),
    option("--adams-sizes", type=numbers, default="12,24,48,96",
           help="points a side of the Brusselator, multiples of 12"),
    option("--ranks", type=numbers, default=joined(GRIDS), help="numbers of processes for jacobi and adams"),
    budget("120s", "time for tuning on so many ranks"), JOBS]


def speedup_points(options, platform):
    if "lu" in options.only:
        yield {"title": f"LU decomposition, {options.lu_size} rows, {platform}", "platform": platform,
               "program": "lu", "words": ["--size", options.lu_size], "variants": LU_VARIANTS}
    for system, size, method, iterations in IRK if "irk" in options.only else []:
        yield {"title": f"iterated RK, {method}, {system} {size}, {platform}", "platform": platform,
               "program": "iterated_runge_kutta", "variants": IRK_VARIANTS,
               "words": ["--system", system, "--size", size, "--method", method, "--iterations", iterations,
                         "--steps", 2, "--end", 0.001]}


def gain_points(options, platform, ranks):
    """Programs at several sizes, the operations that they need, and their bytes of vectors and blocks."""
    sizes = options.jacobi_sizes
    for variant, operations in JACOBI_VARIANTS.items() if "jacobi" in options.only else []:
        yield {"title": f"Jacobi, {variant}, {ranks} processes, {platform}", "platform": platform,
               "ranks": ranks,
               "across": "equations", "program": "jacobi", "sizes": sizes, "operations": operations,
               "vectors": [8 * s for s in sizes] if operations != ["allgather"] else [],
               "blocks": [8 * s // ranks for s in sizes] if "allgather" in operations else [],
               "words": ["--variant", variant, "--iterations", 4], "time": "seconds_per_iteration",
               "variants": []}
    sizes = options.adams_sizes
    for method, stages in ADAMS if "adams" in options.only else []:
        yield {"title": f"{method.upper()}, K = {stages}, {ranks} processes, {platform}",
               "platform": platform,
               "ranks": ranks, "across": "points a side", "program": "parallel_adams", "sizes": sizes,
               "operations": ["allgather"], "vectors": [], "blocks": [16 * s * s // ranks for s in sizes],
               "words": ["--method", method, "--stages", stages, "--steps", 4, "--end", 0.0001],
               "time": "seconds_per_step", "variants": ADAMS_VARIANTS}


def points(options):
    return [point for platform in options.platforms for point in
            [*speedup_points(options, platform),
             *(point for ranks in options.ranks for point in gain_points(options, platform, ranks))]]


class Bench:
    def __init__(self, options, folder):
        self.budget, self.folder = options.budget, Path(folder)
        self.pool = ThreadPoolExecutor(options.jobs)
        self.learnt = {}  # files of tables and models

    def once(self, make, cluster, *words):
        """The file that make(cluster, *words, file) writes; made when it is asked for first."""
        key = (make.__name__, cluster.platform, *map(str, words))
        if key not in self.learnt:
            self.learnt[key] = f"{self.folder}/{len(self.learnt)}.json"
            make(cluster, *words, self.learnt[key])
        return self.learnt[key]

    def gather(self, tasks):
        """{key: result} of {key: function}, side by side."""
        futures = {key: self.pool.submit(function) for key, function in tasks.items()}
        return {key: future.result() for key, future in futures.items()}

    def speedups(self, title, platform, program, words, variants):
        cluster = Cluster(platform, True)

        def run(variant, processes):
            return lambda: cluster.run(processes, program, *words, "--variant", variant)

        tasks = {(v, p): run(v, p) for v in variants for p in PROCESSES}
        found = self.gather({**tasks, "alone": run("orthogonal" if program == "lu" else "data-parallel", 1)})
        alone = found.pop("alone")["seconds"]
        for (variant, processes), report in found.items():
            yield {"kind": "speed-up", "title": title, "variant": variant, "processes": processes,
                   "speedup": alone / report["seconds"]}
        for variant, report in [(v, found[v, PROCESSES[-1]]) for v in variants]:
            yield from ({"kind": "phases", "title": title, "phase": name[:-2], "variant": variant, "%": share}
                        for name, share in report.items() if name.endswith("_%"))

    def fit(self, cluster, ranks, operations, vectors, blocks, file):
        """Runtime functions of LAM-MPI's operations, on all ranks and a grid's rows and columns."""
        leaders, concurrent = GRIDS[ranks]

        def measure(operation, p):
            sizes = sorted({b * (concurrent if p == leaders else 1) for b in blocks}
                           if operation == "allgather" else
                           set(vectors))
            plan = lam(operation, p)
            times = cluster.measure(operation, sizes, p, [plan])
            return [{"operation": operation, "ranks": p, "hosts": p, "size": s, "plan": "native",
                     "repetitions": 1, **dict.fromkeys(["median_s", "low_s", "high_s"], times[s, plan] / 1e3),
                     **dict.fromkeys(["ratio_to_native", "ratio_low", "ratio_high"], 1)} for s in sizes]

        measured = self.gather({(o, p): lambda o=o, p=p: measure(o, p)
                                for o in operations for p in (leaders, concurrent, ranks)})
        measurements = self.folder / "measurements"
        measurements.write_text(json.dumps([m for group in measured.values() for m in group]))
        tutti("model", "fit", measurements, "-o", file)

    def tune(self, cluster, ranks, operations, sizes, file):
        cluster.tune(ranks, file, "--ops", joined(operations), "--budget", self.budget, "--sizes",
                     joined(sizes))

    def gains(self, title, platform, ranks, across, program, sizes, operations, vectors, blocks, words, time,
              variants):
        """What a program takes with LAM-MPI's operations, with these on a grid, with Open MPI's and under
        a tuned table; what is predicted for the first two; and its variants beside each other."""
        as_lam, today = Cluster(platform, True, SYNCHRONOUS), Cluster(platform, True)
        leaders, concurrent = GRIDS[ranks]
        model = self.once(self.fit, as_lam, ranks, operations, vectors, blocks)
        table = self.once(self.tune, today, ranks, operations, sorted({*vectors, *blocks}))
        plain = {f"TUTTI_{o.upper()}": lam(o, ranks) for o in operations}
        on_grid = {f"TUTTI_{o.upper()}": grid(o, GRIDS[ranks], "lam", "row_major") for o in operations}

        def run(cluster, size, variables, *more):
            return lambda: cluster.run(ranks, program, "--size", size, *words, *more, variables=variables)

        tasks = {}
        for size in sizes:
            tasks["lam", size] = run(as_lam, size, plain, "--predict", model)
            tasks["grid", size] = run(as_lam, size, on_grid, "--predict", model, "--grid",
                                      f"{concurrent}x{leaders}")
            tasks["native", size] = run(today, size, None)
            tasks["tuned", size] = run(today, size, {"TUTTI_FLOAT_SUMS": "any", "TUTTI_TABLE": table})
            for variant in variants:
                tasks[variant, size] = run(today, size, None, "--variant", variant)
        for (which, size), report in self.gather(tasks).items():
            yield {"kind": "variants" if which in variants else "gains", "title": title, "across": across,
                   "size": size, "run": which, "grid": f"{leaders}x{concurrent}", "s": report[time],
                   "predicted_s": report[f"predicted_{time}"] if which in ("lam", "grid") else None}


def measure(options, points):
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for point in points:
            yield from (bench.gains if "ranks" in point else bench.speedups)(**point)


def gains(records):
    """Rows of all programs."""
    return [row for of_one in by_fields(records, ["title"]).values() for row in gains_of_one(of_one)]


def gains_of_one(records):
    s = {(r["run"], r["size"]): r["s"] for r in records}
    predicted = {(r["run"], r["size"]): r["predicted_s"] for r in records}
    # A run that was ended may lack some.
    sizes = [size for size in dict.fromkeys(r["size"] for r in records)
             if all((run, size) in s for run in ("lam", "grid", "native", "tuned"))]
    compared = {f"LAM-MPI's on a grid of {records[0]['grid']}": ("lam", "grid"),
                "Open MPI's by a tuned table": ("native", "tuned")}
    deviations = {"prediction for LAM-MPI's": "lam", "prediction for the grid": "grid"}
    program = {"title": records[0]["title"]}
    return [*({**program, "row": name, "size": size, "%": 100 * (1 - s[after, size] / s[before, size])}
              for name, (before, after) in compared.items() for size in sizes),
            *({**program, "row": name, "size": size, "%": 100 * (predicted[run, size] / s[run, size] - 1)}
              for name, run in deviations.items() for size in sizes)]


SPEEDUP, GAINED = "{title}: speed-up", "{title}: % gained, and predictions' deviation, by {across}"
VARIANTS = "{title}, variants: milliseconds a step, by {across}"
PROGRAM = Column("program", "title")
TABLES = [
    Crosstab("Speed-up over one process, by processes", [PROGRAM, Column("variant", "variant")], "processes",
             Column("", "speedup", ".2f"), kind="speed-up"),
    Crosstab(f"Phases on {PROCESSES[-1]} processes, % of the time", [PROGRAM, Column("phase", "phase")],
             "variant", Column("", "%", ".2f"), kind="phases"),
    Crosstab("% gained, and predictions' deviation, by {across}", [PROGRAM, Column("", "row")], "size",
             Column("", "%", ".1f"), kind="gains", group=["across"], rows=gains),
    Crosstab("Variants: milliseconds a step natively, by {across}", [PROGRAM, Column("variant", "run")],
             "size", Column("", lambda r: 1e3 * r["s"], ".3f"), kind="variants", group=["across"])]
CHARTS = [
    Curves(SPEEDUP, "processes", "speedup", "variant", ("processes", "speed-up"), kind="speed-up",
           group=["title"]),
    Curves(GAINED, "size", "%", "row", ("size", "%"), kind="gains", group=["title"], rows=gains),
    Curves(VARIANTS, "size", "s", "run", ("size", "seconds a step"), kind="variants", group=["title"])]
