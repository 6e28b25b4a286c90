"""Collectives on the memory of an NVIDIA device, which two ranks of this machine share.

First all operations, on data with gaps and without, on some ranks' devices only, beside the same in
host memory, byte for byte. Then times, beside one copy each way by hand: into host memory that the
device reaches by itself, the same call there by the same plan, and back; and natively, where the
MPI library takes such addresses. --before measures another build of Tutti's as well. Where there
is no device it says so, and measures nothing."""

import os
import subprocess
from pathlib import Path

from driver.options import MPI, numbers, option
from driver.progress import progress
from driver.tables import Column, Table
from shared.here import AS_ROOT, launch
from shared.tutti import BUILD, ROOT

PLANS = {"TUTTI_BCAST": "binomial", "TUTTI_ALLGATHER": "ring", "TUTTI_ALLTOALL": "pairwise",
         "TUTTI_ALLREDUCE": "recursive_doubling"}
OPTIONS = [MPI, option("--repetitions", type=int, default=50, help="of which the median is taken"),
           option("--sizes", type=numbers, default="4096,65536,1048576,16777216,67108864", metavar="BYTES",
                  help="of a block"),
           option("--before", type=Path, metavar="FOLDER", help="build tree to compare with")]


def points(options):
    times = [{"what": f"times {how}"} for how in ["staged", "handed over", *(["before"] * bool(options.before))]]
    return [{"what": f"plans for {of}"} for of in ["latency", "bandwidth"]] + times


def agrees(mpi, plans):
    """Whether the test program finds the same on the device as in host memory."""
    command = [ROOT / "tests/mpi/with_plans", plans, mpi, "2", "--says", "device: all right", "--",
               BUILD / f"bin/device-{mpi}", BUILD / "lib/libbench-device-memory.so"]
    ran = subprocess.run(command, env={**os.environ, **AS_ROOT, "BUILD_TREE": str(BUILD)}, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode != 0:
        progress(ran.stdout)
    return ran.returncode == 0


def times(options, build, variables):
    said = launch(options.mpi, 2, [BUILD / f"bin/bench-device-{options.mpi}", options.repetitions, *options.sizes],
                  {"TUTTI_FLOAT_SUMS": "any", **PLANS, **variables}, quiet=AS_ROOT, build=build)
    for operation, data, size, on_device, by_hand in (line.split() for line in said.splitlines()):
        yield {"kind": "time", "operation": operation, "data": data, "bytes": int(size), "us": float(on_device),
               "by_hand_us": float(by_hand)}


def has_device(mpi):
    return "no device" not in launch(mpi, 1, [BUILD / f"bin/bench-device-{mpi}"], quiet=AS_ROOT)


def measure(options, points):
    if not has_device(options.mpi):
        progress("no device")
        return
    ways = {"times staged": (BUILD, {"TUTTI_DEVICE": "stage"}),
            "times handed over": (BUILD, {"TUTTI_DEVICE": "auto"}), "times before": (options.before, {})}
    for point in points:
        if point["what"] in ways:
            for record in times(options, *ways[point["what"]]):
                yield {**point, **record}
        else:
            yield {"kind": "agreement", **point, "agrees": agrees(options.mpi, point["what"].split()[-1])}


TABLES = [
    Table("All operations on a device and in host memory", [
        Column("plans", "what"), Column("the same", lambda r: "yes" if r["agrees"] else "NO")],
        kind="agreement"),
    Table("{mpi}, two ranks on one device, microseconds", [
        Column("", "what"), Column("operation", "operation"), Column("data", "data"), Column("bytes", "bytes"),
        Column("Tutti", "us", ".1f"), Column("by hand", "by_hand_us", ".1f"),
        Column("ratio", lambda r: r["us"] / r["by_hand_us"], ".2f")], kind="time")]
