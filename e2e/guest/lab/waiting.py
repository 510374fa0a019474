"""Waiting for what must come, and for what must not."""

import time

# How often something is looked at. Short beside every time limit, long enough not to load an emulated machine.
GLANCE = 0.05


class Failure(Exception):
    """The product did not do what the scenario asks of it."""


def check(is_so, complaint):
    """Fails with `complaint` unless `is_so`."""
    if not is_so:
        raise Failure(complaint)


def wait_for(what, probe, within):
    """What `probe` returns as soon as that is true; fails when `within` seconds have passed before."""
    deadline = time.monotonic() + within
    while True:
        found = probe()
        if found:
            return found
        if time.monotonic() >= deadline:
            raise Failure(f"{what}: not within {within:g} s")
        time.sleep(GLANCE)


def holds(what, probe, during):
    """Watches that `probe` stays true for `during` seconds: for what must not happen, there is no event to wait for."""
    deadline = time.monotonic() + during
    while time.monotonic() < deadline:
        check(probe(), f"{what}: no longer")
        time.sleep(GLANCE)
