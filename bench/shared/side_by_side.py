"""Tutti's best plan beside what several MPI libraries choose on a simulated cluster."""

import sys
from concurrent.futures import ThreadPoolExecutor

from driver.tables import Column, Table
from shared.figures import mean_in_words


def measure_each(cluster, operation, sizes, ranks, plans, selector):
    """`Cluster.measure` by size; what it says of a size where there is no result. One simulation serves
    all sizes if it can."""
    together = cluster.measure(operation, sizes, ranks, plans, selector=selector)
    if isinstance(together, str) and len(sizes) > 1:
        return {size: measure_each(cluster, operation, [size], ranks, plans, selector)[size]
                for size in sizes}
    if isinstance(together, str):
        return {sizes[0]: together}
    return {size: {plan: time for (at, plan), time in together.items() if at == size} for size in sizes}


def record_of(operation, size, natives, plan, tuned):
    """Milliseconds of the plan and of each peer's choice, or a word for why there are none."""
    return {"operation": operation, "bytes": size, "plan": plan, "tuned_ms": tuned,
            **{f"peer_{peer}_ms": time for peer, time in natives.items()}}


def records_of(cluster, ranks, peers, operation, sizes, plans):
    """Each peer's choice in a simulation of its own, and the fastest of our plans beside the first peer
    that works, or beside Open MPI where none of them does."""
    choices = {peer: measure_each(cluster, operation, sizes, ranks, ["native"], peer) for peer in peers}
    first = {s: next((p for p in peers if not isinstance(choices[p][s], str)), "ompi") for s in sizes}
    records = []
    for selector in dict.fromkeys(first.values()):
        mine = [s for s in sizes if first[s] == selector]
        ours = measure_each(cluster, operation, mine, ranks, plans, selector) if mine else {}
        for size, times in ours.items():
            if isinstance(times, str):
                sys.exit(f"{operation} of {size} bytes: {times}")
            # What a user of Open MPI gets: the fastest of all plans and its own choice.
            times = {plan: time for plan, time in times.items() if plan != "native" or selector == "ompi"}
            plan = min(times, key=times.get)
            natives = {p: c if isinstance(c := choices[p][size], str) else c["native"] for p in peers}
            records.append(record_of(operation, size, natives, plan, times[plan]))
    return sorted(records, key=lambda record: record["bytes"])


def compare(cluster, ranks, peers, points, jobs):
    """Records of all points, {"operation", "sizes", "plans"}; "all" plans: the whole catalogue."""
    with ThreadPoolExecutor(jobs) as pool:
        for records in pool.map(lambda point: records_of(cluster, ranks, peers, *point.values()), points):
            yield from records


def times_of_peers(record):
    return {name[5:-3]: time for name, time in record.items() if name.startswith("peer_")}


def over_best(record):
    best = min((t for t in times_of_peers(record).values() if not isinstance(t, str)), default=None)
    return "-" if best is None else best / record["tuned_ms"]


def over_first(record):
    first = next(iter(times_of_peers(record).values()))
    return "-" if isinstance(first, str) else first / record["tuned_ms"]


class SideBySide(Table):
    """A column for each peer, and means over the best of them and over the first."""

    def __init__(self, title, notes=None):
        super().__init__(f"{title}, milliseconds; bytes: the whole vector, or one rank's block", None,
                         notes=self.means)
        self.further = notes

    def layout(self, records):
        peers = list(times_of_peers(records[0]))
        return [Column("operation", "operation"), Column("bytes", "bytes"),
                *(Column(peer, f"peer_{peer}_ms", ".3f") for peer in peers),
                Column("tuned", "tuned_ms", ".3f"),
                Column("over best", over_best, ".2f"), Column(f"over {peers[0]}", over_first, ".2f"),
                Column("plan", "plan")], records

    def means(self, records):
        firsts, bests = ([ratio for r in records if not isinstance(ratio := over(r), str)]
                         for over in (over_first, over_best))
        above = [f"{r['operation']} {r['bytes']}" for r in records
                 if not isinstance(ratio := over_best(r), str) and ratio < 1 - 1e-9]
        return [f"Geometric mean over the best of them: {mean_in_words(bests)}.",
                f"Geometric mean over {next(iter(times_of_peers(records[0])))}: {mean_in_words(firsts)}.",
                f"Above the best of them: {', '.join(above) or 'never'}.",
                *(self.further(records) if self.further else [])]
