"""Plans that keep the bulk near, on simulated networks whose middle is narrow.

A dragonfly, a fat tree that is tapered above its leaves, and a torus, with hosts in order or drawn at
random, as a scheduler hands them out; exact links. Each point has the choices of three MPI
libraries, what tuning finds on the network that was probed there, the best of the plans whose
largest exchanges are with the nearest ranks, and the best of those whose are with the farthest, or
that know no order. Every result is checked."""

import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from random import Random

from driver.options import JOBS, SEED, budget, drawn_sizes, joined, numbers, ops, option, peers, some_of
from driver.tables import Column, Table, by_fields
from shared.figures import drawn_logarithmically, geometric_mean, mean_in_words
from shared.side_by_side import measure_each, times_of_peers
from shared.simulation import PLATFORMS, SELECTORS, Cluster
from shared.tutti import tuned_points

NETWORKS = ["dragonfly", "tapered", "t3e"]
NEAR = {
    "bcast": ["bine", "bine_scatter_allgather", "scatter_allgather(circulant_near)",
              "scatter_allgather(recursive_doubling_near)"],
    "reduce": ["bine", "bine_reduce_scatter_gather"],
    "allreduce": ["bine", "circulant(near)", "rabenseifner"],
    "allgather": ["bine", "circulant(near)", "recursive_doubling(near)", "bruck(largest=near)", "ring"],
    "reduce_scatter": ["bine", "circulant(near)", "recursive_halving(near)"],
    "alltoall": ["bine", "pairwise"],
}
OTHERS = {
    "bcast": ["binomial", "knomial", "circulant", "scatter_allgather", "scatter_allgather(recursive_doubling)"],
    "reduce": ["binomial", "knomial", "circulant", "rabenseifner"],
    "allreduce": ["recursive_doubling", "recursive_multiplying", "circulant", "ring", "binary_blocks"],
    "allgather": ["circulant", "recursive_doubling", "bruck", "spreading_simple"],
    "reduce_scatter": ["circulant", "recursive_halving", "recursive_doubling", "pairwise"],
    "alltoall": ["bruck", "bruck(4)", "linear"],
}
PLACEMENTS = ["ordered", "scattered"]
OF_BLOCKS = ["allgather", "alltoall"]
NOT_TUNED = "not within the budget"
SAID_OF_IT = ["is too small to measure", "has not ended within"]  # by `tutti tune`
LEAST, MOST = 64, 4 << 20  # bytes of the whole vector
OPTIONS = [
    option("--platforms", type=some_of(PLATFORMS), default=joined(NETWORKS), metavar="PLATFORMS",
           help="simulated networks, separated by commas"),
    option("--ranks", type=numbers, default="60,128,251", metavar="NUMBERS", help="numbers of ranks"),
    option("--per-host", type=numbers, default="1,4", metavar="NUMBERS", help="numbers of ranks on a host"),
    option("--placements", type=some_of(PLACEMENTS), default=joined(PLACEMENTS), metavar="WORDS",
           help="orders of hosts: ordered, scattered"),
    ops(NEAR, others=False), option("--vectors", type=numbers, default="", metavar="BYTES",
                      help="sizes of vectors in bytes, in place of drawn ones"),
    drawn_sizes(2), budget("120s", "time for tuning an operation's sizes"), peers(SELECTORS), SEED, JOBS]


