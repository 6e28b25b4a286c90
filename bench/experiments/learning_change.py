"""A network that changes while a program learns, simulated.

Allgathers of sizes drawn at random, one after another, on the hosts of three sites, where rates
fall in the middle of the run: those between all hosts of two sites, or those between neighbouring
ranks of different sites only, which a ring needs most. The times of native calls and of learning's
before and after, and when learning has followed: when calls of its last tenth began to take no
more than 1.02 times what they take there. Beside it a run that learns on the slower network from
its beginning. Simulated times repeat exactly."""

import re
import tempfile
from pathlib import Path
from random import Random
from statistics import median

from driver.options import SEED, option
from driver.tables import Column, Table
from shared.simulation import PLATFORMS, Cluster

HOSTS = PLATFORMS["three-sites"][1]
FULL = "--cfg=network/optim:Full"  # SimGrid's lazy updates lose messages where a rate changes
LEARNING = {"TUTTI_FLOAT_SUMS": "any", "TUTTI_LEARN": "1", "TUTTI_CACHE": "none"}
OPTIONS = [
    option("--calls", type=int, default=1000,
           help="number of calls before the change; the run lasts as long again"),
    option("--points", type=int, default=6, help="number of points drawn, each a size and a number of ranks"),
    option("--factor", type=float, default=2, help="factor by which rates fall"), SEED]


def points(options):
    random = Random(options.seed)
    drawn = [(round(2 ** random.uniform(10, 18)), random.randrange(9, 21)) for _ in range(options.points)]
    return [{"bytes": size, "ranks": ranks, "slower": slower} for size, ranks in drawn for slower in SLOWER]


def between_sites(hosts):
    return {f"{a}-{b}" for a in hosts for b in hosts if {a.split("-")[0], b.split("-")[0]} == {"ut", "nth"}}


def between_neighbours(hosts):
    pairs = [*zip(hosts, hosts[1:] + hosts[:1])]
    return {f"{a}-{b}" for pair in pairs for a, b in (pair, pair[::-1])}


SLOWER = {"between sites": between_sites, "neighbours": between_neighbours}


class Network(Cluster):
    """The three sites, of which some connections are slower from a moment of the simulation on."""

    def __init__(self, folder, factor):
        super().__init__("three-sites", True, [FULL])
        self.folder, self.factor, self.unchanged = Path(folder), factor, self.platform.read_text()
        self.platform = self.folder / "platform.xml"

    def calls(self, ranks, size, seconds, slower, slower_from, variables):
        """(when it began, seconds) of each call."""
        def slowed(link):  # each has its own file, beside the platform's
            if link[1] not in slower:
                return link[0]
            rate = float(link[2]) / self.factor * 1e6 / 8
            (self.folder / link[1]).write_text(f"{max(slower_from, 1e-9)} {rate}\n")
            return f'{link[0]} bandwidth_file="{link[1]}"'

        self.platform.write_text(re.sub(r'<link id="([^"]*)" bandwidth="([\d.]+)Mbps"', slowed,
                                        self.unchanged))
        printed = self.launch(ranks, "repeat", size, seconds, variables=variables, cwd=self.folder)
        return [tuple(map(float, line.split())) for line in printed.splitlines()]


def settled(calls):
    """What calls took in the last tenth."""
    return median(took for _, took in calls[-max(1, len(calls) // 10):])


def following(calls):
    """Seconds and calls until half of ten calls, and of all ten later ones, are as fast as the last."""
    limit = 1.02 * settled(calls)
    late = [i for i in range(len(calls)) if median(took for _, took in calls[i:i + 10]) > limit]
    first = late[-1] + 1 if late else 0
    return (calls[first][0] if first < len(calls) else calls[-1][0]) - calls[0][0], first


def measure(options, points):
    with tempfile.TemporaryDirectory() as folder:
        network = Network(folder, options.factor)
        for point in points:
            size, ranks = point["bytes"], point["ranks"]
            slower = SLOWER[point["slower"]](HOSTS[:ranks])
            some = network.calls(ranks, size, 10, [], 0, None)
            change = options.calls * (some[-1][0] + some[-1][1]) / len(some)
            native, learning = (network.calls(ranks, size, 2 * change, slower, change, variables)
                                for variables in (None, LEARNING))
            there = network.calls(ranks, size, 2 * change, slower, 0, LEARNING)
            record = {**point}
            for name, calls in (("native", native), ("learning", learning)):
                record[f"{name}_before_s"] = settled([call for call in calls if call[0] < change])
                record[f"{name}_after_s"] = settled(after := [call for call in calls if call[0] >= change])
            seconds, number = following(after)
            yield record | {"learned_there_s": settled(there), "followed_s": seconds,
                            "followed_calls": number}


def milliseconds(heading, field):
    return Column(heading, lambda r: r[field] * 1e3, ".2f")


TABLES = [Table("Milliseconds a call", [
    Column("bytes", "bytes"), Column("ranks", "ranks"), Column("slower", "slower"),
    milliseconds("before: native", "native_before_s"), milliseconds("learning", "learning_before_s"),
    milliseconds("after: native", "native_after_s"), milliseconds("learning", "learning_after_s"),
    milliseconds("learned there", "learned_there_s"), Column("followed after s", "followed_s", ".1f"),
    Column("calls", "followed_calls")])]
