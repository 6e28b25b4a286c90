"""Predicted against simulated times of plans, on 96 hosts of a star and on 90 of them.

Plans by their price on the network that `tutti probe` finds between the hosts, and run there in
SimGrid, at sizes drawn at random, every result checked."""

import statistics
import tempfile
from random import Random

from driver.options import SEED, drawn_sizes, option
from driver.tables import Column, Table
from shared.figures import drawn_logarithmically
from shared.simulation import Cluster
from shared.tutti import plans as named, tutti_json

PROBED = 96
GRIDS = {96: "8x12", 90: "9x10"}
PLANS = {
    "bcast": ["binomial", "knomial", "scatter_allgather", "circulant", "binary_tree", "grid(GRID)[binomial]"],
    "gather": ["binomial", "linear"],
    "scatter": ["binomial", "linear"],
    "allgather": ["ring", "bruck", "circulant"],
    "alltoall": ["pairwise", "bruck"],
    "reduce": ["binomial", "rabenseifner"],
    "allreduce": ["recursive_doubling", "ring", "circulant", "lanes(GRID)[circulant]"],
    "reduce_scatter": ["pairwise", "circulant"],
}
# Bytes at most: of a block, where every rank has one, and of the whole vector.
BLOCKS, VECTORS = 32768, 1048576
OF_BLOCKS = ["allgather", "alltoall", "gather", "scatter"]
OPTIONS = [option("--factors", choices=["exact", "stock", "both"], default="both",
                  help="SimGrid's network factors"),
           drawn_sizes(3), SEED]


def points(options):
    random, found = Random(options.seed), []
    for factors in ["exact", "stock"] if options.factors == "both" else [options.factors]:
        for ranks in GRIDS:
            for operation in PLANS:
                longest = BLOCKS if operation in OF_BLOCKS else VECTORS
                sizes = sorted({round(drawn_logarithmically(random, 8, longest))
                                for _ in range(options.sizes)})
                found.append({"factors": factors, "ranks": ranks, "operation": operation, "sizes": sizes})
    return found


def compare(cluster, network, factors, ranks, operation, sizes):
    plans = [plan.replace("GRID", GRIDS[ranks]) for plan in PLANS[operation]]
    prices = tutti_json("price", operation, "--network", network, "--ranks", ranks, "--sizes",
                        ",".join(map(str, sizes)), *named(plans))
    times = cluster.measure(operation, sizes, ranks, plans)
    for price in prices:
        record = {"factors": factors, "ranks": ranks, "operation": operation, "bytes": price["size"],
                  "plan": price["plan"], "predicted_ms": price["seconds"] * 1e3}
        yield record | {"simulated_ms": times if isinstance(times, str) else times[price["size"],
                                                                                   price["plan"]]}


def measure(options, points):
    for factors in dict.fromkeys(point["factors"] for point in points):
        cluster = Cluster("clic", factors == "exact")
        with tempfile.NamedTemporaryFile(suffix=".json") as network:
            cluster.probe(PROBED, network.name)
            for point in points:
                if point["factors"] == factors:
                    yield from compare(cluster, network.name, *point.values())


def ranks_of(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    return {index: rank for rank, index in enumerate(order)}


def rank_correlation(a, b):
    """Spearman's."""
    of_a, of_b, n = ranks_of(a), ranks_of(b), len(a)
    return 1 - 6 * sum((of_a[i] - of_b[i]) ** 2 for i in range(n)) / (n * (n * n - 1))


def error(record):
    simulated = record["simulated_ms"]
    return simulated if isinstance(simulated, str) else record["predicted_ms"] / simulated - 1


def summary(records):
    known = [r for r in records if not isinstance(r["simulated_ms"], str)]
    errors = [abs(error(r)) for r in known]
    correlation = rank_correlation([r["predicted_ms"] for r in known], [r["simulated_ms"] for r in known])
    return [f"{len(known)} points: median error {statistics.median(errors):.1%}, worst {max(errors):.1%}, "
            f"rank correlation {correlation:.3f}."]


TABLES = [Table("{ranks} ranks, {factors} factors, milliseconds", [
    Column("operation", "operation"), Column("bytes", "bytes"), Column("plan", "plan"),
    Column("predicted", "predicted_ms", ".3f"), Column("simulated", "simulated_ms", ".3f"),
    Column("error", error, ".1%")], group=["factors", "ranks"], notes=summary)]
