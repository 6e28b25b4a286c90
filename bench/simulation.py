"""Runs `tutti bench` on simulated clusters, for the benchmarks beside it."""

import json
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Exact Hockney links instead of the factors that SimGrid measured on a Gigabit cluster.
EXACT = ["--cfg=smpi/bw-factor:0:1.0", "--cfg=smpi/lat-factor:0:1.0", "--cfg=network/crosstraffic:0"]


class Cluster:
    """A platform file of 96 hosts called PREFIX-0 … PREFIX-95, with stock or exact network factors."""

    def __init__(self, prefix, exact):
        self.platform = ROOT / f"testbed/platforms/{prefix}-96.xml"
        self.exact = exact
        self.hosts = tempfile.NamedTemporaryFile("w", prefix="hosts")
        self.hosts.write("".join(f"{prefix}-{i}\n" for i in range(96)))
        self.hosts.flush()

    def measure(self, operation, sizes, ranks, plans, selector="ompi"):
        """Milliseconds by size and plan ("native": what the selector of that name chooses), all in one simulation and
        with every result checked. A word for what is wrong if there is no result."""
        command = [str(ROOT / "build/bin/tutti"), "bench", operation, "--json"]
        command += ["--sizes", ",".join(map(str, sizes))]
        command += [word for plan in plans for word in ("--plan", plan)]
        command += ["--", "smpirun", "-np", str(ranks), "-platform", str(self.platform), "-hostfile", self.hosts.name,
                    f"--cfg=smpi/coll-selector:{selector}"]
        command += EXACT if self.exact else []
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            return "wrong" if "wrong result" in run.stderr else "aborts"
        return {(m["size"], m["plan"]): m["median_s"] * 1e3 for m in json.loads(run.stdout)}
