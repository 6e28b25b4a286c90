"""What a table that is tuned within a budget brings on hundreds and thousands of simulated ranks.

16 ranks on each host of a fat tree, stock factors: every tuned point beside what three MPI
libraries choose there. A peer's choice that does not end within its share of the time is said to
be late; points that did not fit into the budget are missing."""

import tempfile
from concurrent.futures import ThreadPoolExecutor

from driver.options import JOBS, budget, ops, option, sizes
from shared.side_by_side import SideBySide, record_of
from shared.simulation import SELECTORS, Cluster
from shared.tutti import tuned_points

OPTIONS = [
    option("--ranks", type=int, default=512, help="number of simulated ranks"),
    budget("900s", "time for the whole table"),
    option("--seconds", type=float, default=60, help="seconds for each choice of a peer library"),
    ops(["bcast", "reduce", "allreduce", "reduce_scatter_block", "allgather", "alltoall"]),
    sizes([8, 128, 1024, 8192, 65536, 1048576]), JOBS]


def points(options):
    return [{"operation": operation, "bytes": size} for operation in options.ops for size in options.sizes]


def measure(options, points):
    # SimGrid 3.32 aborts on so many flows with its default.
    cluster = Cluster("fat", False, ["--cfg=maxmin/precision:1e-3"])
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        table = cluster.tune(options.ranks, file.name, *options.ops, "--sizes",
                             ",".join(map(str, options.sizes)), "--budget", options.budget)

    def beside_peers(point):
        operation, size, plan, native, tuned = point
        peers = {"ompi": native}
        for peer in SELECTORS[1:]:
            times = cluster.measure(operation, [size], options.ranks, ["native"], "--seconds",
                                    str(options.seconds), selector=peer)
            peers[peer] = times if isinstance(times, str) else times.get((size, "native"), "late")
        return record_of(operation, size, peers, plan, tuned)

    with ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(beside_peers, tuned_points(table))


TABLES = [SideBySide("{ranks} ranks, tuned within {budget}",
                     notes=lambda records: [f"Points: {len(records)}."])]
