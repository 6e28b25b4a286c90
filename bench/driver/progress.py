"""What is said while an experiment runs, on standard error: standard output is for its tables."""

import sys
import time

BEGIN = time.monotonic()


def progress(text):
    """Says something with the time since the beginning."""
    seconds = int(time.monotonic() - BEGIN)
    print(f"[{seconds // 60}:{seconds % 60:02}] {text}", file=sys.stderr, flush=True)


def in_words(record):
    """A record in a line."""
    shown = (f"{value:.4g}" if isinstance(value, float) else str(value) for value in record.values())
    return " | ".join(shown)[:150]
