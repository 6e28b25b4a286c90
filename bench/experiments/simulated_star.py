"""Eight collectives on simulated hosts on Fast Ethernet (CLiC), beside three libraries' choices.

Each library's choice is SimGrid's selector of that name, run in a simulation of its own, because
some of its algorithms abort or deliver nothing off the powers of two: that is recorded, and does
not count as a peer. Beside it the best plan of all that Tutti has, and Open MPI's choice.
Simulated times repeat exactly; every result is checked."""

from driver.options import JOBS, ops, option, peers, sizes
from shared.side_by_side import SideBySide, compare
from shared.simulation import SELECTORS, Cluster

LONGEST = {"alltoall": 102400}
OPTIONS = [
    option("--ranks", type=int, default=96, help="number of simulated hosts, a rank on each"),
    option("--factors", choices=["stock", "exact"], default="stock",
           help="SimGrid's network factors, or exact Hockney links"),
    ops(["bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reduce_scatter"]),
    sizes([1024, 10240, 102400, 512000]), peers(SELECTORS), JOBS]


def points(options):
    found = [{"operation": operation,
              "sizes": [size for size in options.sizes if size <= LONGEST.get(operation, size)],
              "plans": ["all"]} for operation in options.ops]
    return [point for point in found if point["sizes"]]


def measure(options, points):
    cluster = Cluster("clic", options.factors == "exact")
    yield from compare(cluster, options.ranks, options.peers, points, options.jobs)


TABLES = [SideBySide("{ranks} ranks, {factors} factors")]
