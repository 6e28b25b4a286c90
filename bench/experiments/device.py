"""Collectives on the memory of an NVIDIA device, which two ranks of this machine share.

First all operations, on data with gaps and without, on some ranks' devices only, beside the same in
host memory, byte for byte. Then times, beside one copy each way by hand: into host memory that the
device reaches by itself, the same call there by the same plan, and back; and natively, where the
MPI library takes such addresses. --before measures another build of Tutti's as well. Where there
is no device it says so, and measures nothing."""

import os
import subprocess
from pathlib import Path

from driver import watch
from driver.options import MPI, numbers, option
from driver.progress import progress
from driver.tables import Column, Table
from shared.here import AS_ROOT, launch
from shared.tutti import BUILD, ROOT

PLANS = {"TUTTI_BCAST": "binomial", "TUTTI_ALLGATHER": "ring", "TUTTI_ALLTOALL": "pairwise",
         "TUTTI_ALLREDUCE": "recursive_doubling"}
OPTIONS = [MPI, option("--repetitions", type=int, default=50, help="number of calls whose median is taken"),
           option("--sizes", type=numbers, default="4096,65536,1048576,16777216,67108864", metavar="BYTES",
                  help="sizes of a block in bytes"),
           option("--before", type=Path, metavar="FOLDER",
                  help="build tree of another version to compare with")]


# How the calls whose times are measured reach the device: Tutti's variables, or natively.
WAYS = {"staged": {**PLANS, "TUTTI_DEVICE": "stage"}, "handed over": {**PLANS, "TUTTI_DEVICE": "auto"},
        "native": None, "before": PLANS}


def points(options):
    ways = [way for way in WAYS if way != "before" or options.before]
    return [{"plans": plans} for plans in ["latency", "bandwidth"]] + [{"way": way} for way in ways]


def agrees(mpi, plans):
    """Whether the test program finds the same on the device as in host memory."""
    command = [ROOT / "tests/mpi/with_plans", plans, mpi, "2", "--says", "device: all right", "--",
               BUILD / f"bin/device-{mpi}", BUILD / "lib/libbench-device-memory.so"]
    ran = watch.run(command, env={**os.environ, **AS_ROOT, "BUILD_TREE": str(BUILD)}, text=True,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode != 0:
        progress(ran.stdout)
    return ran.returncode == 0


def times(options, way):
    program = [BUILD / f"bin/bench-device-{options.mpi}", options.repetitions, *options.sizes]
    variables = WAYS[way] and {"TUTTI_FLOAT_SUMS": "any", **WAYS[way]}
    said = launch(options.mpi, 2, program, variables, quiet=AS_ROOT,
                  build=options.before if way == "before" else BUILD)
    for operation, data, size, on_device, by_hand in (line.split() for line in said.splitlines()):
        yield {"kind": "time", "way": way, "operation": operation, "data": data, "bytes": int(size),
               "us": float(on_device), "by_hand_us": float(by_hand)}


def measure(options, points):
    here = launch(options.mpi, 1, [BUILD / f"bin/bench-device-{options.mpi}"], quiet=AS_ROOT).strip()
    progress(here)
    if here == "no device":
        return
    for point in points:
        if "plans" in point:
            yield {"kind": "agreement", **point, "agrees": agrees(options.mpi, point["plans"])}
        elif point["way"] not in ("native", "handed over") or here.endswith("takes"):
            yield from times(options, point["way"])


TABLES = [
    Table("All operations on a device and in host memory", [
        Column("plans for", "plans"), Column("the same", lambda r: "yes" if r["agrees"] else "NO")],
        kind="agreement"),
    Table("{mpi}, two ranks on one device, microseconds", [
        Column("", "way"), Column("operation", "operation"), Column("data", "data"), Column("bytes", "bytes"),
        Column("on the device", "us", ".1f"), Column("by hand", "by_hand_us", ".1f"),
        Column("ratio", lambda r: r["us"] / r["by_hand_us"], ".2f")], kind="time")]
