"""Figures made of figures."""

import math


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def mean_in_words(ratios):
    return f"{geometric_mean(ratios):.2f}" if ratios else "none"


def take_turns(number, kinds, measure, alternate=False):
    """What `measure` finds of each kind, {name: setting}, in as many turns; in every second one
    backwards if wanted."""
    found = {name: [] for name in kinds}
    for turn in range(number):
        for name in list(kinds)[::-1] if alternate and turn % 2 else kinds:
            found[name].append(measure(kinds[name]))
    return found


def drawn_logarithmically(random, least, most):
    return math.exp(random.uniform(math.log(least), math.log(most)))
