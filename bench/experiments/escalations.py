"""TCP's escalations on an emulated cluster whose switch has a small queue towards the root.

`tutti probe` finds where a linear gather begins and ceases to lose time-outs and to which levels
it escalates; then the linear gather, the same split into pieces that fit the queue, and the MPI
library's own choice are measured side by side; then, with --tune, a tuned table's choices against
the library's. Needs root."""

import json
import tempfile
from pathlib import Path

from driver.options import HOSTS, MPI, budget, joined, ops, option, words
from driver.progress import progress
from driver.tables import Column, Table
from shared.emulation import AGAIN, Emulated

OPTIONS = [
    HOSTS, MPI, option("--rate", default="200mbit", help="rate of all ports"),
    option("--queue", default="48kb", help="queue of the switch's port to the root"),
    ops(["gather", "scatter"]),
    option("--sizes", type=words, default="1K,2K,4K,8K,16K,32K,64K,128K,256K,512K", help="bytes of a block"),
    budget("60s", "time for each collective that is probed"),
    option("--seconds", default="10", help="seconds for each size"),
    option("--tune", metavar="BUDGET", help="time for tuning a table as well (default: none)")]


def points(options):
    return [{"operation": operation, "sizes": options.sizes} for operation in options.ops]


def measure(options, points):
    cluster = Emulated(options.mpi, options.hosts, ["--rate", options.rate, "--root-queue", options.queue])
    with tempfile.TemporaryDirectory() as folder:
        network = f"{folder}/network.json"
        progress(cluster.run("probe", "-o", network, "--budget", options.budget, "--largest", "512K",
                             "--collective", joined(options.ops)))
        learnt = json.loads(Path(network).read_text())
        for operation, sizes in (point.values() for point in points):
            if operation not in learnt:
                progress(f"{operation}: nothing to split")
                continue
            for m in cluster.measure(operation, sizes, ["linear", "split(auto)[linear]"], "--network",
                                     network, "--seconds", options.seconds, "--repetitions", 100):
                yield {"kind": "split", "operation": operation, "bytes": m["size"], "plan": m["plan"],
                       "mean_s": m["mean_s"], "median_s": m["median_s"]}
        if options.tune:
            table = cluster.tune(f"{folder}/table.json", "--ops", joined(options.ops), "--sizes",
                                 joined(options.sizes), "--budget", options.tune, "--network", network)
            yield from cluster.measure_again(table, "--seconds", options.seconds)


def by_size(records):
    for size in sorted({r["bytes"] for r in records}):
        # Where --seconds were too few, or the run was ended, some are missing.
        if len(found := [r for r in records if r["bytes"] == size]) == 3:
            yield {"bytes": size, **dict(zip(["native", "linear", "split"], found))}


def mean_and_median(name):
    return Column(name, lambda row: f"{row[name]['mean_s'] * 1e3:.2f} ({row[name]['median_s'] * 1e3:.2f})")


TABLES = [
    Table("{operation}, {mpi}, mean (median) in milliseconds", [
        Column("bytes", "bytes"), *map(mean_and_median, ["native", "linear", "split"]),
        Column("linear / split", lambda row: row["linear"]["mean_s"] / row["split"]["mean_s"], ".2f"),
        Column("plan", lambda row: row["split"]["plan"])], kind="split", group=["operation"],
        rows=lambda records: list(by_size(records))), AGAIN]
