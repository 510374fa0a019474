"""Attacks by radio."""

import contextlib
import json
import time

import air
from attack import registry
from http_attacks import connect, head, listeners
from target import Failure

ATTACKS, attack = registry()


def counters(surface):
    return json.loads(surface.target.local("/v1/status?beacons=false")[1])["counters"]


@attack(source=air.minors, ranging=True)
def minors_of_a_region(surface):
    """2,048 beacons of a watched UUID with ranging; then event streams that request all events since the start."""
    time.sleep(surface.seconds)
    if counters(surface)["iBeacons"] < 500:
        raise Failure("the flood did not arrive")
    surface.held = []
    for address, fields in list(listeners(surface)) * 3:
        with contextlib.suppress(OSError):
            end = connect(address, 0.5, buffer=2048)
            surface.held.append(end)
            end.sendall(head("GET", "/v1/events", {**fields, "Last-Event-ID": "1"}))
    time.sleep(surface.seconds / 4)


@attack(source=air.strangers)
def strangers(surface):
    """At least 100,000 beacons of as many addresses."""
    end = time.monotonic() + 60
    while counters(surface)["reports"] < 100_000:
        if time.monotonic() > end:
            raise Failure(f"{counters(surface)['reports']} reports in 60 s")
        time.sleep(0.5)


@attack(source=air.minors, ranging=True, reads_output=False)
def unread_output(surface):
    """Ranging of 2,048 beacons while no program reads the standard output."""
    time.sleep(surface.seconds)


@attack(source=air.private_addresses, has_phone=True)
def private_addresses(surface):
    """A flood of private addresses, of which one is a phone's by chance; then the phone."""
    def state():
        regions = json.loads(surface.target.local("/v1/regions")[1])
        return next(region["state"] for region in regions if region["identifier"] == "anna")

    end = time.monotonic() + 30
    while state() != "inside":
        if time.monotonic() > end:
            raise Failure("the phone does not arrive")
        time.sleep(0.1)
    if counters(surface)["reports"] < 4000:
        raise Failure("one address by chance is an arrival")


@attack(source=air.silence)
def silent_capture(surface):
    """A capture that stays open without further packets."""
    time.sleep(surface.seconds / 4)


@attack(source=air.rubbish)
def rubbish(surface):
    """Events that are truncated, inconsistent or random."""
    time.sleep(surface.seconds / 2)
    if counters(surface)["malformed"] < 100:
        raise Failure("nothing malformed arrived")
