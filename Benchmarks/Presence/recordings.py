"""Recordings from other sources; ../README.md lists them and their publications."""

import bisect
import collections
import csv
import gzip
import re

from policies import moving_median
from traces import Trace

# The names of each set's files, in any folder below the given one.
PATTERNS = {
    "walks": "uci_*.csv",
    "long": "long/*.csv.gz",
    "phones": "phones/*.csv.gz",
    "ambient": "ambient/*.csv.gz",
    "boundary": "sal_*_measurement_*.csv",
    "receivers": "sal_multi/*.csv.gz",
}

# The signal in dBm at which the garage is entered, and below which it is left: with a car, and on foot.
THRESHOLDS = {"car": (-58, -62), "walk": (-68, -74)}

# The named devices of a recording were present all the time, if they were received so often and for so long.
STRANGER = re.compile(r"[xd]\d+")
OFTEN, LONG = 50, 300

# A receiver is suitable if one threshold decides this share of both sides right, on average, of a signal smoothed over so many
# seconds. Its two thresholds are so many dB above and below that one.
RIGHT, SMOOTHED, APART = 0.8, 3, 2


def found(folder):
    """Returns {set: [traces]}; a set without files is empty."""
    return {
        kind: list(READERS.get(kind, _staying)({path: _rows(path) for path in sorted(folder.rglob(pattern))}))
        for kind, pattern in PATTERNS.items()
    }


def _rows(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def _name(path):
    return path.name.removesuffix(".gz").removesuffix(".csv")


def _kind(path):
    return next(kind for kind in THRESHOLDS if kind in path.name)


def _by(column, rows):
    """Returns {value: rows}."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row[column]].append(row)
    return groups


def _sightings(rows):
    """A slot without a signal is a lost packet."""
    return [(float(row["t"]), int(row["rssi"])) for row in rows if row["rssi"]]


def _crossings(rows):
    return [(float(b["t"]), b["inside"] == "1") for a, b in zip(rows, rows[1:]) if a["inside"] != b["inside"]]


def _staying(recorded):
    """Returns a beacon that never leaves."""
    for path, rows in recorded.items():
        yield Trace(_name(path), _sightings(rows), seed=path.name)


def _ambient(recorded):
    """Returns each named device, among all the others."""
    for path, rows in recorded.items():
        heard = {device: _sightings(own) for device, own in sorted(_by("device", rows).items())}
        for device, sightings in heard.items():
            stays = len(sightings) > OFTEN and sightings[-1][0] - sightings[0][0] > LONG
            if stays and not STRANGER.fullmatch(device):
                others = {name: other for name, other in heard.items() if name != device}
                # The end of a file's name distinguishes the files.
                seed = path.name[-20:] + device
                yield Trace(f"{_name(path)} {device}", sightings, seed=seed, device=device, others=others)


def _boundary(recorded):
    """Returns a car or a person that goes in and out of a garage."""
    for path, rows in recorded.items():
        yield _at_door(_name(path), rows, rows, THRESHOLDS[_kind(path)])


def _receivers(recorded):
    """Returns each receiver of the garage that distinguishes the sides, judged by the other recordings of its kind."""
    for path, rows in recorded.items():
        others = [each for other, each in recorded.items() if other != path and _kind(other) == _kind(path)] or [rows]
        for receiver, own in sorted(_by("receiver", rows).items()):
            threshold = _threshold([[row for row in each if row["receiver"] == receiver] for each in others])
            if threshold:
                yield _at_door(f"{_name(path)} {receiver}", own, rows, (threshold + APART, threshold - APART))


def _at_door(name, own, rows, thresholds):
    """`own`: the rows of one receiver; `rows`: all rows."""
    return Trace(
        name, _sightings(own), seed=name, crossings=_crossings(rows), begins_inside=rows[0]["inside"] == "1",
        thresholds=thresholds)


def _threshold(recorded):
    """Returns the signal in dBm that distinguishes inside from outside best, if it does so well enough."""
    sides = {"0": [], "1": []}
    for rows in recorded:
        heard = [row for row in rows if row["rssi"]]
        for row, signal in zip(heard, moving_median(SMOOTHED)(_sightings(heard))):
            sides[row["inside"]].append(signal)
    outside, inside = map(sorted, sides.values())
    if not outside or not inside:
        return None

    def right(threshold):
        above = 1 - bisect.bisect_left(inside, threshold) / len(inside)
        return (above + bisect.bisect_left(outside, threshold) / len(outside)) / 2

    best = max(range(-100, -30), key=right)
    return best if right(best) >= RIGHT else None


READERS = {"ambient": _ambient, "boundary": _boundary, "receivers": _receivers}
