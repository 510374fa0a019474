"""Waits for conditions, and checks that conditions hold."""

import time

from . import pace

# The interval of the checks: short compared with every time limit, and too long to load an emulated machine.
GLANCE = 0.05


class Failure(Exception):
    """The product did not meet an expectation of the scenario."""


def check(is_so, complaint):
    """Fails with `complaint` unless `is_so`."""
    if not is_so:
        raise Failure(complaint)


def wait_for(what, probe, within):
    """Waits until the value of `probe` is true and returns it; fails after `within` seconds, more on a slower machine."""
    limit = pace.Limit(within)
    while True:
        found = probe()
        if found:
            return found
        if limit.is_over():
            raise Failure(f"{what}: not within {limit}")
        time.sleep(GLANCE)


def check_took(what, seconds, within):
    """Fails if an action took longer than `within` seconds, more on a machine that was slower than usual."""
    check(seconds <= within * pace.slowest(), f"{what}: {seconds:.1f} s; {within:g} are allowed, "
          f"{pace.slowest():.1f} times as many on a machine as slow as this was")


def holds(what, probe, during):
    """Checks that `probe` stays true for `during` seconds. No event reports that something did not happen."""
    deadline = time.monotonic() + during
    while time.monotonic() < deadline:
        check(probe(), f"{what}: no longer")
        time.sleep(GLANCE)
