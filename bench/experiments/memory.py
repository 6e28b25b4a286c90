"""What a rank holds in memory while plans of very many pieces run, beside the native operation.

Operations, ranks and blocks are drawn at random. Peaks are of the measuring program's largest rank
(VmHWM); what its own buffers take is in all of them."""

import os
import subprocess
import time
from pathlib import Path
from random import Random

from driver.options import SEED, option
from driver.tables import Column, Crosstab
from shared.here import QUIET, launcher
from shared.tutti import BUILD, TUTTI

WORKER = str(BUILD / "bin/tutti-worker-openmpi")
PLANS = ["native", "split(64)[linear]", "linear"]
OPTIONS = [option("--points", type=int, default=6, help="number of points drawn"), SEED]


def points(options):
    random = Random(options.seed)
    return [{"operation": random.choice(["alltoall", "gather", "scatter", "allgather"]),
             "ranks": random.randint(2, 8),
             "bytes": int(2 ** random.uniform(10, 18))} for _ in range(options.points)]


def held_by(status):
    """Kilobytes at the peak of a process that measures, by its status in /proc."""
    try:
        if (status.parent / "cmdline").read_bytes().split(b"\0")[0] != os.fsencode(WORKER):
            return 0
        return max([int(line.split()[1]) for line in status.read_text().splitlines()
                    if line.startswith("VmHWM")], default=0)
    except OSError:
        return 0  # it has ended


def peak(operation, ranks, size, plan):
    """The largest rank's peak in KB."""
    command = [TUTTI, "bench", operation, "--plan", plan, "--sizes", str(size), "--ranks", str(ranks),
               "--repetitions", "3", "--seconds", "20", "--", *launcher("openmpi", 8)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **QUIET})
    most = 0
    while running.poll() is None:
        most = max([most, *map(held_by, Path("/proc").glob("[0-9]*/status"))])
        time.sleep(0.02)
    if running.returncode != 0:
        raise subprocess.CalledProcessError(running.returncode, command)
    return most


def measure(options, points):
    for point in points:
        for plan in PLANS:
            yield {**point, "plan": plan, "peak_KB": peak(*point.values(), plan)}


TABLES = [Crosstab("Peak of the largest rank, MB", [
    Column("operation", "operation"), Column("ranks", "ranks"), Column("bytes of a block", "bytes")], "plan",
    Column("", lambda r: r["peak_KB"] / 1024, ".1f"))]
