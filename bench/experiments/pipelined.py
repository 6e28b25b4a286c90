"""Pipelined conjugate gradients (apps/conjugate_gradients), natively and under a table.

The whole iteration, and a table for the two nonblocking operations that it makes, beside each
other, at sizes drawn at random. On 16 emulated hosts, real MPI over real TCP (needs root), or with
--simulated on a simulated star of 96, neighbours' rows by messages (SimGrid takes minutes for an
alltoallv of 96 ranks that is mostly empty)."""

import json
import statistics
import tempfile
from random import Random

from driver.options import MPI, SEED, budget, drawn_sizes, option
from driver.tables import Column, Table
from shared.emulation import Emulated
from shared.figures import geometric_mean, take_turns
from shared.simulation import Cluster
from shared.tutti import BUILD

TUNED = ["--sizes", "16,2K"]
OPTIONS = [option("--simulated", action="store_true",
                  help="simulated star in place of emulated hosts, one pair"), MPI,
           budget("90s"),
           drawn_sizes(3, "sizes drawn"),
           option("--pairs", type=int, default=5, help="number of pairs of runs, native and tuned"), SEED]


def points(options):
    random = Random(options.seed)
    return [{"size": size} for size in sorted(random.randrange(200, 2000) for _ in range(options.sizes))]


def on_emulated_hosts(options, table):
    cluster = Emulated(options.mpi)
    cluster.tune(table, "--ops", "iallreduce,ialltoallv", *TUNED, "--budget", options.budget)
    program = BUILD / f"bin/conjugate_gradients-{options.mpi}"
    variables = {"TUTTI_FLOAT_SUMS": "any", "TUTTI_TABLE": table}
    return variables, lambda size, variables: json.loads(cluster.launch(
        [program, "--size", size, "--iterations", 200, "--check", "--json"], variables))


def on_simulated_star(options, table):
    cluster = Cluster("clic", exact=False)
    cluster.tune(96, table, "--ops", "iallreduce", *TUNED, "--budget", options.budget)
    variables = {"TUTTI_FLOAT_SUMS": "any", "TUTTI_TABLE": table, "TUTTI_LEARN": "0"}
    return variables, lambda size, variables: cluster.run(
        96, "conjugate_gradients", "--size", size, "--iterations", 20, "--halo", "messages",
        variables=variables)


def measure(options, points):
    with tempfile.NamedTemporaryFile(suffix=".json") as table:
        tuned, run = (on_simulated_star if options.simulated else on_emulated_hosts)(options, table.name)
        for point in points:
            found = take_turns(1 if options.simulated else options.pairs, {"native": None, "tuned": tuned},
                               lambda variables: run(point["size"], variables)["seconds_per_iteration"])
            yield {**point, **{f"{name}_s": statistics.median_high(times) for name, times in found.items()}}


def gain(record):
    return record["native_s"] / record["tuned_s"]


TABLES = [Table("An iteration", [
    Column("size", "size"), Column("native ms", lambda r: 1e3 * r["native_s"], ".3f"),
    Column("tuned ms", lambda r: 1e3 * r["tuned_s"], ".3f"), Column("gain", gain, ".2f")],
    notes=lambda records: [f"Geometric mean {geometric_mean(list(map(gain, records))):.2f}."])]
