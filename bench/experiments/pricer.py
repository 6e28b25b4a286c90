"""Predicted against simulated times of plans: on a star, and where groups of hosts share what is narrow.

Plans by their price on the network that `tutti probe` finds between the hosts, in order or drawn at
random, and run there in SimGrid, at sizes drawn at random, every result checked. On a dragonfly and
a tapered fat tree the probe is told which hosts are in which groups; prices that know nothing of
these stand beside. Plans in an order that the network tells run in the order that was priced."""

import json
import statistics
import tempfile
from random import Random

from driver.options import SEED, drawn_sizes, option
from driver.tables import Column, Table, by_fields
from shared.figures import drawn_logarithmically
from shared.simulation import LEVELS, PLATFORMS, Cluster
from shared.tutti import plans as named, tutti_json

GRIDS = {96: "8x12", 90: "9x10", 128: "8x16", 120: "8x15"}
# Numbers of ranks, the first of which is probed.
CLUSTERS = {"clic": [96, 90], "dragonfly": [128, 120], "tapered": [128, 120], "t3e": [96, 90]}
PLANS = {
    "bcast": ["binomial", "knomial", "scatter_allgather", "circulant", "binary_tree", "grid(GRID)[binomial]",
              "bine", "bine_scatter_allgather"],
    "gather": ["binomial", "linear"],
    "scatter": ["binomial", "linear"],
    "allgather": ["ring", "bruck", "circulant", "bine", "recursive_doubling(near)"],
    "alltoall": ["pairwise", "bruck"],
    "reduce": ["binomial", "rabenseifner", "bine_reduce_scatter_gather"],
    "allreduce": ["recursive_doubling", "ring", "circulant", "lanes(GRID)[circulant]", "bine",
                  "near(circulant(near))"],
    "reduce_scatter": ["pairwise", "circulant", "bine", "recursive_halving(near)", "near(bine)"],
}
# Bytes at most: of a block, where every rank has one, and of the whole vector.
BLOCKS, VECTORS = 32768, 1048576
OF_BLOCKS = ["allgather", "alltoall", "gather", "scatter"]
PRICES = ["predicted_ms", "without_groups_ms"]
OPTIONS = [option("--factors", choices=["exact", "stock", "both"], default="both",
                  help="SimGrid's network factors"),
           option("--clusters", choices=[*CLUSTERS, "all"], default="clic", help="simulated networks"),
           option("--placement", choices=["ordered", "scattered"], default="ordered", help="order of hosts"),
           drawn_sizes(3), SEED]


def points(options):
    random, found = Random(options.seed), []
    for cluster in CLUSTERS if options.clusters == "all" else [options.clusters]:
        for factors in ["exact", "stock"] if options.factors == "both" else [options.factors]:
            for ranks in CLUSTERS[cluster]:
                for operation in PLANS:
                    longest = BLOCKS if operation in OF_BLOCKS else VECTORS
                    sizes = sorted({round(drawn_logarithmically(random, 8, longest))
                                    for _ in range(options.sizes)})
                    found.append({"cluster": cluster, "factors": factors, "ranks": ranks,
                                  "operation": operation, "sizes": sizes})
    return found


def prices(network, operation, ranks, sizes, plans):
    return tutti_json("price", operation, "--network", network, "--ranks", ranks, "--sizes",
                      ",".join(map(str, sizes)), *named(plans))


def compare(simulated, networks, cluster, factors, ranks, operation, sizes):
    plans = [plan.replace("GRID", GRIDS[ranks]) for plan in PLANS[operation]]
    with_groups, without = (prices(network, operation, ranks, sizes, plans) for network in networks)
    ordered = [plan for plan in plans if plan.startswith("near(")]  # by the network
    times, others = (simulated.measure(operation, sizes, ranks, run, "--network", network) if run else {}
                     for network, run in zip(networks, [plans, ordered]))
    for price, other in zip(with_groups, without):
        record = {"cluster": cluster, "factors": factors, "ranks": ranks, "operation": operation,
                  "bytes": price["size"], "plan": price["plan"], "predicted_ms": price["seconds"] * 1e3,
                  "without_groups_ms": other["seconds"] * 1e3}
        for field, runs in (("simulated_ms", times), ("simulated_without_groups_ms", others)):
            if isinstance(runs, str):
                record[field] = runs
            elif (price["size"], price["plan"]) in runs:
                record[field] = runs[price["size"], price["plan"]]
        yield record