def hosts_needed(ranks, per_host):
    return -(-ranks // per_host)


def points(options):
    """Ranks on hosts, and for each operation the sizes that are drawn there."""
    random, found = Random(options.seed), []
    for platform in options.platforms:
        for ranks in options.ranks:
            for per_host in options.per_host:
                if hosts_needed(ranks, per_host) > len(PLATFORMS[platform][1]):
                    continue
                sizes = {}  # the same for all orders of hosts
                for operation in options.ops:
                    drawn = [drawn_logarithmically(random, LEAST, MOST) for _ in range(options.sizes)]
                    share = ranks if operation in OF_BLOCKS else 1
                    sizes[operation] = sorted({max(1, round(n / share)) for n in options.vectors or drawn})
                draw = random.randrange(10000)
                found += [{"platform": platform, "ranks": ranks, "per_host": per_host, "placement": placement,
                           "draw": draw, "sizes": sizes} for placement in options.placements]
    return found


def hosts_of_ranks(point):
    """The platform's first hosts, or any of them in any order."""
    hosts = PLATFORMS[point["platform"]][1]
    number = hosts_needed(point["ranks"], point["per_host"])
    chosen = hosts[:number] if point["placement"] == "ordered" else Random(point["draw"]).sample(hosts, number)
    return [host for host in chosen for _ in range(point["per_host"])][:point["ranks"]]


def fastest(times, plans):
    plan = min(plans, key=times.get)
    return plan, times[plan]


def tuned(cluster, ranks, network, operation, sizes, budget):
    """By size, the plan that tuning chooses and its milliseconds; of what it does not get to, why."""
    found = dict.fromkeys(sizes, (NOT_TUNED, "-"))
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        try:
            table = cluster.tune(ranks, file.name, operation, "--sizes", joined(sizes), "--network", network,
                                 "--budget", budget)
        except subprocess.CalledProcessError as failure:
            if not any(words in failure.stderr for words in SAID_OF_IT):
                raise
            return found
    return found | {size: (plan, ms) for _, size, plan, _, ms in tuned_points(table)}


def records_at(point, options):
    ranks = point["ranks"]
    cluster = Cluster(point["platform"], True, hosts=hosts_of_ranks(point))
    kept = {field: point[field] for field in ("platform", "ranks", "per_host", "placement")}
    with tempfile.NamedTemporaryFile(suffix=".json") as network:
        cluster.probe(ranks, network.name)
        for operation, sizes in point["sizes"].items():
            near, others = NEAR[operation], OTHERS[operation]
            ours = measure_each(cluster, operation, sizes, ranks, near + others, options.peers[0])
            choices = {peer: measure_each(cluster, operation, sizes, ranks, ["native"], peer)
                       for peer in options.peers}
            found = tuned(cluster, ranks, network.name, operation, sizes, options.budget)
            for size in sizes:
                if isinstance(ours[size], str):
                    raise SystemExit(f"{kept} {operation} {size} bytes: {ours[size]}")
                record = {**kept, "operation": operation, "bytes": size}
                for name, (plan, ms) in (("near", fastest(ours[size], near)),
                                         ("other", fastest(ours[size], others)), ("tuned", found[size])):
                    record |= {f"{name}_plan": plan, f"{name}_ms": ms}
                yield record | {f"peer_{peer}_ms": c if isinstance(c := choices[peer][size], str)
                                else c["native"] for peer in options.peers}


def measure(options, points):
    with ThreadPoolExecutor(options.jobs) as pool:
        for records in pool.map(lambda point: list(records_at(point, options)), points):
            yield from records


def best_of_peers(record):
    return min((t for t in times_of_peers(record).values() if not isinstance(t, str)), default=None)


def microseconds(field):
    def of(record):
        value = record[field]
        return value if isinstance(value, str) else value * 1e3
    return of


def is_tuned(record):
    return record["tuned_plan"] != NOT_TUNED


def over_best(record):
    best = best_of_peers(record)
    return "-" if best is None or not is_tuned(record) else best / record["tuned_ms"]


def means(records):
    ratios = [ratio for r in records if not isinstance(ratio := over_best(r), str)]
    gains = [min(r["other_ms"], r["near_ms"]) / r["other_ms"] for r in records]
    named = [r["tuned_ms"] / min(r["other_ms"], r["near_ms"]) for r in records if is_tuned(r)]
    if not named:
        return ["Nothing was tuned within the budget."]
    slower = [f"{r['operation']} {r['bytes']} ({r['ranks']})" for r in records
              if not isinstance(over_best(r), str) and over_best(r) < 1 - 1e-9]
    return [f"Geometric mean over the best of them: {mean_in_words(ratios)}.",
            f"What is tuned over the best of the plans that are named: {geometric_mean(named):.2f}.",
            f"With near plans over without: {geometric_mean(gains):.2f} of the time.",
            f"Above the best of them: {', '.join(slower) or 'never'}. "
            f"Not tuned within the budget: {len(records) - len(named)} of {len(records)}."]


class Beside(Table):
    """A column for each peer, and the means of the table."""

    def layout(self, records):
        return [*(Column(name.replace("_", " "), name)
                  for name in ("ranks", "per_host", "operation", "bytes")),
                *(Column(peer, microseconds(f"peer_{peer}_ms"), ".1f") for peer in times_of_peers(records[0])),
                Column("without near ones", microseconds("other_ms"), ".1f"), Column("plan", "other_plan"),
                Column("near", microseconds("near_ms"), ".1f"), Column("plan", "near_plan"),
                Column("tuned", microseconds("tuned_ms"), ".1f"), Column("plan", "tuned_plan"),
                Column("over best", over_best, ".2f")], records


POINT = ("ranks", "per_host", "operation", "bytes")


def in_both_orders(records):
    """Records of points that were tuned on hosts in order and on scattered ones: microseconds of both."""
    pairs = []
    for of_point in by_fields([r for r in records if is_tuned(r)], POINT).values():
        times = {r["placement"]: r["tuned_ms"] * 1e3 for r in of_point}
        if len(times) == len(PLACEMENTS):
            pairs.append({field: of_point[0][field] for field in POINT} | times)
    return pairs


def scattered_over_ordered(pair):
    return pair["scattered"] / pair["ordered"]


class OfOrders(Table):
    """What is tuned on scattered hosts beside what is on hosts in order, where there are both."""

    def groups(self, result):
        for title, records in super().groups(result):
            if pairs := in_both_orders(records):
                yield title, pairs


TABLES = [Beside("{platform}, hosts {placement}, microseconds; bytes: the whole vector, or one rank's block",
                 None, group=("platform", "placement"), notes=means),
          OfOrders("{platform}: tuned plans on scattered hosts over those on hosts in order, microseconds",
                   [*(Column(field.replace("_", " "), field) for field in POINT),
                    *(Column(placement, placement, ".1f") for placement in PLACEMENTS),
                    Column("ratio", scattered_over_ordered, ".2f")], group=("platform",),
                   notes=lambda pairs: [
                       f"Geometric mean: {geometric_mean([*map(scattered_over_ordered, pairs)]):.2f}."])]
