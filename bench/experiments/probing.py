"""Which groups of hosts `tutti probe` finds by itself, and what that costs, on simulated networks.

A dragonfly, a fat tree that is tapered above its leaves, and a torus, which has no groups; a rank on
each host, hosts in order, exact links. A level is found where its groups are those of the platform,
cut to the hosts that take part; groups whose ways are not narrow are none to the probe."""

import json
import tempfile
import time

from driver.options import joined, numbers, option, some_of
from driver.tables import Column, Table
from shared.simulation import LEVELS, PLATFORMS, Cluster

NETWORKS = ["dragonfly", "tapered", "t3e"]
OPTIONS = [option("--platforms", type=some_of(NETWORKS), default=joined(NETWORKS), metavar="PLATFORMS",
                  help="simulated networks, separated by commas"),
           option("--ranks", type=numbers, default="96,128,512", metavar="NUMBERS", help="numbers of ranks")]


def points(options):
    return [{"platform": platform, "ranks": ranks} for platform in options.platforms
            for ranks in options.ranks if ranks <= len(PLATFORMS[platform][1])]


def partitions(network):
    """The sets of ranks that are in one group, level by level, the innermost first; not of all ranks."""
    within = [group.get("within", -1) for group in network.get("groups", [])]
    at = list(network.get("group_of", []))
    while any(group >= 0 for group in at):
        sets = {}
        for rank, group in enumerate(at):
            sets.setdefault(group, []).append(rank)
        if len(sets) > 1:
            yield sorted(sets.values())
        at = [within[group] if group >= 0 else group for group in at]


def cut(hosts, ranks):
    return [list(range(first, min(first + hosts, ranks))) for first in range(0, ranks, hosts)]


def measure(options, points):
    for point in points:
        cluster = Cluster(point["platform"], exact=True)
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            begin = time.perf_counter()
            cluster.probe(point["ranks"], file.name)
            seconds = time.perf_counter() - begin
            with open(file.name, encoding="utf-8") as text:  # another file of that name
                network = json.load(text)
        found = list(partitions(network))
        levels = {name: cut(hosts, point["ranks"])
                  for name, hosts in LEVELS.get(point["platform"], {}).items() if hosts < point["ranks"]}
        yield {**point, "seconds": seconds, "levels": list(levels),
               "found": [name for name, groups in levels.items() if groups in found],
               "others": sum(groups not in levels.values() for groups in found)}


TABLES = [Table("Groups found", [
    Column("network", "platform"), Column("ranks", "ranks"),
    Column("levels there", lambda r: ", ".join(r["levels"])),
    Column("found", lambda r: ", ".join(r["found"])), Column("other levels found", "others"),
    Column("seconds, simulation and all", "seconds", ".1f")])]
