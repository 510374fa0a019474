"""The traffic: five hundred beacons once a second, and the configured regions."""

import json
import pathlib
import random
import struct
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import captures

BEACONS = 500

# The number of beacons that belong to regions: the first ones, ten to each of five owners.
OWN, OWNERS = 50, 5

# The begin of the capture, in seconds since 1970.
EPOCH = 1_700_000_000


def _uuid(number):
    return uuid.UUID(int=random.Random(number).getrandbits(128))


def configuration(regions):
    """The first fifty regions match the own beacons: thirty one by one, fifteen by their group, five by their owner. No
    beacon of the other regions is in range."""
    def region(number):
        named = {"identifier": f"region {number}", "uuid": str(_uuid(number % OWNERS)).upper()}
        if number >= OWN:
            return named | {"uuid": str(_uuid(10_000 + number)).upper()}
        if number < OWN - OWNERS:
            named["major"] = number
        if number < 30:
            named["minor"] = number
        return named

    return json.dumps({"regions": [region(number) for number in range(regions)]})


def events(rounds, seed=1):
    """Yields H4 packets: in each round every beacon once, in another order and with another signal."""
    dice = random.Random(seed)
    beacons = []
    for number in range(BEACONS):
        owner = _uuid(number % OWNERS if number < OWN else 20_000 + number)
        beacons.append(captures.Report(struct.pack("<IH", number, 0xC000), captures.ibeacon(owner, number, number)))
    for _ in range(rounds):
        for number in dice.sample(range(BEACONS), BEACONS):
            yield beacons[number].packet(dice.randint(-95, -55))


def write_events(path, rounds=8):
    """Yields each packet behind its length in one byte."""
    path.write_bytes(b"".join(bytes([len(packet)]) + packet for packet in events(rounds)))


def write_capture(path, reports):
    """Distributes the beacons evenly over a second."""
    step = 1_000_000 // BEACONS
    captures.write(path, (
        (EPOCH * 1_000_000 + number * step, packet) for number, packet in enumerate(events(reports // BEACONS))))
