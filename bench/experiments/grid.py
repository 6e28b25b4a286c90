"""Allgather on grids of clusters, simulated: figures 8 to 11 of Gupta and Vadhiyar (2007).

On the three sites (Tennessee, Belfast, Amsterdam), the two European ones and one of them, with
exact links and every result checked; and how far `pools` is from the limit. `trunk` is the three
sites again, where all connections of two sites share 20 Mbit/s. Charts show the times, and how
many messages are on the wide area at a time (figure 9, by the network's model)."""

import tempfile

from driver.charts import Curves
from driver.options import joined, option, sizes, some_of
from driver.tables import Column, Crosstab
from shared.simulation import SYNCHRONOUS, Cluster
from shared.tutti import tutti_json

# Hosts of each site.
NETWORKS = {"three-sites": [8, 4, 8], "trunk": [8, 4, 8], "europe": [4, 8], "one-site": [8]}
# The paper's strategies by the ports that they reckon with, and what needs no model.
MODELLED = {"full": ["min3", "trees", "trees(annealed)"],
            "half": ["min3(half)", "trees(duplex=half)", "trees(annealed,duplex=half)"]}
COORDINATED = ["magpie", "mpich_g2"]
LIMIT = "limit"
OPTIONS = [option("--networks", type=some_of(NETWORKS), default=joined(NETWORKS),
                  help="networks: three-sites, trunk, europe, one-site"),
           sizes([1024, 4096, 16384, 65536, 262144, 524288], "bytes of a rank's block")]


def points(options):
    return [{"network": name, "ranks": sum(NETWORKS[name]),
             "plans": [*MODELLED["full"], *MODELLED["half"], *(COORDINATED if name != "one-site" else []),
                       "spreading_simple", *(["pools"] if name != "one-site" else [])]}
            for name in options.networks]


def price(network, ranks, size, plan):
    return tutti_json("price", "allgather", "--plan", plan, "--ranks", ranks, "--size", size, "--network",
                      network, "--messages")[0]


def on_wide_area(priced, hosts):
    """Steps (time, messages) of how many are between sites at a time."""
    site_of = [site for site, count in enumerate(hosts) for _ in range(count)]
    events = []
    for sender, receiver, start, end in priced["messages"]:
        if site_of[sender] != site_of[receiver]:
            events += [(start, 1), (end, -1)]
    now = 0
    yield 0, 0
    for time, change in sorted(events):
        now += change
        yield time, now


def measure(options, points):
    for point in points:
        name, ranks, plans = point.values()
        cluster = Cluster(name, True, SYNCHRONOUS)
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            network = file.name
            cluster.probe(ranks, network, selector="mpich")
            times = cluster.measure("allgather", options.sizes, ranks, plans, "--network", network,
                                    selector="mpich")
            if isinstance(times, str):
                raise SystemExit(f"{name}: {times}")
            times |= {(size, LIMIT): 1e3 * price(network, ranks, size, "min3")["limit_s"]
                      for size in options.sizes}
            for plan in ["native", *plans, LIMIT]:
                for size in options.sizes:
                    yield {"network": name, "hosts": ranks, "plan": plan, "bytes": size,
                           "ms": times[size, plan]}
            if options.charts and name != "one-site":
                for plan in ["min3", "trees", "magpie", "pools"]:
                    for time, messages in on_wide_area(price(network, ranks, 262144, plan), NETWORKS[name]):
                        yield {"kind": "wide area", "network": name, "plan": plan, "s": time,
                               "messages": messages}


def summary(records):
    """Per cent by which a plan's times are below others', on the average over them and the sizes."""
    times = {(r["plan"], r["bytes"]): r["ms"] for r in records}
    # Of a run that was ended the limit, which comes last, may be missing.
    sizes = [size for plan, size in times if plan == LIMIT]
    if not sizes or ("pools", sizes[0]) not in times:
        return []

    def below(plan, others):
        ratios = [times[plan, size] / times[other, size] for size in sizes for other in others]
        return f"{100 * (1 - sum(ratios) / len(ratios)):.0f} %"

    return ["pools / limit: " + ", ".join(f"{times['pools', size] / times[LIMIT, size]:.2f}"
                                          for size in sizes) + ".",
            *(f"{ours} below MagPIe, MPICH-G2 and trees, {duplex} duplex: "
              f"{below(ours, [*COORDINATED, *trees])} on the "
              "average." for duplex, (ours, *trees) in MODELLED.items()),
            f"pools below them: {below('pools', [*COORDINATED, *MODELLED['full'][1:]])}."]


TABLES = [Crosstab("{network}, {hosts} hosts, milliseconds by bytes of a block",
                   [Column("plan", lambda r: "MPICH's choice" if r["plan"] == "native" else r["plan"])],
                   "bytes", Column("", "ms", ".2f"), group=["network"], notes=summary)]
CHARTS = [Curves("{network}: allgather", "bytes", "ms", "plan", ("bytes of a block", "ms"),
                 settings="set logscale xy", group=["network"]),
          Curves("{network}-wide-area: messages between sites, 256 KB", "s", "messages", "plan",
                 ("seconds", "messages"), style="steps", kind="wide area", group=["network"])]
