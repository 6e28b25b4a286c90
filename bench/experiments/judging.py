"""By which time plans should be compared while a program runs, on an emulated cluster.

16 hosts on switched Fast Ethernet with real MPI over real TCP. Programs are drawn at random: a
collective, its size, the computing in an iteration, whether a broadcast follows, a plan, and how
ranks arrive: balanced, one always late, each late in turn, or at random. Each is compared with
itself natively by whole stretches of the program, which is the truth, and by what is measured of
stints that take turns, as learning's do: the time in calls, of all ranks or of the one that spent
most, the time from call to call, and what learning makes of these. How often each of them says the
same as the program where that differs by more than 3 %, and how far off it is. Needs root."""

import json
import math
from random import Random

from driver.options import HOSTS, MPI, SEED, option
from driver.tables import Column, Table, by_fields
from shared.emulation import Emulated
from shared.figures import drawn_logarithmically, geometric_mean
from shared.tutti import BUILD

ARRIVALS = ["balanced", "one-late", "turns", "random"]
PLANS = {"allgather": ["ring", "bruck", "neighbor_exchange", "recursive_doubling", "linear"],
         "allreduce": ["ring", "knomial(8)", "recursive_doubling", "reduce_bcast",
                       "via(reduce_scatter_block,allgather)"],
         "bcast": ["binomial", "circulant(2048)", "via(scatter,allgather)", "linear", "grid(2x2x4)"],
         "reduce": ["binomial", "circulant(4096)", "knomial(4)", "linear", "grid(2x2x4)"]}
TRUTH = "the program"
JUDGES = ["in call, all ranks", "in call, the last rank", "from call to call", "as learning judges"]
MATTERS = math.log(1.03)
OPTIONS = [MPI, HOSTS, option("--programs", type=int, default=32, help="programs drawn"), SEED]


def drawn(random, arrival):
    """The words that describe a program."""
    operation = random.choice(list(PLANS))
    size = round(drawn_logarithmically(random, 64, 2048 if operation == "allgather" else 8192)) * 8
    follower = round(drawn_logarithmically(random, 64, 2048)) * 8 if random.random() < 0.5 else 0
    plan = random.choice(PLANS[operation])
    return {"operation": operation, "bytes": size, "plan": plan, "arrival": arrival,
            "computing_ms": f"{drawn_logarithmically(random, 0.2, 5):.2f}", "broadcast": follower,
            "seed": random.randrange(1000)}


def points(options):
    random = Random(options.seed)
    return [drawn(random, ARRIVALS[number % len(ARRIVALS)]) for number in range(options.programs)]


def measure(options, points):
    cluster = Emulated(options.mpi, options.hosts)
    for point in points:
        program = [BUILD / f"bin/judged-{options.mpi}", *point.values()]
        yield {**point, **json.loads(cluster.launch(program, {"TUTTI_LEARN": "0"}))}


def judged(records):
    """How often each judge agrees where it matters, and by which factor it is off on the average."""
    for arrival, of_them in [*((a, rs) for (a,), rs in by_fields(records, ["arrival"]).items()),
                             ("all", records)]:
        matters = [r for r in of_them if abs(math.log(r[TRUTH])) > MATTERS]
        row = {"arrival": arrival, "differ": f"{len(matters)} of {len(of_them)}"}
        for judge in JUDGES:
            agrees = sum((r[judge] > 1) == (r[TRUTH] > 1) for r in matters)
            off = geometric_mean([math.exp(abs(math.log(r[judge] / r[TRUTH]))) for r in of_them])
            row[judge] = f"{agrees}, {off:.2f}"
        yield row


TABLES = [
    Table("The plan's time over native's", [
        Column("operation", "operation"), Column("bytes", "bytes"), Column("plan", "plan"),
        Column("arrival", "arrival"),
        Column("computing ms", "computing_ms"), Column("broadcast behind, bytes", "broadcast"),
        *(Column(name, name, ".2f") for name in [TRUTH, *JUDGES])]),
    Table("How often each agrees with the program, and the factor by which it is off", [
        Column("arrival", "arrival"), Column("differ", "differ"),
        *(Column(judge, judge) for judge in JUDGES)], rows=lambda records: list(judged(records)))]
