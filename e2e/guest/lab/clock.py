"""The machine's clock on the wall, which the daemon must not go by."""

import time

DAY = 86_400
YEAR = 365 * DAY


def ahead():
    """How far the clock is ahead of the machine's start, in seconds: what setting it changes, and nothing else."""
    return time.clock_gettime(time.CLOCK_REALTIME) - time.clock_gettime(time.CLOCK_BOOTTIME)


# As the machine came up, in the one process that starts all others.
RIGHT = ahead()


def leap(seconds):
    """Sets it so far forward, or back if that is negative."""
    time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + seconds)


def set_right():
    """Sets it back to what it would show if nobody had touched it."""
    if abs(ahead() - RIGHT) > 0.5:
        leap(RIGHT - ahead())
