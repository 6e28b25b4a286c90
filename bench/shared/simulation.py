"""Runs Tutti on simulated clusters. Simulated times repeat exactly."""

import json
import os
import re
import signal
import subprocess
import tempfile

from driver import watch
from shared.tutti import BUILD, ROOT, TUTTI, plans as named

# Exact Hockney links instead of the factors that SimGrid measured on a Gigabit cluster.
EXACT = ["--cfg=smpi/bw-factor:0:1.0", "--cfg=smpi/lat-factor:0:1.0", "--cfg=network/crosstraffic:0"]
SYNCHRONOUS = ["--cfg=smpi/send-is-detached-thresh:0"]  # every send waits for its receiver
PROGRAM = ["--log=root.thres:critical", "--cfg=smpi/simulate-computation:no",
           "--cfg=smpi/privatization:dlopen"]
SELECTORS = ["ompi", "mpich", "mvapich2"]

UT, UK, NTH = ([f"{site}-{i}" for i in range(hosts)] for site, hosts in (("ut", 8), ("uk", 4), ("nth", 8)))
# Platform files, and the hosts of ranks 0, 1, …
PLATFORMS = {
    "clic": ("clic-96.xml", [f"clic-{i}" for i in range(96)]),
    "t3e": ("t3e-96.xml", [f"t3e-{i}" for i in range(96)]),
    "xeon": ("xeon-16x2.xml", [f"xeon-{i % 16}" for i in range(32)]),  # dealt out in turn
    "dragonfly": ("dragonfly-648x8.xml", [f"df-{i}" for i in range(648)]),
    "tapered": ("fat-tree-512x32.xml", [f"fat-{i}" for i in range(512)]),
    "fat": ("fat-tree-64x16.xml", [f"fat-{i // 16}" for i in range(1024)]),
    "three-sites": ("three-site-20.xml", [*UT, *UK, *NTH]),
    "trunk": ("three-site-20-trunk.xml", [*UT, *UK, *NTH]),
    "europe": ("three-site-20.xml", [*UK, *NTH]),
    "one-site": ("three-site-20.xml", NTH),
}

# How many hosts one after the other share what is narrow, level by level.
LEVELS = {"dragonfly": {"router": 2, "chassis": 18, "group": 72}, "tapered": {"leaf": 16, "pod": 128}}

MEASURING_ENDED = re.compile(r"the launcher ended before the measurement did \((exit status|signal) (\d+)")


def ending(said):
    """A word for how a call of the simulated library ended that has no result, by what the command said
    last; nothing where that is no affair of the library's."""
    if "gives a wrong result" in said:
        return "wrong"
    if ended := MEASURING_ENDED.search(said):
        # A shell adds 128 to the number of a signal.
        number = int(ended[2]) - (128 if ended[1] == "exit status" else 0)
        return "aborts" if number == signal.SIGABRT else f"{ended[1]} {ended[2]}"
    return None


class Cluster:
    """A simulated cluster with stock or exact network factors, and other hosts of ranks if wanted."""

    def __init__(self, name, exact, options=(), hosts=None):
        file, all_hosts = PLATFORMS[name]
        self.platform = ROOT / "testbed/platforms" / file
        self.options = [*options, *(EXACT if exact else [])]
        self.hosts = tempfile.NamedTemporaryFile("w", prefix="hosts")
        self.hosts.write("".join(f"{host}\n" for host in hosts or all_hosts))
        self.hosts.flush()

    def launcher(self, ranks, selector="ompi"):
        return ["smpirun", "-np", str(ranks), "-platform", str(self.platform), "-hostfile", self.hosts.name,
                f"--cfg=smpi/coll-selector:{selector}", *self.options]

    def launch(self, ranks, program, *words, variables=None, selector="ompi", cwd=None):
        """What a program prints, run natively or with Tutti's variables."""
        command = [*self.launcher(ranks, selector), *PROGRAM, str(BUILD / f"bin/{program}-smpi"),
                   *map(str, words)]
        run = watch.run(command, capture_output=True, text=True, cwd=cwd,
                        env={**os.environ, **(variables or {"TUTTI_OFF": "1"})})
        if run.returncode != 0 or not run.stdout.strip():
            raise RuntimeError(f"{' '.join(command)}: {run.stdout}{run.stderr}")
        return run.stdout

    def run(self, ranks, program, *words, variables=None):
        """What one of the applications reports."""
        return json.loads(self.launch(ranks, program, *words, "--json", variables=variables))

    def tutti(self, ranks, *words, selector="ompi"):
        """What a command of Tutti's that starts ranks prints."""
        command = [TUTTI, *map(str, words), "--", *self.launcher(ranks, selector)]
        return watch.run(command, capture_output=True, check=True, text=True).stdout

    def tune(self, ranks, file, *words, selector="ompi"):
        """Writes a table, and returns it."""
        self.tutti(ranks, "tune", "-o", file, *words, selector=selector)
        with open(file, encoding="utf-8") as table:
            return json.load(table)

    def probe(self, ranks, file, *words, selector="ompi"):
        """Writes what `tutti probe` learns to a file."""
        self.tutti(ranks, "probe", "-o", file, *words, selector=selector)

    def measure(self, operation, sizes, ranks, plans, *words, selector="ompi"):
        """Milliseconds by size and plan ("native": what the selector of that name chooses), all in one
        simulation and with every result checked. A word for how the library failed if there is no
        result."""
        try:
            measured = self.tutti(ranks, "bench", operation, "--json", "--sizes", ",".join(map(str, sizes)),
                                  *named(plans), *words, selector=selector)
        except subprocess.CalledProcessError as failure:
            if word := ending(failure.stderr):
                return word
            raise RuntimeError(f"{' '.join(failure.cmd)}: {failure.stderr}") from failure
        return {(m["size"], m["plan"]): m["median_s"] * 1e3 for m in json.loads(measured)}
