"""Learning in programs of nonblocking collectives only, beside a table that was tuned for them.

Programs on emulated hosts on switched Fast Ethernet: an iteration starts one to three collectives
(MPI_Ibcast, MPI_Ireduce, MPI_Iallreduce, MPI_Iallgather of 1 KB to 256 KB, drawn once for a program),
computes for a while without a look at them, and waits. No collective blocks. With --calls
persistent they are started as persistent requests, for which the MPI has to have MPI 4; where
several are under way MPICH 4.0 may hang in them natively. Each program runs natively, three times
learning, from no knowledge on, and under the table. Times are those of all iterations, medians over
repetitions. Needs root."""

import json
import tempfile
from pathlib import Path
from random import Random

from driver.options import HOSTS, MPI, SEED, option, repetitions
from shared.emulation import Emulated
from shared.learning_runs import TABLES, measured
from shared.tutti import BUILD

OPTIONS = [
    HOSTS, MPI, option("--programs", type=int, default=4, help="number of programs drawn"),
    option("--iterations", type=int, default=400, help="number of iterations of each program"),
    option("--computing", type=int, default=2000, metavar="US",
           help="computing time of an iteration, microseconds"),
    option("--calls", choices=["nonblocking", "persistent"], default="nonblocking",
           help="kind of the collectives"),
    option("--budget", default="120s", help="time for the table; 0: without one"), repetitions(3), SEED]


def points(options):
    random = Random(options.seed)
    return [{"program": str(seed), "seed": seed}
            for seed in (random.randrange(1, 10**6) for _ in range(options.programs))]


def measure(options, points):
    emulated = Emulated(options.mpi, options.hosts)

    def run(point, variables):
        words = [options.iterations, point["seed"], options.computing, options.calls]
        return json.loads(emulated.launch([BUILD / f"bin/nonblocking-{options.mpi}", *words],
                                          variables))["seconds"]

    with tempfile.TemporaryDirectory() as folder:
        table, others = Path(folder) / "table.json", []
        if options.budget != "0":
            emulated.tune(table, "--ops", "ibcast,ireduce,iallreduce,iallgather", "--sizes",
                          "1KB,8KB,64KB,256KB", "--budget", options.budget)
            others = [("table", {"TUTTI_TABLE": str(table)})]
        yield from measured(run, points, options.repetitions, others)
