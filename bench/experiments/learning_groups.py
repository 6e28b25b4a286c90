"""Learning on simulated networks whose middle is narrow, with and without telling it the switches.

96 hosts that are drawn at random, as a scheduler hands them out, of a fat tree that is tapered above
its leaves, or of a dragonfly; links of a thousandth of the platform's bandwidth and fifty times its
latency, so that a program's calls take long enough to learn from. A program of all operations and
mixed sizes, drawn at random, natively, in three runs that learn of ranks and hosts alone, and in
three that know from a file which hosts are in a group: the file that a probe of these hosts writes."""

import tempfile
from random import Random

from driver.options import SEED, joined, option, some_of
from driver.tables import Column, Table
from shared.figures import geometric_mean
from shared.simulation import PLATFORMS, Cluster

RANKS = 96  # of the program's largest communicator
RUNS = ["first", "second", "third"]
SLOW = ["--cfg=smpi/bw-factor:0:0.001", "--cfg=smpi/lat-factor:0:50.0", "--cfg=network/crosstraffic:0"]
OPTIONS = [option("--platforms", type=some_of(PLATFORMS), default=joined(["tapered", "dragonfly"]),
                  metavar="PLATFORMS", help="simulated networks, separated by commas"),
           option("--programs", type=int, default=3, help="number of programs that are drawn for each"),
           option("--iterations", type=int, default=2000, help="number of iterations"),
           option("--largest", type=int, default=1 << 16, help="largest size of a call, in bytes"), SEED,
           option("--selector", default="ompi", help="SimGrid's selector that is taken as native")]


def points(options):
    random = Random(options.seed)
    return [{"platform": platform, "program": random.randrange(10000), "draw": random.randrange(10000)}
            for platform in options.platforms for _ in range(options.programs)]


def seconds(cluster, point, options, variables):
    printed = cluster.launch(RANKS, "mixed", options.iterations, point["program"], options.largest,
                             variables=variables, selector=options.selector)
    return float(printed.splitlines()[-1].split()[1])


def measure(options, points):
    for point in points:
        hosts = Random(point["draw"]).sample(PLATFORMS[point["platform"]][1], RANKS)
        cluster = Cluster(point["platform"], exact=False, options=SLOW, hosts=hosts)
        with tempfile.TemporaryDirectory() as folder:
            groups = f"{folder}/groups"
            cluster.probe(RANKS, f"{folder}/network.json", "--write-groups", groups)
            record = {**point, "native": seconds(cluster, point, options, None)}
            for name, told in (("untold", {}), ("told", {"TUTTI_GROUPS": groups})):
                for run in RUNS:
                    learning = {"TUTTI_FLOAT_SUMS": "any", "TUTTI_LEARN": "1",
                                "TUTTI_CACHE": f"{folder}/{name}", **told}
                    record[f"{name}_{run}"] = seconds(cluster, point, options, learning)
            yield record


def gain(field):
    return lambda record: record["native"] / record[field]


def means(records):
    def mean(field):
        return geometric_mean([gain(field)(record) for record in records])
    return [f"Geometric mean in the {run} run: {mean(f'untold_{run}'):.2f} untold, "
            f"{mean(f'told_{run}'):.2f} told." for run in RUNS]


TABLES = [Table("{platform}, seconds natively and speed-up over that", [
    Column("program", "program"), Column("native s", "native", ".3f"),
    *(Column(f"{run}, {name}", gain(f"{name}_{run}"), ".2f") for name in ("untold", "told") for run in RUNS)],
    group=["platform"], notes=means)]
