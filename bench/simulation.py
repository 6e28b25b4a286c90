"""Runs `tutti bench` on simulated clusters, for the benchmarks beside it."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Exact Hockney links instead of the factors that SimGrid measured on a Gigabit cluster.
EXACT = ["--cfg=smpi/bw-factor:0:1.0", "--cfg=smpi/lat-factor:0:1.0", "--cfg=network/crosstraffic:0"]


UT, UK, NTH = ([f"{site}-{i}" for i in range(hosts)] for site, hosts in (("ut", 8), ("uk", 4), ("nth", 8)))
# Platform files, and the hosts of ranks 0, 1, …
PLATFORMS = {
    "clic": ("clic-96.xml", [f"clic-{i}" for i in range(96)]),
    "t3e": ("t3e-96.xml", [f"t3e-{i}" for i in range(96)]),
    "xeon": ("xeon-16x2.xml", [f"xeon-{i % 16}" for i in range(32)]),  # dealt out in turn
    "fat": ("fat-tree-64x16.xml", [f"fat-{i // 16}" for i in range(1024)]),
    "three-sites": ("three-site-20.xml", [*UT, *UK, *NTH]),
    "trunk": ("three-site-20-trunk.xml", [*UT, *UK, *NTH]),
    "europe": ("three-site-20.xml", [*UK, *NTH]),
    "one-site": ("three-site-20.xml", NTH),
}


class Cluster:
    """A simulated cluster with stock or exact network factors."""

    def __init__(self, name, exact, options=()):
        file, hosts = PLATFORMS[name]
        self.platform = ROOT / "testbed/platforms" / file
        self.options = [*options, *(EXACT if exact else [])]
        self.hosts = tempfile.NamedTemporaryFile("w", prefix="hosts")
        self.hosts.write("".join(f"{host}\n" for host in hosts))
        self.hosts.flush()

    def launcher(self, ranks, selector):
        return ["--", "smpirun", "-np", str(ranks), "-platform", str(self.platform), "-hostfile", self.hosts.name,
                f"--cfg=smpi/coll-selector:{selector}", *self.options]

    def run(self, ranks, program, *words, plans=None, selector="ompi"):
        """What one of the applications reports, run natively or with `plans`: Tutti's variables."""
        program = [str(ROOT / f"build/bin/{program}-smpi"), *map(str, words), "--json"]
        options = ["--log=root.thres:critical", "--cfg=smpi/simulate-computation:no", "--cfg=smpi/privatization:dlopen"]
        command = ["smpirun", *self.launcher(ranks, selector)[2:], *options, *program]
        run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(plans or {"TUTTI_OFF": "1"})})
        if run.returncode != 0 or not run.stdout.strip():
            raise RuntimeError(f"{' '.join(command)}: {run.stdout}{run.stderr}")
        return json.loads(run.stdout)

    def tune(self, ranks, file, *words, selector="ompi"):
        """Writes a table."""
        command = [str(ROOT / "build/bin/tutti"), "tune", "-o", file, *map(str, words), *self.launcher(ranks, selector)]
        subprocess.run(command, capture_output=True, check=True)

    def probe(self, ranks, file, selector="ompi"):
        """Writes what `tutti probe` learns to a file."""
        command = [str(ROOT / "build/bin/tutti"), "probe", "-o", file, *self.launcher(ranks, selector)]
        subprocess.run(command, capture_output=True, check=True)

    def measure(self, operation, sizes, ranks, plans, selector="ompi", network=None, at=None, seconds=None):
        """Milliseconds by size and plan ("native": what the selector of that name chooses), all in one simulation and
        with every result checked; on the first `at` ranks only, and for `seconds` a size at most, what takes longer missing, if
        those are given. A word for what is wrong if there is no result."""
        command = [str(ROOT / "build/bin/tutti"), "bench", operation, "--json"]
        command += ["--sizes", ",".join(map(str, sizes))]
        command += [word for plan in plans for word in ("--plan", plan)]
        command += ["--network", network] if network else []
        command += ["--ranks", str(at)] if at else []
        command += ["--seconds", str(seconds)] if seconds else []
        command += self.launcher(ranks, selector)
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            return "wrong" if "wrong result" in run.stderr else "aborts"
        return {(m["size"], m["plan"]): m["median_s"] * 1e3 for m in json.loads(run.stdout)}
