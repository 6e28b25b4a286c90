"""Broadcast and allreduce on 1024 simulated ranks of a fat tree, beside three libraries' choices.

16 ranks on each of 64 hosts of a 100 Gbit/s fat tree: compositions by hosts (grids and full
lanes), with the phases' plans that `tutti price` finds fastest on such a network. Exact links;
every result is checked."""

from driver.options import JOBS, ops, peers
from shared.side_by_side import SideBySide, compare
from shared.simulation import SELECTORS, Cluster

RANKS = 1024
# Sizes, and the plans for them.
SHORT, LONG = [8, 128, 1024, 8192], [65536, 1048576]
PLANS = {
    "bcast": [
        (SHORT, ["grid(node)[linear]", "grid(node)[grid(8x8)[linear],linear]", "grid(node)[knomial,linear]",
                 "lanes(node)[linear,knomial,linear]"]),
        (LONG, ["lanes(node)[linear,knomial,linear]", "lanes(node)[linear,circulant,linear]",
                "lanes(node)[linear,scatter_allgather(recursive_doubling),linear]"])],
    "allreduce": [
        (SHORT, ["grid(node)[recursive_multiplying(8),recursive_multiplying(16)]",
                 "lanes(node)[recursive_halving,recursive_multiplying(8),linear]",
                 "lanes(node)[recursive_halving,recursive_multiplying,linear]"]),
        (LONG, ["lanes(node)[recursive_halving,rabenseifner,linear]",
                "lanes(node)[pairwise,rabenseifner,linear]"])]}
OPTIONS = [ops(PLANS, others=False), peers(SELECTORS), JOBS]


def points(options):
    return [{"operation": operation, "sizes": sizes, "plans": plans}
            for operation in options.ops for sizes, plans in PLANS[operation]]


def measure(options, points):
    yield from compare(Cluster("fat", True), RANKS, options.peers, points, options.jobs)


TABLES = [SideBySide(f"{RANKS} ranks on 64 hosts")]
