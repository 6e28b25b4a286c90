"""Halo exchange by MPI_Neighbor_alltoall on a 27-point stencil: native, direct, and combined.

At sizes drawn at random from 8 bytes to 64 KB, on a simulated star and T3E of 96 processors, with
the network's factors as they are measured and exact. Native means there that all messages are
posted at once in the order of the neighbours, for SimGrid has no such operation. With --emulated
real MPI on emulated hosts, which needs root."""

from random import Random

from driver.options import HOSTS, SEED, drawn_sizes, option
from driver.tables import Column, Table
from shared.emulation import Emulated
from shared.simulation import Cluster

PLANS = ["direct", "combining"]
OPTIONS = [option("--emulated", choices=["openmpi", "mpich"],
                  help="MPI library on emulated hosts, in place of simulation"), HOSTS,
           drawn_sizes(5, "sizes drawn"), SEED]


def points(options):
    random = Random(options.seed)
    sizes = sorted({round(2 ** random.uniform(3, 16)) for _ in range(options.sizes)})
    if options.emulated:
        return [{"network": f"{options.hosts} emulated hosts, {options.emulated}", "sizes": sizes}]
    return [{"network": f"{platform}, 96 ranks, {'exact links' if exact else 'measured factors'}",
             "sizes": sizes,
             "platform": platform, "exact": exact} for platform in ("clic", "t3e") for exact in (False, True)]


def measure(options, points):
    for point in points:
        if options.emulated:
            measured = Emulated(options.emulated, options.hosts).measure("neighbor_alltoall", point["sizes"],
                                                                         PLANS, "--repetitions", 40)
            times = {(m["size"], m["plan"]): 1e3 * m["median_s"] for m in measured}
        else:
            times = Cluster(point["platform"], point["exact"]).measure("neighbor_alltoall", point["sizes"],
                                                                       96, PLANS)
        for size in point["sizes"]:
            yield {"network": point["network"], "bytes": size,
                   **{f"{plan}_ms": times[size, plan] for plan in ["native", *PLANS]}}


TABLES = [Table("{network}; native's time over the plan's", [
    Column("bytes", "bytes"), Column("native ms", "native_ms", ".3f"),
    *(Column(plan, lambda r, plan=plan: r["native_ms"] / r[f"{plan}_ms"], ".2f") for plan in PLANS)],
    group=["network"])]
