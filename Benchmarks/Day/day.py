"""Writes a day of a home as a capture: three people with beacons, a neighbour, other devices that pass by, and noise."""

import json
import pathlib
import random
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import captures

SECONDS = 86_400

# The begin of the day, 2026-11-20 00:00 UTC, in seconds since 1970.
MIDNIGHT = 1_795_132_800

HOME = uuid.UUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
PEOPLE = {"Anna": 1, "Ben": 2, "Chiyo": 3}

# The time between two passing devices, and the time for which one is received, in seconds. Its identity and address never come
# again.
NEXT_STRANGER, PASSAGE = 25, 90


def configuration():
    """Returns a region for each person and one for all of them; the exit times are learned."""
    regions = [{"identifier": "home", "uuid": str(HOME).upper(), "ranging": True}]
    regions += [
        {"identifier": name, "uuid": str(HOME).upper(), "major": 1, "minor": minor, "ranging": True}
        for name, minor in PEOPLE.items()
    ]
    regions[0]["wifi"] = {"ssid": "HomeNet"}
    return json.dumps({"regions": regions})


class Sender:
    """A device that advertises once a second, with a varying signal and lost advertisements."""

    def __init__(self, dice, data, signal, lost):
        self.dice = dice
        self.signal = self.middle = signal
        self.lost = lost
        self.phase = dice.random()
        self.report = captures.Report(dice.randbytes(6), data)

    def packets(self):
        """Returns the received advertisement of this second: the microsecond and the packet."""
        dice = self.dice
        self.signal += (self.middle - self.signal) * 0.05 + dice.gauss(0, 1.5)
        if dice.random() < self.lost:
            return
        # A beacon adds up to 10 ms to each interval (Core Specification, Vol 6, Part B, 4.4.2.2).
        self.phase = (self.phase + dice.random() * 0.01) % 1
        rssi = max(-100, min(-30, round(self.signal + dice.gauss(0, 3))))
        yield int(self.phase * 1_000_000), self.report.packet(rssi)


def beacon(dice, owner, major, minor, signal, lost):
    return Sender(dice, captures.ibeacon(owner, major, minor), signal, lost)


def random_uuid(dice):
    return uuid.UUID(int=dice.getrandbits(128))


def absences(dice):
    """Returns the times at which one person is out, for work and a few errands, in seconds of the day, from and to."""
    work = dice.uniform(7.0, 9.0)
    out = [(work, work + dice.uniform(7, 9))]
    out += [(hour, hour + dice.uniform(0.1, 1)) for hour in (dice.uniform(5, 6.5), dice.uniform(19, 20), dice.uniform(21, 22))]
    return [(int(begin * 3600), int(end * 3600)) for begin, end in out]


def noise(dice):
    """Advertisements of other devices, each from a new address, some of them truncated or invalid."""
    kind = dice.random()
    if kind < 0.6:  # of a phone
        data = b"\x02\x01\x1a" + bytes([11, 0xFF, 0x4C, 0x00, 0x10]) + dice.randbytes(7)
    elif kind < 0.95:  # of another device
        data = b"\x02\x01\x06\x03\x03\xaa\xfe" + bytes([9, 0x16, 0xAA, 0xFE]) + dice.randbytes(6)
    else:
        data = dice.randbytes(dice.randint(0, 31))
    yield from Sender(dice, data, dice.randint(-95, -60), 0).packets()


def seconds(seed):
    """Returns for each second of the day the received packets, in order."""
    dice = random.Random(seed)
    people = [(beacon(dice, HOME, 1, minor, -65 - 5 * minor, 0.15), absences(dice)) for minor in PEOPLE.values()]
    neighbours = [beacon(dice, random_uuid(dice), 7, number, -90, 0.6) for number in range(5)]
    strangers = []
    for second in range(SECONDS):
        present = [sender for sender, out in people if not any(begin <= second < end for begin, end in out)]
        if dice.random() < 1 / NEXT_STRANGER:
            passer = beacon(dice, random_uuid(dice), dice.getrandbits(16), dice.getrandbits(16), -85, 0.3)
            strangers.append((second + PASSAGE, passer))
        strangers = [(end, passer) for end, passer in strangers if second < end]
        heard = [packet for sender in present + neighbours + [passer for _, passer in strangers] for packet in sender.packets()]
        for _ in range(4):
            heard += noise(dice)
        yield second, sorted(heard)


def write_capture(path, seed=1):
    """Returns the number of packets."""
    return captures.write(path, (
        ((MIDNIGHT + second) * 1_000_000 + offset, packet)
        for second, heard in seconds(seed)
        for offset, packet in heard))
