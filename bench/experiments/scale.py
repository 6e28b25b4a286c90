"""What thousands of ranks cost Tutti: prices, candidates, schedules, proofs and communicators.

Pricing a plan, making the candidates of a point, a rank's own part of a schedule and its proof,
against the number of ranks, 16 a host; and what communicators of a real library cost with and
without Tutti. Each figure is one process of its own."""

import math
import subprocess

from driver import watch
from driver.charts import Curves
from driver.options import option, some_of
from driver.tables import Column, Crosstab, Table
from shared.here import launch
from shared.tutti import BUILD

RANKS = [64, 256, 1024, 4096, 16384, 65536, 131072]
A_HOST, SIZE = 16, 1024
RECURSIVE_GRID = "grid(node)[recursive_doubling,recursive_doubling]"
# What, operation, plan, most ranks.
WORK = [
    ("price", "bcast", "binomial", 131072),
    ("price", "barrier", "dissemination", 131072),
    ("price", "allreduce", "recursive_doubling", 131072),
    ("price", "allreduce", RECURSIVE_GRID, 131072),
    ("sampled", "allreduce", "recursive_doubling", 131072),
    ("sampled", "allreduce", RECURSIVE_GRID, 131072),
    ("price", "allreduce", "circulant", 16384),
    ("price", "allgather", "ring", 16384),
    ("price", "alltoall", "pairwise", 16384),
    ("part", "allreduce", "recursive_doubling", 131072),
    ("part", "allgather", "ring", 131072),
    ("part", "alltoall", "bruck", 16384),
    ("part", "bcast", "grid(node)[binomial,binomial]", 131072),
    ("verify", "bcast", "binomial", 1024),
    ("verify", "allreduce", "recursive_doubling", 1024),
    ("candidates", "bcast", "-", 16384),
    ("candidates", "allreduce", "-", 16384),
    ("candidates", "allgather", "-", 4096),
    ("candidates", "alltoall", "-", 4096),
]
LIMIT = 120  # seconds for one figure
RUNS = {"without Tutti": None, "Tutti, native": {},
        "Tutti, allreduce by recursive_doubling": {"TUTTI_ALLREDUCE": "recursive_doubling"}}
FIGURES = ["made", "first call", "second", "freed"]
OPTIONS = [
    option("--only", choices=["scale", "communicators"], help="part to measure (default: both)"),
    option("--work", type=some_of(dict.fromkeys(what for what, *_ in WORK)),
           help="kinds of work: price, sampled, part, verify, candidates"),
    option("--most", type=int, default=RANKS[-1], help="largest number of ranks"),
    option("--communicators", type=int, default=1000,
           help="number of communicators that the real library makes"),
    option("--ranks", type=int, default=64, help="ranks of each communicator of the real library")]


def points(options):
    scale = [{"what": what, "operation": operation, "plan": plan, "ranks": ranks} for what, operation, plan,
             most in WORK
             for ranks in RANKS if ranks <= min(most, options.most) and what in (options.work or [what])]
    communicators = [{"run": run} for run in RUNS]
    return {"scale": scale, "communicators": communicators}.get(options.only, scale + communicators)


def figures(what, operation, plan, ranks):
    """Seconds and mebibytes, or nothing where they were not to be had."""
    command = [BUILD / "bin/bench-scale", what, operation, plan, ranks, A_HOST,
               0 if operation == "barrier" else SIZE]
    try:
        run = watch.run(list(map(str, command)), capture_output=True, text=True, timeout=LIMIT, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return {}
    seconds, mebibytes, _ = map(float, run.stdout.split())
    return {"s": seconds, "MiB": mebibytes}


def measure(options, points):
    for point in points:
        if "run" in point:
            said = launch("openmpi", options.ranks,
                          [BUILD / "bin/communicators-openmpi", options.communicators], RUNS[point["run"]])
            yield {"kind": "communicators", **point, **dict(zip(FIGURES, map(float, said.split())))}
        else:
            name = " ".join(list(point.values())[:3])
            yield {"kind": "scale", "name": name, **point, **figures(*point.values())}


def cell(record):
    return f"{record['s']:.3g} ({record['MiB']:.3g})" if "s" in record else ""


def growths(records):
    """The exponents of the last two numbers of ranks."""
    for name in dict.fromkeys(r["name"] for r in records):
        known = [r for r in records if r["name"] == name and "s" in r]
        row = {"name": name}
        for figure in ("s", "MiB"):
            (p, a), (q, b) = [(r["ranks"], r[figure]) for r in known][-2:] if len(known) > 1 else [(1, 0),
                                                                                                   (1, 0)]
            exponent = math.log(b / a) / math.log(q / p) if min(a, b) > 0 else None
            row[figure] = "-" if exponent is None else "flat" if exponent < 0.1 else f"p^{exponent:.1f}"
        yield row


TABLES = [
    Crosstab(f"Seconds (MiB) on so many ranks, {A_HOST} a host, {SIZE} bytes", [Column("", "name")], "ranks",
             Column("", cell), kind="scale"),
    Table("Growth at the end", [Column("", "name"), Column("time", "s"), Column("memory", "MiB")],
          kind="scale", rows=lambda records: list(growths(records))),
    Table("{communicators} communicators of {ranks} ranks, openmpi, microseconds each", [
        Column("", "run"), *(Column(name, name) for name in FIGURES)], kind="communicators")]
CHARTS = [Curves("scale: what ranks cost", "ranks", "s", "name", ("ranks", "seconds"), kind="scale",
                 settings="set logscale xy")]
