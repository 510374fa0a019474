"""What is in the air: five hundred beacons once a second, and the regions that are watched."""

import json
import random
import struct
import uuid

BEACONS = 500

# Of the beacons, so many belong to regions: the first ones, ten to each of five owners.
OWN, OWNERS = 50, 5

# When the capture begins, in seconds since 1970; and 1970 in btsnoop's own time, in microseconds.
EPOCH = 1_700_000_000
BTSNOOP_1970 = 0x00DCDDB30F2F8000


def _uuid(number):
    return uuid.UUID(int=random.Random(number).getrandbits(128))


def configuration(regions):
    """The first fifty regions name the own beacons: thirty one by one, fifteen by their group, five by their owner. The
    beacons of all others are elsewhere."""
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
    """H4 packets: in each round every beacon once, in another order and with another signal."""
    dice = random.Random(seed)
    beacons = []
    for number in range(BEACONS):
        owner = _uuid(number % OWNERS if number < OWN else 20_000 + number)
        frame = bytes.fromhex("0201061aff4c000215") + owner.bytes + struct.pack(">HHb", number, number, -59)
        address = struct.pack("<IH", number, 0xC000)
        beacons.append(b"\x02\x01\x03\x01" + address + bytes([len(frame)]) + frame)
    for _ in range(rounds):
        for number in dice.sample(range(BEACONS), BEACONS):
            body = beacons[number] + struct.pack("b", dice.randint(-95, -55))
            yield b"\x04\x3e" + bytes([len(body)]) + body


def write_events(path, rounds=8):
    """Each packet behind its length in one byte."""
    path.write_bytes(b"".join(bytes([len(packet)]) + packet for packet in events(rounds)))


def write_capture(path, reports):
    """A btsnoop capture of H4 packets; the beacons' seconds are spread evenly."""
    with open(path, "wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))
        step = 1_000_000 // BEACONS
        for number, packet in enumerate(events(reports // BEACONS)):
            stamp = BTSNOOP_1970 + EPOCH * 1_000_000 + number * step
            file.write(struct.pack(">IIIIq", len(packet), len(packet), 3, 0, stamp) + packet)
