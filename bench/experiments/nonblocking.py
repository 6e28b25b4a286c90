"""Nonblocking collectives on emulated hosts, native beside what `tutti tune` chooses.

Real MPI over real TCP, at sizes drawn at random. In latency, with the call completed at once; and
in overlap, with the ranks computing in between for as long as the blocking call takes natively.
Needs root."""

import tempfile
from random import Random

from driver.options import HOSTS, MPI, SEED, budget, drawn_sizes, joined, ops
from driver.tables import Column, Table
from shared.emulation import Emulated
from shared.figures import geometric_mean
from shared.tutti import plan_at

VECTORS = ["ibcast", "ireduce", "iallreduce", "ireduce_scatter_block"]
BLOCKS = ["igather", "iscatter", "iallgather", "ialltoall"]
OPTIONS = [HOSTS, MPI, ops(VECTORS + BLOCKS, others=False), budget("240s"), drawn_sizes(3), SEED]


def points(options):
    random = Random(options.seed)
    return [{"operation": operation,
             "bytes": round(2 ** random.uniform(10, 19 if operation in VECTORS else 16)) // 8 * 8}
            for operation in VECTORS + BLOCKS if operation in options.ops for _ in range(options.sizes)]


def measure(options, points):
    cluster = Emulated(options.mpi, options.hosts)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        table = cluster.tune(file.name, "--ops",
                             joined(dict.fromkeys(point["operation"] for point in points)), "--sizes",
                             "1K,8K,64K,256K", "--budget", options.budget)
    for point in points:
        operation, size = point.values()
        record = {**point, "plan": plan_at(table, operation, size)}
        if record["plan"] != "native":
            for name, overlap in (("latency", []), ("overlap", ["--overlap"])):
                native, tuned = cluster.measure(operation, [size], [record["plan"]], "--repetitions", 40,
                                                "--seconds", 8, *overlap)
                record |= {f"native_{name}_s": native["median_s"],
                           f"{name}": native["median_s"] / tuned["median_s"],
                           f"slower_in_{name}": tuned["ratio_low"] > 1}
        yield record


def summary(records):
    means = {name: geometric_mean([r.get(name, 1) for r in records]) for name in ("latency", "overlap")}
    slower = [f"{r['operation']} {r['bytes']}" for r in records if r.get("slower_in_overlap")]
    return [f"Geometric means over {len(records)} points: latency {means['latency']:.2f}, with overlap "
            f"{means['overlap']:.2f}; slower than native with overlap: {', '.join(slower) or 'none'}."]


TABLES = [Table("{hosts} emulated hosts, {mpi}: speed-up in latency and with overlap", [
    Column("operation", "operation"), Column("bytes", "bytes"),
    Column("native ms", lambda r: 1e3 * r["native_latency_s"] if "latency" in r else None, ".2f"),
    Column("latency", "latency", ".2f"), Column("with overlap", "overlap", ".2f"), Column("plan", "plan"),
    Column("", lambda r: "slower in latency" if r.get("slower_in_latency") else "")], notes=summary)]
