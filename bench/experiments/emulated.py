"""What tuning gains on an emulated cluster.

Hosts on switched Fast Ethernet with real MPI over real TCP. Tunes, then measures what the table
chose against the native operation once more, with fresh repetitions. Needs root."""

import tempfile

from driver.options import HOSTS, MPI, budget, ops, option, words
from shared.emulation import AGAIN, Emulated

OPTIONS = [HOSTS, MPI, ops(["bcast", "allgather", "allreduce", "gather", "reduce_scatter", "alltoall"]),
           option("--sizes", type=words, default="1K,10K,100K,500K",
                  help="bytes: the whole vector, or one rank's block"),
           budget("300s"), option("--seconds", default="4", help="seconds for each point measured again")]


def points(options):
    return [{"operation": operation, "bytes": size} for operation in options.ops for size in options.sizes]


def measure(options, points):
    cluster = Emulated(options.mpi, options.hosts)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        table = cluster.tune(file.name, "--ops", ",".join(options.ops), "--sizes", ",".join(options.sizes),
                             "--budget", options.budget)
    yield from cluster.measure_again(table, "--seconds", options.seconds)


TABLES = [AGAIN]
