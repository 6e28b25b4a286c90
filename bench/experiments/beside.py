"""What Tutti costs a program that does more than call collectives again and again.

Communicators that are made, used for two calls and freed, and one-sided accesses to a rank that
waits in a barrier in memory. Ranks and sizes are drawn at random; natively and under Tutti in
turn, the median of each."""

import re
import statistics
import subprocess
from random import Random

from driver.options import MPI, SEED, option
from driver.tables import Column, Table, by_fields
from shared.figures import take_turns
from shared.here import launch
from shared.tutti import BUILD

PLANS = ["native", "recursive_doubling", "memory_reduce", "grid(balanced)"]
# With a plan for nonblocking calls a communicator is ready for them when it is made.
COMMUNICATORS = {"native": None, **{f"Tutti, {plan}": {"TUTTI_ALLREDUCE": plan} for plan in PLANS},
                 "Tutti, ready for MPI_Iallreduce": {"TUTTI_IALLREDUCE": "recursive_doubling"}}
ACCESSES = {"native": None, "Tutti, memory_flags": {"TUTTI_BARRIER": "memory_flags"}}
FIGURES = ["made", "first", "second", "freed"]
OPTIONS = [MPI, option("--points", type=int, default=4,
                       help="number of points drawn for communicators, and again for accesses"),
           option("--most-ranks", type=int, default=4, help="largest number of ranks"),
           option("--turns", type=int, default=5, help="number of runs of each kind"), SEED]


def points(options):
    random, found = Random(options.seed), []
    for _ in range(options.points):
        ranks, elements = random.randint(2, options.most_ranks), int(2 ** random.uniform(0, 11))
        found.append({"kind": "communicators", "ranks": ranks, "bytes": 8 * elements,
                      "number": random.randint(200, 1000)})
    for _ in range(options.points):
        ranks = random.randint(2, options.most_ranks)
        found.append({"kind": "accesses", "ranks": ranks, "number": random.randint(500, 3000)})
    return found


def run(mpi, ranks, variables, *program):
    """What a program prints, on both streams."""
    quiet = {} if variables is None else {"TUTTI_FALLBACK": "silent", **variables}
    return launch(mpi, ranks, program, quiet or None,
                  [BUILD / "lib/libyields_when_idle.so"] if mpi == "mpich" else [], stderr=subprocess.STDOUT,
                  timeout=300)


def measure(options, points):
    for point in points:
        def of_communicators(variables):
            program = [BUILD / f"bin/communicators-{options.mpi}", point["number"], point["bytes"] // 8]
            said = run(options.mpi, point["ranks"], variables, *program)
            return dict(zip(FIGURES, map(float, said.split())))

        def of_accesses(variables):
            osc = ["OMPI_MCA_osc=pt2pt"] if options.mpi == "openmpi" else []
            said = run(options.mpi, point["ranks"], variables, "env", *osc,
                       BUILD / f"bin/programs/rma_in_barrier-{options.mpi}", point["number"])
            return {"access": float(re.search(r"([\d.]+) us an access", said).group(1))}

        kinds, of_one = ((COMMUNICATORS, of_communicators) if point["kind"] == "communicators" else
                         (ACCESSES, of_accesses))
        for name, turns in take_turns(options.turns, kinds, of_one).items():
            yield from ({**point, "run": name, **figures} for figures in turns)


def medians(records):
    for (run_name,), turns in by_fields(records, ["run"]).items():
        yield {"run": run_name, **{name: statistics.median(turn[name] for turn in turns)
                                   for name in [*FIGURES, "access"] if name in turns[0]}}


def over_native(records):
    rows = list(medians(records))
    return [{**row, "ratio": row["access"] / rows[0]["access"]} for row in rows]


TABLES = [
    Table("{number} communicators of {ranks} ranks, {mpi}, allreduces of {bytes} bytes; microseconds each", [
        Column("", "run"), *(Column(name, name, ".1f") for name in FIGURES),
        Column("all", lambda row: sum(row[name] for name in FIGURES), ".1f")], kind="communicators",
        group=["ranks", "bytes", "number"], rows=lambda records: list(medians(records))),
    Table("2 x {number} one-sided accesses to a rank in a barrier, {ranks} ranks, {mpi}; microseconds each", [
        Column("", "run"), Column("us", "access", ".2f"), Column("over native", "ratio", ".2f")],
          kind="accesses",
        group=["ranks", "number"], rows=over_native)]
