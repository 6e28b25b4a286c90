"""Nothing that an experiment starts outlives bench/run, whatever ends it.

A launcher of MPI ends its ranks when it is told to end, but not when the command that started it
dies, and its daemons are nobody's children then. So experiments run in a child of bench/run, which
adopts what loses its parent, hands signals on, and waits until all of it has ended."""

import contextlib
import ctypes
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 10  # seconds in which what is told to end may do so
POLL = 0.1  # seconds between two looks at what is left; none is taken while an experiment runs
PDEATHSIG, CHILD_SUBREAPER = 1, 36  # of prctl(2)

told = None  # the signal that told this process to end


def heed(number, _frame):
    """Interrupts the experiment, once: what follows writes its results."""
    global told
    if told is None:
        told = number
        raise KeyboardInterrupt


def run(command, **settings):
    """As subprocess.run does, for all threads. Once all is to end nothing starts any more, and what
    did not come to its end is no result."""
    try:
        if told is None:
            return subprocess.run(command, **settings)
    finally:
        if told is not None:
            raise KeyboardInterrupt


def prctl(*words):
    ctypes.CDLL(None).prctl(*words, *[0] * (5 - len(words)))


def watched():
    """Goes on in a child; this process ends when that and all that it started have ended, by TERM or
    after a while by KILL, and at once after a second signal. Its exit status is the child's."""
    heeded = {number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
              if signal.getsignal(number) != signal.SIG_IGN}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*heeded, signal.SIGCHLD})
    prctl(CHILD_SUBREAPER, 1)
    sys.stdout.flush()
    child = os.fork()
    if child:
        sys.exit(watch(child, heeded))
    prctl(PDEATHSIG, signal.SIGTERM)
    for number in heeded:
        signal.signal(number, heed)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def watch(child, heeded):
    """The child's exit status, when nothing is left."""
    status, signals, asked, until = None, 0, set(), math.inf
    while True:
        waited_for = {*heeded, signal.SIGCHLD}
        ending = signals > 0 or status is not None
        heard = signal.sigtimedwait(waited_for, POLL) if ending else signal.sigwaitinfo(waited_for)
        if heard and heard.si_signo in heeded:
            signals += 1
            send(child, heard.si_signo)
        if status is None and (status := reaped(child)) is not None:
            until = time.monotonic() + PATIENCE
        elif status is not None:
            reaped(child)
        if status is None and signals == 0:
            continue
        rest = descendants(os.getpid())
        late = time.monotonic() - until
        if status is not None and (not rest or late > PATIENCE):
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        for pid, parent in rest.items():
            if signals > 1 or late > 0:
                send(pid, signal.SIGKILL)
            elif pid != child and parent in (child, os.getpid()) and pid not in asked:
                # What these started they end themselves, or leave behind as children of this one.
                asked.add(pid)
                send(pid, signal.SIGTERM)


def send(pid, number):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def reaped(child):
    """Takes note of children that have ended; the wait status of that one, if it is among them."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == child:
                found = ended[1]
    return found


def descendants(ancestor):
    """Processes that come from one and have not ended, each with its parent."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name of a program may have any bytes in it, parentheses too.
            state, parent = status.read_bytes().rpartition(b")")[2].split()[:2]
            if state != b"Z":
                parents[int(status.parent.name)] = int(parent)
    found, grown = {}, True
    while grown:
        new = {pid: parent for pid, parent in parents.items()
               if pid not in found and (parent == ancestor or parent in found)}
        found |= new
        grown = bool(new)
    return found
