"""Waiting for what must come, and for what must not."""

import time

from . import pace

# How often something is looked at. Short beside every time limit, long enough not to load an emulated machine.
GLANCE = 0.05


class Failure(Exception):
    """The product did not do what the scenario asks of it."""


def check(is_so, complaint):
    """Fails with `complaint` unless `is_so`."""
    if not is_so:
        raise Failure(complaint)


def wait_for(what, probe, within):
    """What `probe` returns as soon as that is true; fails when `within` seconds have passed before, more on a machine that
    is slower than usual."""
    limit = pace.Limit(within)
    while True:
        found = probe()
        if found:
            return found
        if limit.is_over():
            raise Failure(f"{what}: not within {limit}")
        time.sleep(GLANCE)


def check_took(what, seconds, within):
    """Fails if something took longer than `within` seconds, more on a machine that was slower than usual."""
    check(seconds <= within * pace.slowest(), f"{what}: {seconds:.1f} s; {within:g} are allowed, "
          f"{pace.slowest():.1f} times as many on a machine as slow as this was")


def holds(what, probe, during):
    """Watches that `probe` stays true for `during` seconds: for what must not happen, there is no event to wait for."""
    deadline = time.monotonic() + during
    while time.monotonic() < deadline:
        check(probe(), f"{what}: no longer")
        time.sleep(GLANCE)
