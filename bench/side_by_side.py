"""Tutti's best plan beside what several MPI libraries choose on a simulated cluster."""

import math
import sys
from concurrent.futures import ThreadPoolExecutor

SELECTORS = ["ompi", "mpich", "mvapich2"]


def one_line(cluster, ranks, peers, plans, operation, size):
    """Each peer's choice in a simulation of its own, and the fastest of our plans."""
    def measure(selector, wanted):
        times = cluster.measure(operation, [size], ranks, wanted, selector)
        return times if isinstance(times, str) else {plan: time for (_, plan), time in times.items()}

    choices = {}
    for selector in peers:
        times = measure(selector, ["native"])
        choices[selector] = times if isinstance(times, str) else times["native"]
    working = [selector for selector, time in choices.items() if not isinstance(time, str)]
    ours = measure(working[0], plans)
    if isinstance(ours, str):
        sys.exit(f"{operation} of {size} bytes: {ours}")
    # What a user of Open MPI gets: the fastest of all plans and its own choice.
    base = {plan: time for plan, time in ours.items() if plan != "native" or working[0] == "ompi"}
    plan = min(base, key=base.get)
    return {"operation": operation, "size": size, "peers": choices, "plan": plan, "tuned": base[plan],
            "best": min(choices[selector] for selector in working)}


def compare(cluster, ranks, peers, plans_for, points, jobs):
    """A line for each (operation, size). `plans_for(operation)`: what to try, "all" for the whole catalogue."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda point: one_line(cluster, ranks, peers, plans_for(point[0]), *point), points))


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
