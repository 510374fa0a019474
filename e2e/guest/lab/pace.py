"""How fast the machine is just now: it may be emulated, and share its processors with others."""

import multiprocessing
import statistics
import time

# A piece of work, and how many seconds it takes an emulated machine that has nothing else to do.
WORK = range(20_000)
USUAL = 0.004

# How often it is measured, in seconds: often enough to see a load come, seldom enough not to be one.
INTERVAL = 0.25

# A machine that is slower than this is broken, and what hangs on it is not waited for any longer.
MOST = 10.0

# How many times as long as usual everything takes: 1 to `MOST`. Whoever is forked from here sees what is measured.
_pace = multiprocessing.Value("d", 1.0, lock=False)
_slowest = multiprocessing.Value("d", 1.0, lock=False)
# Of the times since `begin` the sum, and how many they were.
_sum = multiprocessing.Value("d", 0.0, lock=False)
_count = multiprocessing.Value("i", 0, lock=False)


def pace():
    """How many times as long as usual everything takes: 1 to `MOST`."""
    return _pace.value


def slowest():
    """The most that it was since `begin`."""
    return _slowest.value


def mean():
    """What it was since `begin`, on average."""
    return _sum.value / max(_count.value, 1)


def begin():
    """Before a scenario: what the one before did to the machine no longer counts."""
    _slowest.value = _pace.value
    _sum.value, _count.value = 0.0, 0


def _measure():
    last = []
    while True:
        began = time.monotonic()
        sum(WORK)
        last = [*last[-2:], (time.monotonic() - began) / USUAL]
        # Of three the middle one: a process is put off for a moment on a fast machine, too.
        _pace.value = min(max(1.0, statistics.median(last)), MOST)
        _slowest.value = max(_slowest.value, _pace.value)
        _sum.value += _pace.value
        _count.value += 1
        time.sleep(INTERVAL)


def start():
    """Measures from now on, until the program ends."""
    multiprocessing.Process(target=_measure, daemon=True).start()


class Limit:
    """A time limit of so many seconds, as long as the machine needs for what it usually does in that time."""

    # What a glance counts at most: a machine that stood still has done nothing in that time.
    LONGEST = 1.0

    def __init__(self, within):
        self.within = within
        self.left = within
        self.began = self.seen = time.monotonic()

    def is_over(self):
        """Whether it has passed. To be asked at least once a second."""
        now = time.monotonic()
        self.left -= min(now - self.seen, self.LONGEST) / pace()
        self.seen = now
        return self.left <= 0

    def __str__(self):
        """For a complaint: `10 s`, or `10 s (34 s on a machine as slow as this)`."""
        passed = time.monotonic() - self.began
        slow = f" ({passed:.0f} s on a machine as slow as this)" if passed > self.within * 1.2 else ""
        return f"{self.within:g} s{slow}"