def write_groups(cluster, file):
    """Lines of a host and its groups, the innermost first, for all hosts of a network."""
    with open(file, "w", encoding="utf-8") as groups:
        for number, host in enumerate(PLATFORMS[cluster][1]):
            names = [f"{level}-{number // hosts}" for level, hosts in LEVELS[cluster].items()]
            groups.write(f"{host} {' '.join(names)}\n")


def write_without_groups(network, file):
    with open(network, encoding="utf-8") as text:
        known = json.load(text)
    with open(file, "w", encoding="utf-8") as text:
        json.dump({key: value for key, value in known.items() if key not in ("groups", "group_of")}, text)


def measure(options, points):
    for name, factors in dict.fromkeys((point["cluster"], point["factors"]) for point in points):
        hosts = PLATFORMS[name][1]
        if options.placement == "scattered":
            hosts = Random(options.seed).sample(hosts, CLUSTERS[name][0])
        cluster = Cluster(name, factors == "exact", hosts=hosts)
        with tempfile.TemporaryDirectory() as folder:
            groups, network, without = (f"{folder}/{file}" for file in ("groups", "network", "without"))
            if told := name in LEVELS:
                write_groups(name, groups)
            cluster.probe(CLUSTERS[name][0], network, *(["--groups", groups] if told else []))
            write_without_groups(network, without)
            for point in points:
                if (point["cluster"], point["factors"]) == (name, factors):
                    yield from compare(cluster, [network, without], *point.values())


def ranks_of(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    return {index: rank for rank, index in enumerate(order)}


def rank_correlation(a, b):
    """Spearman's, which one value alone has not."""
    of_a, of_b, n = ranks_of(a), ranks_of(b), len(a)
    return None if n < 2 else 1 - 6 * sum((of_a[i] - of_b[i]) ** 2 for i in range(n)) / (n * (n * n - 1))


def simulated_ms(record, by):
    """The time of what was priced: without groups the order of ranks may have been another one."""
    without = record.get("simulated_without_groups_ms")
    return record["simulated_ms"] if by == "predicted_ms" or without is None else without


def known_times(records):
    return [r for r in records if not any(isinstance(simulated_ms(r, by), str) for by in PRICES)]


def of_plans(records):
    """A row for each network and number of ranks: how far prices are from simulated times."""
    for (cluster, factors, ranks), plans in by_fields(records, ["cluster", "factors", "ranks"]).items():
        known = known_times(plans)
        if not known:
            continue
        row = {"cluster": cluster, "factors": factors, "ranks": ranks, "plans": len(known)}
        for by in PRICES:
            times = [simulated_ms(r, by) for r in known]
            errors = [abs(r[by] / time - 1) for r, time in zip(known, times)]
            row |= {f"{by}_median": statistics.median(errors), f"{by}_worst": max(errors),
                    f"{by}_order": rank_correlation([r[by] for r in known], times)}
        yield row


def of_choices(records):
    """A row for each network and number of ranks: how much slower the cheapest plan is than the fastest."""
    for (cluster, factors, ranks), plans in by_fields(records, ["cluster", "factors", "ranks"]).items():
        known = known_times(plans)
        places = [place for place in by_fields(known, ["operation", "bytes"]).values() if len(place) > 1]
        if not places:
            continue
        row = {"cluster": cluster, "factors": factors, "ranks": ranks, "points": len(places)}
        for by in PRICES:
            slower = [simulated_ms(min(place, key=lambda r, by=by: r[by]), by) /
                      min(simulated_ms(r, by) for r in place) for place in places]
            row |= {f"{by}_near": f"{sum(ratio <= 1.05 for ratio in slower)} of {len(places)}",
                    f"{by}_slowest": max(slower)}
        yield row


def of_prices(by, words):
    return [Column(f"median error{words}", f"{by}_median", ".1%"), Column("worst", f"{by}_worst", ".1%"),
            Column("rank correlation", f"{by}_order", ".3f")]


TABLES = [
    Table("Predicted beside simulated times", [
        Column("network", "cluster"), Column("factors", "factors"), Column("ranks", "ranks"),
        Column("plans", "plans"), *of_prices("predicted_ms", ""),
        *of_prices("without_groups_ms", " without groups")], rows=lambda records: list(of_plans(records))),
    Table("The cheapest plan by price beside the fastest of those of its operation and size", [
        Column("network", "cluster"), Column("factors", "factors"), Column("ranks", "ranks"),
        Column("within 5 %", "predicted_ms_near"), Column("slowest", "predicted_ms_slowest", ".2f"),
        Column("within 5 %, without groups", "without_groups_ms_near"),
        Column("slowest", "without_groups_ms_slowest", ".2f")], rows=lambda records: list(of_choices(records)))]
