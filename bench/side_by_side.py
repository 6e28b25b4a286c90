"""Tutti's best plan beside what several MPI libraries choose on a simulated cluster."""

import math
import sys
from concurrent.futures import ThreadPoolExecutor

SELECTORS = ["ompi", "mpich", "mvapich2"]


def measure_each(cluster, operation, sizes, ranks, plans, selector):
    """`Cluster.measure` by size; what it says of a size where there is no result. One simulation serves all sizes if it can."""
    together = cluster.measure(operation, sizes, ranks, plans, selector)
    if isinstance(together, str) and len(sizes) > 1:
        return {size: measure_each(cluster, operation, [size], ranks, plans, selector)[size] for size in sizes}
    if isinstance(together, str):
        return {sizes[0]: together}
    return {size: {plan: time for (at, plan), time in together.items() if at == size} for size in sizes}


def lines_of(cluster, ranks, peers, operation, sizes, plans):
    """Each peer's choice in a simulation of its own, and the fastest of our plans beside the first peer that works."""
    choices = {peer: measure_each(cluster, operation, sizes, ranks, ["native"], peer) for peer in peers}
    lines = []
    for selector in peers:
        mine = [s for s in sizes if selector == next(p for p in peers if not isinstance(choices[p][s], str))]
        ours = measure_each(cluster, operation, mine, ranks, plans, selector) if mine else {}
        for size, times in ours.items():
            if isinstance(times, str):
                sys.exit(f"{operation} of {size} bytes: {times}")
            # What a user of Open MPI gets: the fastest of all plans and its own choice.
            times = {plan: time for plan, time in times.items() if plan != "native" or selector == "ompi"}
            plan = min(times, key=times.get)
            natives = {p: c if isinstance(c := choices[p][size], str) else c["native"] for p in peers}
            lines.append({"operation": operation, "size": size, "peers": natives, "plan": plan, "tuned": times[plan],
                          "best": min(time for time in natives.values() if not isinstance(time, str))})
    return sorted(lines, key=lambda line: line["size"])


def compare(cluster, ranks, peers, todo, jobs):
    """A line for each size of each (operation, sizes, plans); "all" plans: the whole catalogue."""
    with ThreadPoolExecutor(jobs) as pool:
        lines = pool.map(lambda item: lines_of(cluster, ranks, peers, *item), todo)
        return [line for of_operation in lines for line in of_operation]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def print_table(title, names, lines):
    print(f"{title}, milliseconds; bytes: the whole vector, or one rank's block")
    print(f"{'operation':<16}{'bytes':>8}" + "".join(f"{n:>10}" for n in names) +
          f"{'tuned':>10}{'over best':>11}{'over ' + names[0]:>11}  plan")
    for line in lines:
        first = line["peers"][names[0]]
        over_first = "-" if isinstance(first, str) else f"{first / line['tuned']:.2f}"
        cells = "".join(f"{t:>10}" if isinstance(t, str) else f"{t:>10.3f}" for t in line["peers"].values())
        print(f"{line['operation']:<16}{line['size']:>8}{cells}{line['tuned']:>10.3f}"
              f"{line['best'] / line['tuned']:>11.2f}{over_first:>11}  {line['plan']}")
    print(f"geometric mean over the best of them: {geometric_mean([l['best'] / l['tuned'] for l in lines]):.2f}")
    firsts = [l["peers"][names[0]] / l["tuned"] for l in lines if not isinstance(l["peers"][names[0]], str)]
    print(f"geometric mean over {names[0]}: {geometric_mean(firsts):.2f}")
    above = [l for l in lines if l["tuned"] > l["best"] * (1 + 1e-9)]
    print(f"above the best of them: {', '.join(l['operation'] + ' ' + str(l['size']) for l in above) or 'never'}")
