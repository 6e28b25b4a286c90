"""What Tutti adds to the start of a program: its whole run here, and its first call on many ranks.

A program that starts MPI, makes two collective calls and ends, natively, under `tutti run`, and
under `tutti run` with a table, in turn on this machine; the table is tuned before. And the first of
the calls on a simulated fat tree, 16 ranks a host, where all ranks agree on their settings."""

import json
import os
import statistics
import tempfile
import time
from subprocess import DEVNULL, PIPE

from driver import watch
from driver.options import budget, joined, numbers, option, some_of
from driver.tables import Column, Table
from shared.figures import take_turns
from shared.here import QUIET, launcher, tutti_here
from shared.simulation import Cluster
from shared.tutti import BUILD, TUTTI

MPIS = ["openmpi", "mpich"]
OPTIONS = [option("--mpis", type=some_of(MPIS), default=joined(MPIS), metavar="MPIS",
                  help="MPI libraries, separated by commas"),
           option("--ranks", type=int, default=2, help="ranks on this machine"),
           option("--turns", type=int, default=30, help="number of runs of each kind on this machine"),
           budget("60s", "time for tuning the table, of some 600 measurements"),
           option("--simulated", type=numbers, default="64,256,1024", metavar="RANKS",
                  help="numbers of simulated ranks, separated by commas")]
FIGURES = ["whole_ms", "init_ms", "first_us", "second_us"]


def points(options):
    return [*({"mpi": mpi, "ranks": options.ranks, "turns": options.turns} for mpi in options.mpis),
            *({"simulated": ranks} for ranks in options.simulated)]


def tuned(options, point, file):
    """Tunes a table, and returns how many measurements are in it."""
    tutti_here(point["mpi"], point["ranks"], "tune", "--ops", "bcast,allgather,allreduce", "--budget",
               options.budget, "-o", file)
    with open(file, encoding="utf-8") as table:
        return len(json.load(table)["measurements"])


def run(command):
    start = time.perf_counter()
    said = watch.run(list(map(str, command)), check=True, env={**os.environ, **QUIET}, stdout=PIPE,
                     stderr=DEVNULL, text=True).stdout
    whole = time.perf_counter() - start
    init, first, second = map(float, said.split())
    return dict(zip(FIGURES, [1e3 * whole, 1e-3 * init, first, second]))


def here(options, point):
    program = [*launcher(point["mpi"], point["ranks"]), BUILD / f"bin/start-{point['mpi']}"]
    with tempfile.TemporaryDirectory() as folder:
        table = f"{folder}/table.json"
        measurements = tuned(options, point, table)
        # Tutti's command before the launcher.
        runs = {"native": [], "tutti run": [TUTTI, "run", "--"],
                "tutti run --table": [TUTTI, "run", "--table", table, "--"]}
        found = take_turns(point["turns"], runs, lambda before: run([*before, *program]), True)
    for served, of_kind in found.items():
        record = {"kind": "here", **point, "served": served,
                  **{figure: statistics.median(run[figure] for run in of_kind) for figure in FIGURES}}
        if runs[served]:
            record["more_ms"] = statistics.median(ours["whole_ms"] - native["whole_ms"]
                                                  for native, ours in zip(found["native"], of_kind))
        yield {**record, "measurements": measurements} if "--table" in runs[served] else record


def measure(options, points):
    cluster = Cluster("fat", True)
    for point in points:
        if "turns" in point:
            yield from here(options, point)
        else:
            first, second = (tuple(map(float, cluster.launch(point["simulated"], "start",
                                                             variables=variables).split()))[1:]
                             for variables in ({}, {"TUTTI_STATS": "0"}))
            yield {"kind": "simulated", **point, "native_us": first[0], "tutti_us": second[0],
                   "later_us": second[1]}


TABLES = [
    Table("A program of two calls on {ranks} ranks, medians", [
        Column("MPI", "mpi"), Column("run", "served"),
        Column("measurements in the table", "measurements"), Column("whole run, ms", "whole_ms", ".1f"),
        Column("more, ms", "more_ms", ".1f"), Column("MPI_Init, ms", "init_ms", ".1f"),
        Column("first call, µs", "first_us", ".0f"), Column("second, µs", "second_us", ".1f")],
        kind="here", group=["ranks"]),
    Table("The first allreduce of one number, simulated microseconds", [
        Column("ranks", "simulated"), Column("native", "native_us", ".1f"),
        Column("under Tutti", "tutti_us", ".1f"), Column("its second", "later_us", ".1f")],
        kind="simulated")]
