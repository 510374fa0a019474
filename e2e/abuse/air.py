"""Radio traffic as a live capture for `okaeri monitor --capture -` (btsnoop, LE advertising reports)."""

import random
import struct
import time

UUID = bytes.fromhex("E2C56DB5DFFB48D2B060D0F5A71096E0")
# btsnoop counts microseconds from the year 0.
EPOCH = 0x00DCDDB30F2F8000


def report(address, data, rssi):
    """An LE Advertising Report (Core Specification, Vol 4, Part E, 7.7.65.2) behind its H4 packet type."""
    body = bytes([2, 1, 0, 1]) + address + bytes([len(data)]) + data + struct.pack("b", rssi)
    return bytes([4, 0x3E, len(body)]) + body


def beacon(minor, rssi=-60):
    """The report of a beacon of the watched UUID."""
    frame = bytes.fromhex("0201061AFF4C000215") + UUID + struct.pack(">HHb", 100, minor, -59)
    return report(struct.pack("<HI", minor, 0xC6112233), frame, rssi)


def quiet():
    """One beacon at home and one other device, five times a second."""
    while True:
        yield beacon(100)
        yield report(b"\x01\x02\x03\x04\x05\xc6", bytes.fromhex("020106"), -80)
        yield 0.2


def silence():
    """One beacon at home, and nothing after it."""
    yield beacon(100)
    yield 0.1
    while True:
        yield 3600.0


def minors():
    """2,048 beacons of the watched UUID, one report a second each."""
    while True:
        for first in range(0, 2048, 128):
            yield from (beacon(minor) for minor in range(first, first + 128))
            yield 1 / 16


def strangers():
    """An endless number of other devices, each with an address and a beacon of its own, 20,000 a second: several times the
    maximum of a controller."""
    chance = random.Random(1)
    while True:
        for _ in range(200):
            frame = bytes.fromhex("0201061AFF4C000215") + chance.randbytes(20) + b"\xc5"
            yield report(chance.randbytes(5) + b"\xc6", frame, -70)
        yield beacon(100)
        yield 0.01


# A key and an address that it resolves (Core Specification, Vol 3, Part H, D.7).
KEY = "ec0234a357c8ad05341010a60a397d9b"
PRIVATE = bytes.fromhex("7081940DFBAA")[::-1]


def private_addresses():
    """1,000 private addresses a second, of which one is the phone's by chance; after 4,000 the phone, five times a second."""
    chance, locked, rounds = random.Random(4), bytes.fromhex("0BFF4C001608010203040506"), 0
    yield beacon(100)
    yield report(PRIVATE, locked, -70)
    while True:
        rounds += 1
        for _ in range(200):
            yield report(chance.randbytes(5) + bytes([0x40 | chance.randrange(64)]), locked, -70)
        if rounds > 20:
            yield report(PRIVATE, locked, -70)
        yield 0.2


def rubbish():
    """Events whose lengths, counts and contents are random; a beacon at home now and then."""
    chance = random.Random(2)
    while True:
        for _ in range(50):
            body = bytes([chance.choice([2, 13, 11]), chance.randrange(256)]) + chance.randbytes(chance.randrange(250))
            claimed = chance.choice([len(body), chance.randrange(256)])
            yield bytes([4, 0x3E, claimed]) + body
        yield beacon(100)
        yield 0.01


def play(source, out):
    """Writes a source's packets to a pipe until its reader has ended. A number is a pause in seconds."""
    try:
        out.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))
        for packet in source():
            if isinstance(packet, float):
                out.flush()
                time.sleep(packet)
                continue
            stamp = EPOCH + int(time.time() * 1e6)
            out.write(struct.pack(">IIIIq", len(packet), len(packet), 3, 0, stamp) + packet)
    except (BrokenPipeError, ValueError):
        pass
