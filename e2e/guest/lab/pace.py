"""The present speed of the machine, which may be emulated, and may share its processors with other programs."""

import multiprocessing
import statistics
import time

# A piece of work, and its duration in seconds on an emulated machine without other load.
WORK = range(20_000)
USUAL = 0.004

# The interval of the measurements in seconds, short enough to notice a load and too long to be one.
INTERVAL = 0.25

# If the machine is slower than this, limits grow no further: it is broken.
MOST = 10.0

# The factor by which everything takes longer than usual: 1 to `MOST`. Forked processes share the value.
_pace = multiprocessing.Value("d", 1.0, lock=False)
_slowest = multiprocessing.Value("d", 1.0, lock=False)
# The sum and the number of the measurements since `begin`.
_sum = multiprocessing.Value("d", 0.0, lock=False)
_count = multiprocessing.Value("i", 0, lock=False)


def pace():
    """Returns the factor by which everything takes longer than usual: 1 to `MOST`."""
    return _pace.value


def slowest():
    """Returns the largest factor since `begin`."""
    return _slowest.value


def mean():
    """Returns the mean factor since `begin`."""
    return _sum.value / max(_count.value, 1)


def begin():
    """Starts a new series of measurements before a scenario, so that the load of the last one does not count."""
    _slowest.value = _pace.value
    _sum.value, _count.value = 0.0, 0


def _measure():
    last = []
    while True:
        began = time.monotonic()
        sum(WORK)
        last = [*last[-2:], (time.monotonic() - began) / USUAL]
        # Uses the median of three, because a fast machine interrupts a process for a moment, too.
        _pace.value = min(max(1.0, statistics.median(last)), MOST)
        _slowest.value = max(_slowest.value, _pace.value)
        _sum.value += _pace.value
        _count.value += 1
        time.sleep(INTERVAL)


def start():
    """Measures until the program ends."""
    multiprocessing.Process(target=_measure, daemon=True).start()


class Limit:
    """A time limit in seconds of a machine at its usual speed."""

    # The longest time that counts at once: a machine that was stopped has done no work in that time.
    LONGEST = 1.0

    def __init__(self, within):
        self.within = within
        self.left = within
        self.began = self.seen = time.monotonic()

    def is_over(self):
        """Whether the limit has passed. Call it at least once a second."""
        now = time.monotonic()
        self.left -= min(now - self.seen, self.LONGEST) / pace()
        self.seen = now
        return self.left <= 0

    def __str__(self):
        """The limit for a message: `10 s`, or `10 s (34 s on a machine as slow as this)`."""
        passed = time.monotonic() - self.began
        slow = f" ({passed:.0f} s on a machine as slow as this)" if passed > self.within * 1.2 else ""
        return f"{self.within:g} s{slow}"
