"""Grids of ranks, and what LAM-MPI did, as plans."""

RANKS = {"clic": [48, 96], "xeon": [16, 32], "t3e": [48, 96]}
OPERATIONS = ["bcast", "gather", "scatter", "reduce", "allreduce", "allgather"]
MOST_UNLIKE = 4  # sides of a grid of three levels


def lam(operation, ranks):
    """What LAM-MPI did on so many ranks, as a plan."""
    reduce = "linear" if ranks <= 4 else "binomial"
    return {"bcast": "lam", "gather": "linear", "scatter": "linear", "reduce": reduce,
            "allreduce": f"via(reduce,bcast)[{reduce},lam]",
            "allgather": "via(gather,bcast)[linear,lam]"}[operation]


def sides(ranks, levels):
    """All grids of two levels, of three those whose sides differ little."""
    if levels == 2:
        return [(a, ranks // a) for a in range(2, ranks) if ranks % a == 0]
    three = [(a, b, ranks // (a * b)) for a in range(2, ranks) for b in range(2, ranks)
             if ranks % (a * b) == 0 and ranks // (a * b) > 1]
    return [s for s in three if max(s) <= MOST_UNLIKE * min(s)]


def grid(operation, extents, against, mapping):
    text = "x".join(map(str, extents)) + ("" if mapping == "row_major" else f",mapping={mapping}")
    if against != "lam":
        return f"grid({text})"
    # A phase was a call of its own, which ended before the next began.
    return f"grid({text},phases=apart)[{','.join(lam(operation, side) for side in extents)}]"
