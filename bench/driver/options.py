"""Options that experiments declare; those that several have are written once."""

import argparse
import os
from random import SystemRandom


def option(*names, **settings):
    """An option in argparse's words."""
    return names, settings


def words(text):
    """Words separated by commas."""
    return text.split(",") if text else []


def some_of(known):
    """Reads words separated by commas, each one of those that are known."""
    def some(text):
        found = words(text)
        if unknown := [word for word in found if word not in known]:
            raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of: {', '.join(known)}")
        return found
    return some


def numbers(text):
    """Numbers separated by commas."""
    return [int(word) for word in words(text)]


def joined(values):
    return ",".join(map(str, values))


def is_named(name, parts):
    """Whether one of the parts, if there are any, is in the name of a program."""
    return not parts or any(part.lower() in name.lower() for part in parts)


MPI = option("--mpi", choices=["openmpi", "mpich"], default="openmpi", help="MPI library")
HOSTS = option("--hosts", type=int, default=16, help="number of emulated hosts, a rank on each")
JOBS = option("--jobs", type=int, default=os.cpu_count(), help="number of simulations at a time")
ONLY = option("--only", type=words, default="", metavar="WORDS",
              help="words, separated by commas, one of which is in a program's name")
SEED = option("--seed", type=int, default=SystemRandom().randrange(10000),
              help="seed of what is drawn at random: the same one draws the same again")


def ops(values, others=True):
    """These operations if nothing is said; others may be named, or not."""
    return option("--ops", type=words if others else some_of(values), default=joined(values),
                  metavar="OPERATIONS", help="operations, separated by commas")


def sizes(values, help="sizes in bytes, of the whole vector or one rank's block"):
    return option("--sizes", type=numbers, default=joined(values), metavar="SIZES", help=help)


def drawn_sizes(number, help="number of sizes drawn for each operation"):
    return option("--sizes", type=int, default=number, help=help)


def budget(time, help="time for tuning"):
    return option("--budget", default=time, metavar="TIME", help=help)


def peers(values):
    return option("--peers", type=words, default=joined(values), metavar="SELECTORS",
                  help="SimGrid's selectors of MPI libraries to compare with")


def repetitions(number, help="number of runs of each kind"):
    return option("--repetitions", type=int, default=number, help=help)
