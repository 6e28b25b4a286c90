"""What a table gives communicators that it was not tuned for, simulated.

Tuned at some numbers of ranks, asked for others, at sizes drawn at random, beside native and
beside a table that is tuned at exactly those points. The share of the gain is that of its
logarithm."""

import json
import math
import tempfile
from pathlib import Path
from random import Random

from driver.options import SEED, budget, drawn_sizes, joined, ops, option, some_of
from driver.tables import Column, Table, by_fields
from shared.figures import drawn_logarithmically
from shared.simulation import Cluster
from shared.tutti import tutti_json

TUNED, ASKED = [16, 32, 64, 96], [24, 40, 48, 72, 80, 89]
# By platform the ranks there are, and how they lie: so many on a host, or dealt out to so many.
PLATFORMS = {"clic": (96, ["--ranks-per-host", "1"]), "fat": (96, ["--ranks-per-host", "16"]),
             "xeon": (32, ["--hosts", "16", "--cyclic"])}
BLOCKS = ["gather", "scatter", "allgather", "alltoall"]
VECTORS = ["bcast", "reduce", "allreduce", "reduce_scatter_block"]
USUAL = [8, 128, 1024, 8192, 32768, 65536, 1048576]
OPTIONS = [
    option("--platforms", type=some_of(PLATFORMS), default=joined(PLATFORMS),
           help="simulated platforms: clic, fat, xeon"),
    ops(BLOCKS + VECTORS, others=False),
    drawn_sizes(3),
    budget("900s", "time for each table"),
    option("--selector", default="ompi", help="SimGrid's selector that is taken as native"), SEED,
    option("--keep", metavar="FOLDER", help="folder of the tables, which are used again where they exist")]


def points(options):
    random, found = Random(options.seed), []
    for platform in options.platforms:
        for of_kind, longest in (BLOCKS, 32768), (VECTORS, 1048576):
            if operations := [operation for operation in of_kind if operation in options.ops]:
                sizes = sorted({round(drawn_logarithmically(random, 8, longest))
                                for _ in range(options.sizes)})
                found.append({"platform": platform, "operations": operations, "longest": longest,
                              "sizes": sizes})
    return found


def ask(options, folder, platform, operations, longest, sizes):
    cluster, (most, placed) = Cluster(platform, False), PLATFORMS[platform]
    tuned, asked = ([max(2, round(ranks * most / TUNED[-1])) for ranks in counts] for counts in (TUNED,
                                                                                                 ASKED))

    def tune(counts, sizes, file):
        if not file.exists():
            cluster.tune(most, file, *operations, "--ranks", joined(counts), "--sizes", joined(sizes),
                         "--budget", options.budget, selector=options.selector)
        return json.loads(file.read_text())["measurements"]

    # Tables that are kept serve again where they are of the same.
    same = f"{platform}-{options.selector}-{'-'.join(operations)}-{longest}"
    table = folder / f"{same}.json"
    tune(tuned, [size for size in USUAL if size <= longest], table)
    times = {}
    for m in tune(asked, sizes, folder / f"{same}-exact-{joined(sizes)}.json"):
        times.setdefault((m["operation"], m["ranks"], m["size"]), {})[m["plan"]] = m["median_s"] * 1e3
    for operation in operations:
        for ranks in asked:
            for size in [size for o, r, size in times if (o, r) == (operation, ranks) and size in sizes]:
                known = times[operation, ranks, size]
                plan = tutti_json("explain", operation, "--ranks", ranks, *placed, "--size", size, "--table",
                                  table)["plan"]
                chosen = known[plan] if plan in known else cluster.measure(
                    operation, [size], most, [plan], "--ranks", str(ranks), selector=options.selector)[size,
                                                                                                       plan]
                yield {"platform": platform, "operation": operation, "ranks": ranks, "bytes": size,
                       "plan": plan,
                       "native_ms": known["native"], "chosen_ms": chosen, "exact_ms": min(known.values())}


def measure(options, points):
    if options.keep:
        Path(options.keep).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        for point in points:
            yield from ask(options, Path(options.keep or temporary), *point.values())


def is_slower(record):
    return record["chosen_ms"] > 1.01 * record["native_ms"]


def of_points(name, records):
    """What the table gives at some points, and what one for just these would."""
    gain, most = (sum(math.log(r["native_ms"] / r[kind]) for r in records) for kind in ("chosen_ms",
                                                                                        "exact_ms"))
    count = len(records)
    return {"operation": name, "points": count, "chosen": math.exp(gain / count),
            "exact": math.exp(most / count), "share": gain / most if most else None,
            "slower": sum(map(is_slower, records))}


def by_operation(records):
    return [*(of_points(name, of_one) for (name,), of_one in by_fields(records, ["operation"]).items()),
            of_points("all", records)]


TABLES = [Table("{platform}: speed-up over native at numbers of ranks that were not tuned, geometric means", [
    Column("operation", "operation"), Column("points", "points"), Column("by the table", "chosen", ".2f"),
    Column("tuned exactly", "exact", ".2f"), Column("share of the gain", "share", ".0%"),
    Column("slower than native beyond 1 %", "slower")], group=["platform"], rows=by_operation)]
