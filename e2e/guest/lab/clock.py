"""The machine's wall clock, which must not influence the daemon."""

import time

DAY = 86_400
YEAR = 365 * DAY


def ahead():
    """Returns the difference between the wall clock and the time since the boot, in seconds. Only setting the clock changes
    it."""
    return time.clock_gettime(time.CLOCK_REALTIME) - time.clock_gettime(time.CLOCK_BOOTTIME)


# The difference at the boot, measured in the process that starts all others.
RIGHT = ahead()


def leap(seconds):
    """Sets the clock forward, or back if the number of seconds is negative."""
    time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + seconds)


def set_right():
    """Sets the clock back to its true time."""
    if abs(ahead() - RIGHT) > 0.5:
        leap(RIGHT - ahead())
