"""Runs Tutti on emulated clusters, real MPI over real TCP. Needs root."""

import json
import os
import subprocess
from pathlib import Path

from driver import watch
from driver.progress import progress
from driver.tables import Column, Table
from shared.figures import geometric_mean
from shared.tutti import ROOT, TUTTI, plan_at, plans as named, preloaded


class Emulated:
    """Hosts on one switch; `options` are further ones of testbed/emulated."""

    def __init__(self, mpi, hosts=16, options=()):
        self.mpi, self.hosts, self.options = mpi, hosts, options

    def run(self, verb, *words, hosts=None, variables=None):
        """What a command of Tutti's that starts ranks prints, a rank on each host."""
        return self._output([TUTTI, verb, *words, "--", "@mpirun"], hosts, variables)

    def launch(self, program, variables=None):
        """What a program prints, a rank on each host: under Tutti if its variables are among these."""
        variables = variables or {}
        if any(name.startswith("TUTTI_") for name in variables):
            variables = {"LD_PRELOAD": str(preloaded(self.mpi)), **variables}
        tell = (lambda n, v: ("-x", f"{n}={v}")) if self.mpi == "openmpi" else (lambda n, v: ("-genv", n, v))
        return self._output(["@mpirun", *(word for n, v in variables.items() for word in tell(n, v)),
                             *program])

    def profile(self, program, file, table=None):
        """Runs a program, natively or under a table, and returns what it did."""
        under = ["--table", table, "--float-sums", "any"] if table else []
        self._output([TUTTI, "run", *under, "--profile", file, "--", "@mpirun", *program])
        return json.loads(Path(file).read_text())

    def _output(self, command, hosts=None, variables=None):
        emulated = [ROOT / "testbed/emulated", "--hosts", hosts or self.hosts, "--mpi", self.mpi,
                    *self.options, "--", *command]
        return watch.run(list(map(str, emulated)), check=True, stdout=subprocess.PIPE, text=True,
                         env={**os.environ, **(variables or {})}).stdout

    def measure(self, operation, sizes, plans, *words, hosts=None, variables=None):
        """Measurements of the native operation and of plans, as `tutti bench` has them in JSON."""
        sizes = ["--sizes", ",".join(map(str, sizes))] if sizes else []
        return json.loads(self.run("bench", operation, *sizes, *named(plans), *words, "--json", hosts=hosts,
                                   variables=variables))

    def tune(self, file, *words):
        """Writes a table, says what is in it, and returns it."""
        progress(self.run("tune", "-o", file, *words))
        return json.loads(Path(file).read_text())

    def measure_again(self, table, *words):
        """What a table chose beside the native operation, with fresh repetitions."""
        for operation, size in sorted({(m["operation"], m["size"]) for m in table["measurements"]}):
            record = {"kind": "again", "operation": operation, "bytes": size,
                      "plan": plan_at(table, operation, size)}
            if record["plan"] != "native":
                native, tuned = self.measure(operation, [size], [record["plan"]], "--repetitions", 1000,
                                             *words)
                record |= {"native_s": native["median_s"], "tuned_s": tuned["median_s"],
                           "speedup": 1 / tuned["ratio_to_native"], "slower": tuned["ratio_low"] > 1}
            yield record


def of_table(records):
    slower = [f"{r['operation']} {r['bytes']}" for r in records if r.get("slower")]
    return [f"Geometric mean of the speed-up over {len(records)} points: "
            f"{geometric_mean([r.get('speedup', 1) for r in records]):.2f}.",
            f"Slower than native beyond noise: {', '.join(slower) or 'none'}."]


AGAIN = Table("What the table chose, measured again on {hosts} emulated hosts, {mpi}", [
    Column("operation", "operation"), Column("bytes", "bytes"),
    Column("native ms", lambda r: r.get("native_s") and 1e3 * r["native_s"], ".2f"),
    Column("tuned ms", lambda r: r.get("tuned_s") and 1e3 * r["tuned_s"], ".2f"),
    Column("speed-up", "speedup", ".2f"), Column("plan", "plan")], kind="again", notes=of_table)
