"""Runs Tutti on emulated clusters, real MPI over real TCP, for the benchmarks beside it. Needs root."""

import json
import math
import subprocess
import tempfile
from pathlib import Path

from side_by_side import geometric_mean

ROOT = Path(__file__).resolve().parent.parent
TUTTI = str(ROOT / "build/bin/tutti")


class Emulated:
    """Hosts on one switch; `options` are further ones of testbed/emulated."""

    def __init__(self, mpi, hosts=16, options=()):
        self.mpi, self.hosts, self.options = mpi, hosts, options

    def run(self, verb, *words, hosts=None):
        """What a command of Tutti's that starts ranks prints, a rank on each host."""
        return self._output([TUTTI, verb, *words, "--", "@mpirun"], hosts)

    def launch(self, program, variables=None):
        """What a program prints, a rank on each host, with variables: native, or with any of Tutti's under it."""
        variables = variables or {}
        if any(name.startswith("TUTTI_") for name in variables):
            variables = {"LD_PRELOAD": str(ROOT / f"build/lib/libtutti-{self.mpi}.so"), **variables}
        tell = (lambda n, v: ("-x", f"{n}={v}")) if self.mpi == "openmpi" else (lambda n, v: ("-genv", n, v))
        return self._output(["@mpirun", *(word for n, v in variables.items() for word in tell(n, v)), *program])

    def profile(self, program, file, table=None):
        """Runs a program, natively or under a table, and returns what it did."""
        under = ["--table", table] if table else []
        self._output([TUTTI, "run", *under, "--profile", file, "--", "@mpirun", *program])
        return json.loads(Path(file).read_text())

    def _output(self, command, hosts=None):
        emulated = [ROOT / "testbed/emulated", "--hosts", hosts or self.hosts, "--mpi", self.mpi, *self.options, "--", *command]
        return subprocess.run(list(map(str, emulated)), check=True, stdout=subprocess.PIPE, text=True).stdout

    def measure(self, operation, sizes, plans, *words, hosts=None):
        """Measurements of the native operation and of plans, as `tutti bench` has them in JSON."""
        plans = [word for plan in plans for word in ("--plan", plan)]
        return json.loads(self.run("bench", operation, "--sizes", ",".join(map(str, sizes)), *plans, *words, "--json",
                                   hosts=hosts))

    def tune(self, *words):
        """Tunes, prints the report, and returns the plan by operation and size where the table has measured."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "table.json"
            print(self.run("tune", "-o", file, *words))
            table = json.loads(file.read_text())
        chosen = {}
        for measured in table["measurements"]:
            for rules in table["collectives"][measured["operation"]]:
                for rule in rules["rules"]:
                    largest = math.inf if rule["msg_size_max"] == "inf" else rule["msg_size_max"]
                    if rule["msg_size_min"] <= measured["size"] <= largest:
                        chosen[measured["operation"], measured["size"]] = rule["plan"]
        return chosen

    def measure_again(self, chosen, *words):
        """Prints what a table chose beside the native operation, with fresh repetitions."""
        print(f"measured again:\n{'operation':<16}{'bytes':>8}{'native ms':>11}{'tuned ms':>10}{'speed-up':>10}  plan")
        speedups, losses = [], []
        for (operation, size), plan in sorted(chosen.items()):
            if plan == "native":
                speedups.append(1)
                continue
            native, tuned = self.measure(operation, [size], [plan], "--repetitions", 1000, *words)
            ratio = tuned["ratio_to_native"]
            speedups.append(1 / ratio)
            if tuned["ratio_low"] > 1:
                losses.append(f"{operation} {size}")
            print(f"{operation:<16}{size:>8}{native['median_s'] * 1e3:>11.2f}{tuned['median_s'] * 1e3:>10.2f}{1 / ratio:>10.2f}"
                  f"  {plan}", flush=True)
        print(f"geometric mean of the speed-up over {len(speedups)} points: {geometric_mean(speedups):.2f}")
        print(f"slower than native beyond noise: {', '.join(losses) or 'none'}")
