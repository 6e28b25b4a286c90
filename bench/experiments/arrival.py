"""Programs in which ranks come late to a collective: tables tuned with all on time, and learning.

On emulated hosts: operations, sizes and computing times, during which ranks sleep, are drawn at
random, and ranks come late: one always, each in turn, or at random. Each program runs natively; under
a table that is tuned with all ranks on time, and one that is tuned with ranks as late as a profile of
the program says (`tutti tune --for profile --arrival profile`); and three times learning, from no
knowledge on. Needs root."""

import tempfile
from random import Random

from driver.options import HOSTS, MPI, SEED, budget, option
from driver.tables import Column, Table
from shared.emulation import Emulated
from shared.figures import drawn_logarithmically, geometric_mean
from shared.learning_runs import LEARNING
from shared.tutti import BUILD

ARRIVALS = ["one-late", "turns", "random"]
OPERATIONS = ["bcast", "reduce", "allreduce", "allgather"]
TABLES_OF = ["on time", "as late"]
RUNS = [*TABLES_OF, *LEARNING]
OPTIONS = [MPI, HOSTS, option("--programs", type=int, default=9, help="number of programs drawn"),
           option("--iterations", type=int, default=400, help="number of iterations of each program"),
           budget("15s", "time for each table"), SEED]


def points(options):
    random = Random(options.seed)
    return [{"operation": (operation := random.choice(OPERATIONS)),
             "bytes": round(drawn_logarithmically(random, 8, 1024 if operation == "allgather" else 8192)) * 8,
             "arrival": ARRIVALS[number % len(ARRIVALS)],
             "computing_ms": round(drawn_logarithmically(random, 0.2, 5), 2),
             "seed": random.randrange(1000)}
            for number in range(options.programs)]


def measure(options, points):
    cluster = Emulated(options.mpi, options.hosts)
    for point in points:
        program = [BUILD / f"bin/late-{options.mpi}", point["operation"], point["bytes"], point["arrival"],
                   point["computing_ms"], options.iterations, point["seed"]]
        with tempfile.TemporaryDirectory() as folder:

            def seconds(variables):
                return float(cluster.launch(program, variables))

            profile = f"{folder}/profile.json"
            found = {"native": seconds(None)}
            seconds({"TUTTI_PROFILE": profile})
            for kind, arrival in zip(TABLES_OF, [[], ["--arrival", profile]]):
                table = f"{folder}/{kind}.json"
                cluster.run("tune", "-o", table, "--for", profile, *arrival, "--budget", options.budget)
                found[kind] = seconds({"TUTTI_FLOAT_SUMS": "any", "TUTTI_TABLE": table})
            learning = {"TUTTI_FLOAT_SUMS": "any", "TUTTI_LEARN": "1", "TUTTI_CACHE": f"{folder}/knowledge"}
            for run in LEARNING:
                found[run] = seconds(learning)
        yield point | found


def speedup(run):
    return lambda record: record["native"] / record[run]


def summary(records):
    means = ", ".join(f"{run} {geometric_mean(list(map(speedup(run), records))):.3f}" for run in RUNS)
    slower = ", ".join(f"{run} {sum(speedup(run)(r) < 1 / 1.05 for r in records)}" for run in RUNS)
    return [f"Geometric mean of the speed-ups: {means}.", f"Slower by more than 5 %: {slower}."]


TABLES = [Table("Seconds natively, and speed-up", [
    Column("operation", "operation"), Column("bytes", "bytes"),
    Column("arrival", "arrival"), Column("computing ms", "computing_ms"),
    Column("native s", "native", ".3f"), *(Column(run, speedup(run), ".3f") for run in RUNS)],
    notes=summary)]
