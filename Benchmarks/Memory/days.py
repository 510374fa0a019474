"""Writes days of a large household as a capture: people with beacons, things that stay, and neighbors."""

import json
import pathlib
import random
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import captures

# The begin of the first day, 2026-11-20 00:00 UTC, in seconds since 1970.
MIDNIGHT = 1_795_132_800

HOME = uuid.UUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
PEOPLE, THINGS, NEIGHBORS = 8, 32, 20

# The advertising interval of each beacon in seconds, long to keep the capture small.
INTERVAL = 5

# The times for which a person stays and is away, in seconds.
STAY = (300, 5400)


def configuration():
    """Returns a region for each person, and one for the people and the things; the exit times are learned."""
    regions = [{"identifier": "home", "uuid": str(HOME).upper(), "wifi": {"ssid": "HomeNet"}}]
    regions += [
        {"identifier": f"person {number}", "uuid": str(HOME).upper(), "major": 1, "minor": number}
        for number in range(PEOPLE)
    ]
    return json.dumps({"regions": regions})


class Sender:
    """A beacon with a steady signal, a share of lost advertisements and, for a person, times of absence."""

    def __init__(self, dice, data, lost, moves):
        self.lost, self.moves = lost, moves
        self.signal = dice.randint(-85, -60)
        self.phase = dice.random() * INTERVAL
        self.is_here, self.next_move = True, dice.uniform(*STAY)
        report = captures.Report(dice.randbytes(6), data)
        # The signal takes few values, and a packet with its length is the same for each.
        self.packets = [report.packet(self.signal + noise) for noise in (-4, -2, -1, 0, 1, 2, 4)]

    def hear(self, dice, second):
        """Returns the packet that is received in the interval that begins at `second`, or None."""
        if self.moves and second >= self.next_move:
            self.is_here, self.next_move = not self.is_here, second + dice.uniform(*STAY)
        if not self.is_here or dice.random() < self.lost:
            return None
        return self.packets[int(dice.random() * len(self.packets))]


def senders(dice):
    def beacon(owner, major, minor, lost, moves=False):
        return Sender(dice, captures.ibeacon(owner, major, minor), lost, moves)

    people = [beacon(HOME, 1, number, 0.1, moves=True) for number in range(PEOPLE)]
    things = [beacon(HOME, 2, number, dice.uniform(0.02, 0.3)) for number in range(THINGS)]
    neighbors = [beacon(uuid.UUID(int=dice.getrandbits(128)), 7, 7, 0.6) for _ in range(NEIGHBORS)]
    return sorted(people + things + neighbors, key=lambda sender: sender.phase)


def packets(hours, seed):
    """Yields (microseconds since 1970, packet) in order."""
    dice = random.Random(seed)
    crowd = senders(dice)
    for second in range(0, int(hours * 3600), INTERVAL):
        base = (MIDNIGHT + second) * 1_000_000
        for sender in crowd:
            packet = sender.hear(dice, second)
            if packet:
                yield base + int(sender.phase * 1_000_000), packet


def write_capture(path, hours, seed=1):
    """Returns the number of packets."""
    return captures.write(path, packets(hours, seed))
