"""Tuning that the network's model guides beside exhaustive tuning, on a simulated star.

At each point how much slower its choice is, and how many of the known plans it measured."""

import tempfile

from driver.options import ops, option
from driver.tables import Column, Table
from shared.simulation import Cluster

VECTORS = ["bcast", "reduce", "allreduce", "reduce_scatter"]
SIZES = {**dict.fromkeys(VECTORS, [1024, 65536, 524288]),
         "alltoall": [64, 1024]}  # of longer blocks SimGrid's own choice aborts on some grids
BLOCKS = [64, 1024, 16384]  # of the others: bytes of a rank's block
OPTIONS = [ops(["bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
                "reduce_scatter"]),
           option("--ranks", type=int, default=96, help="number of simulated ranks")]


def points(options):
    return [{"operation": operation, "sizes": SIZES.get(operation, BLOCKS)} for operation in options.ops]


def tune(cluster, ranks, operation, sizes, *words):
    """Measured milliseconds by size and plan."""
    times = {size: {} for size in sizes}
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        table = cluster.tune(ranks, file.name, "--ops", operation, "--sizes", ",".join(map(str, sizes)),
                             "--budget", "3600s", *words)
    for m in table["measurements"]:
        if m["size"] in times:
            times[m["size"]][m["plan"]] = m["median_s"] * 1e3
    return times


def measure(options, points):
    cluster = Cluster("clic", False)
    for point in points:
        guided = tune(cluster, options.ranks, *point.values())
        exhaustive = tune(cluster, options.ranks, *point.values(), "--exhaustive")
        for size, ours in guided.items():
            known = {**ours, **exhaustive[size]}
            chosen, best = min(ours, key=ours.get), min(known, key=known.get)
            yield {"operation": point["operation"], "bytes": size, "measured": len(ours), "known": len(known),
                   "chosen": chosen, "chosen_ms": ours[chosen], "best": best, "best_ms": known[best]}


def slower(record):
    return max(0.0, record["chosen_ms"] / record["best_ms"] - 1)


def summary(records):
    measured, known = (sum(record[name] for record in records) for name in ("measured", "known"))
    return [
        f"Never more than {max(map(slower, records)):.1%} slower; "
        f"measured {measured / known:.0%} of the plans."]


TABLES = [Table("Guided tuning on {ranks} hosts", [
    Column("operation", "operation"), Column("bytes", "bytes"), Column("measured", "measured"),
    Column("known", "known"),
    Column("best ms", "best_ms", ".3f"), Column("slower", slower, ".1%"), Column("chosen", "chosen"),
    Column("best", "best")], notes=summary)]
