"""What Tutti adds to the start of a program: its whole run here, and its first call on many ranks.

A program that starts MPI, makes two collective calls and ends, natively and under `tutti run` in
turn on this machine; and the first of the calls on a simulated fat tree, 16 ranks a host, where all
ranks agree on their settings."""

import os
import statistics
import time
from subprocess import DEVNULL

from driver import watch
from driver.options import MPI, numbers, option
from driver.tables import Column, Table
from shared.figures import take_turns
from shared.here import QUIET, launcher
from shared.simulation import Cluster
from shared.tutti import BUILD, TUTTI

OPTIONS = [MPI, option("--ranks", type=int, default=2, help="ranks on this machine"),
           option("--turns", type=int, default=30, help="number of runs of each kind on this machine"),
           option("--simulated", type=numbers, default="64,256,1024", metavar="RANKS",
                  help="numbers of simulated ranks, separated by commas")]
# Tutti's command before the launcher.
RUNS = {"native": [], "tutti run": [TUTTI, "run", "--"]}


def points(options):
    return [{"ranks": options.ranks, "turns": options.turns},
            *({"simulated": ranks} for ranks in options.simulated)]


def run_s(command):
    start = time.perf_counter()
    watch.run(list(map(str, command)), check=True, env={**os.environ, **QUIET},
              stdout=DEVNULL, stderr=DEVNULL)
    return time.perf_counter() - start


def measure(options, points):
    cluster = Cluster("fat", True)
    for point in points:
        if "turns" in point:
            command = [*launcher(options.mpi, point["ranks"]), BUILD / f"bin/start-{options.mpi}"]
            found = take_turns(point["turns"], RUNS, lambda before: run_s([*before, *command]), True)
            more = [ours - native for native, ours in zip(*found.values())]
            yield {"kind": "here", **point, "native_ms": 1e3 * statistics.median(found["native"]),
                   "tutti_ms": 1e3 * statistics.median(found["tutti run"]),
                   "more_ms": 1e3 * statistics.median(more)}
        else:
            first, second = (tuple(map(float, cluster.launch(point["simulated"], "start",
                                                             variables=variables).split()))
                             for variables in ({}, {"TUTTI_STATS": "0"}))
            yield {"kind": "simulated", **point, "native_us": first[0], "tutti_us": second[0],
                   "later_us": second[1]}


TABLES = [
    Table("A program of two calls, milliseconds", [
        Column("ranks", "ranks"), Column("native", "native_ms", ".1f"),
        Column("under tutti run", "tutti_ms", ".1f"), Column("more", "more_ms", ".1f")], kind="here"),
    Table("The first allreduce of one number, simulated microseconds", [
        Column("ranks", "simulated"), Column("native", "native_us", ".1f"),
        Column("under Tutti", "tutti_us", ".1f"), Column("its second", "later_us", ".1f")],
        kind="simulated")]
