"""Learning of alltoallvs with counts at random, of which each rank knows only its own.

Programs on 16 hosts on switched Fast Ethernet, simulated or emulated: an iteration has one to three
alltoallvs, the mean block of each drawn from 32 bytes to 8 KB, with ranks that give or get more
than others, one block in ten empty; drawn once for a program, or anew for each call. Each program
runs natively and three times learning, from no knowledge on. Times are those of all iterations;
emulated ones are medians over repetitions, each of which begins with no knowledge. Emulation needs
root."""

import json
from random import Random

from driver.options import HOSTS, MPI, SEED, option, repetitions
from shared.emulation import Emulated
from shared.learning_runs import TABLES, measured
from shared.simulation import Cluster
from shared.tutti import BUILD

OPTIONS = [
    HOSTS, MPI, option("--simulated", action="store_true",
                       help="simulated hosts in place of emulated ones, one repetition"),
    option("--programs", type=int, default=6, help="number of programs drawn"),
    option("--iterations", type=int, default=1000,
           help="number of iterations of each program"), repetitions(3),
    option("--selector", default="mvapich2", help="SimGrid's selector that is taken as native"), SEED]


def points(options):
    random = Random(options.seed)
    return [{"program": f"{counts} {seed}", "counts": counts, "seed": seed}
            for counts, seed in ((("once", "anew")[i % 2], random.randrange(1, 10**6))
                                 for i in range(options.programs))]


def runner(options):
    """A function that runs a program under variables, natively without any; seconds."""
    if options.simulated:
        cluster = Cluster("clic", exact=False)
        return lambda words, variables: json.loads(
            cluster.launch(options.hosts, "irregular", *words, variables=variables,
                           selector=options.selector))["seconds"]
    emulated = Emulated(options.mpi, options.hosts)
    return lambda words, variables: json.loads(
        emulated.launch([BUILD / f"bin/irregular-{options.mpi}", *words], variables))["seconds"]


def measure(options, points):
    run = runner(options)
    return measured(lambda point, variables: run([point["counts"], options.iterations, point["seed"]], variables),
                    points, 1 if options.simulated else options.repetitions)
