"""Learning on 96 simulated hosts: a program of all operations and mixed sizes, drawn at random.

On communicators of 96, 48, 12 and 8 ranks. Time against iterations natively, under a table that is
tuned first, learning from nothing, and learning with what the first run found out; beside it the
bound, native time and what experiments may cost. Simulated times repeat exactly."""

import tempfile

from driver.charts import Curves
from driver.options import budget, numbers, option
from driver.tables import Column, Table
from shared.simulation import Cluster

OPERATIONS = "bcast,reduce,allreduce,gather,scatter,allgather,alltoall,reduce_scatter_block,barrier"
SHOWN = [1, 2, 5, 10, 20, 50, 100]  # per cent of the iterations
RUNS = ["native", "tuned", "first", "second", "third"]
OPTIONS = [option("--iterations", type=int, default=2000, help="largest number of iterations"),
           option("--seeds", type=numbers, default="1,2,3", help="seeds of programs"),
           budget("150s"),
           option("--selector", default="ompi", help="SimGrid's selector that is taken as native")]


def points(options):
    return [{"program": seed} for seed in options.seeds]


def measure(options, points):
    cluster, part = Cluster("clic", exact=False), max(1, options.iterations // 100)
    with tempfile.TemporaryDirectory() as folder:
        table = f"{folder}/table.json"
        cluster.tune(96, table, "--ops", OPERATIONS, "--ranks", "8,12,48,96", "--sizes", "16,128,1K,8K,64K",
                     "--budget", options.budget, selector=options.selector)
        for point in points:
            seed = point["program"]
            learning = {"TUTTI_FLOAT_SUMS": "any", "TUTTI_LEARN": "1", "TUTTI_CACHE": f"{folder}/{seed}"}
            kinds = {**dict.fromkeys(RUNS, learning), "native": None,
                     "tuned": {"TUTTI_FLOAT_SUMS": "any", "TUTTI_TABLE": table, "TUTTI_LEARN": "0"}}
            runs = {}
            for name in RUNS:
                printed = cluster.launch(96, "mixed", options.iterations, seed, variables=kinds[name],
                                         selector=options.selector)
                runs[name] = {int(i): float(seconds) for i, seconds in map(str.split, printed.splitlines())}
            for iterations, native in sorted(runs["native"].items()):
                yield {"program": seed, "iterations": iterations,
                       "shown": iterations in [p * part for p in SHOWN],
                       "bound": 1.05 * native + 0.02, **{name: runs[name][iterations] for name in RUNS}}


def by_run(records):
    return [{"iterations": r["iterations"], "run": run, "seconds": r[run]} for run in [*RUNS, "bound"]
            for r in records]


TABLES = [Table("Program {program}, seconds and speed-up over native", [
    Column("iterations", "iterations"), *(Column(f"{name} s", name, ".3f") for name in ["bound", *RUNS]),
    *(Column(name, lambda r, name=name: r["native"] / r[name], ".3f") for name in RUNS[1:])],
    group=["program"], rows=lambda records: [r for r in records if r["shown"]])]
CHARTS = [Curves("learning-star-{program}: 96 simulated hosts", "iterations", "seconds", "run",
                 ("iterations", "seconds"),
                 style="lines", settings="set logscale xy", group=["program"], rows=by_run)]
