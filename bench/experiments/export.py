"""What may be had without preloading, by the MPI library's own algorithms.

These as `tutti export` chooses them, beside the library's choice and Tutti's table, eight
operations on an emulated cluster. Tunes once for all of it at fixed sizes, then measures at
sizes drawn at random between those: each by itself, in turn, in jobs of their own, for rules are
read when a job begins; a plan that all jobs measure is what they are compared by. Needs root."""

import statistics
import tempfile
from random import Random

from driver.options import HOSTS, MPI, SEED, budget, drawn_sizes, joined, ops, option
from driver.tables import Column, Table
from shared.emulation import Emulated
from shared.figures import geometric_mean, take_turns
from shared.tutti import plan_at

# What all jobs measure besides, to be compared by.
REFERENCES = {"bcast": "binomial", "reduce": "binomial", "allreduce": "recursive_doubling",
              "allgather": "bruck", "alltoall": "pairwise", "gather": "binomial", "scatter": "binomial",
              "reduce_scatter_block": "recursive_halving"}
TUNED = [64, 1024, 16384, 131072]
FORMATS = {"openmpi": "ompi-rules", "mpich": "mpich-json"}
OPTIONS = [
    MPI, HOSTS, budget("300s"), drawn_sizes(2),
    option("--seconds", type=float, default=1, help="seconds of each measurement"),
    option("--rounds", type=int, default=2, help="number of jobs of each kind"),
    ops(REFERENCES, others=False), SEED]


def points(options):
    random = Random(options.seed)
    return [{"operation": operation, "bytes": size} for operation in options.ops
            for size in sorted(round(64 * 2 ** random.uniform(0, 11) / 8) * 8 for _ in range(options.sizes))]


def rules_in_force(mpi, file):
    """The variables that make the library read the file."""
    if mpi == "mpich":
        return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": file}
    return {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_dynamic_rules_filename": file}


def measure(options, points):
    cluster = Emulated(options.mpi, options.hosts)
    with tempfile.TemporaryDirectory() as folder:
        file, rules = f"{folder}/table.json", f"{folder}/rules"
        table = cluster.tune(file, "--ops", joined(options.ops), "--sizes", joined(TUNED), "--library",
                             "--budget", options.budget)
        cluster.run("export", file, "--format", FORMATS[options.mpi], "-o", rules)
        kinds = {"by itself": {}, "exported": rules_in_force(options.mpi, rules)}
        for point in points:
            operation, size = point.values()
            plan, reference = plan_at(table, operation, size), REFERENCES[operation]
            plans = list(dict.fromkeys([reference, *([plan] if plan != "native" else [])]))

            def ratios(variables):
                """Times over that of the reference, which stands for the machine's speed."""
                measured = {m["plan"]: m["median_s"] for m in cluster.measure(
                    operation, [size], plans, "--seconds", options.seconds, variables=variables)}
                return {name: seconds / measured[reference] for name, seconds in measured.items()}

            found = take_turns(options.rounds, kinds, ratios, alternate=True)
            native, exported, tuned = (statistics.median(each[name] for each in found[kind]) for kind,
                                       name in (
                ("by itself", "native"), ("exported", "native"), ("by itself", plan)))
            yield {**point, "exported": native / exported, "table": native / tuned, "plan": plan}


def summary(records):
    means = (geometric_mean([r[name] for r in records]) for name in ("exported", "table"))
    return ["Geometric means: exported {:.2f}, table {:.2f}.".format(*means)]


TABLES = [Table("{hosts} emulated hosts, {mpi}; the library's choice is 1", [
    Column("operation", "operation"), Column("bytes", "bytes"), Column("exported", "exported", ".2f"),
    Column("table", "table", ".2f"), Column("plan of the table", "plan")], notes=summary)]
