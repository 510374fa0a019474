"""Where the sightings come from: recorded traces, and made-up ones that are harder."""

import csv
import dataclasses
import pathlib
import random

RECORDED = pathlib.Path(__file__).parent / "traces"

# The signal in dBm at which the garage is entered, and below which it is left: with a car, and on foot.
THRESHOLDS = {"car": (-58, -62), "walk": (-68, -74)}


@dataclasses.dataclass(frozen=True)
class Trace:
    """What was heard of one beacon: (seconds, dBm)."""

    name: str
    sightings: list
    # What a photosensor saw: (seconds, whether it went in). Whether it was in at first; how strong "in" is.
    crossings: list = dataclasses.field(default_factory=list)
    begins_inside: bool = True
    thresholds: tuple | None = None

    @property
    def start(self):
        return self.sightings[0][0]

    @property
    def end(self):
        return self.sightings[-1][0]

    @property
    def hours(self):
        return (self.end - self.start) / 3600

    def departures(self, count):
        """The trace cut short at `count` moments after its third minute: there the beacon was switched off."""
        candidates = [index for index, (time, _) in enumerate(self.sightings) if time > 180]
        chosen = sorted(random.Random(self.name).sample(candidates, count))
        return [dataclasses.replace(self, sightings=self.sightings[: index + 1]) for index in chosen]


def presence():
    """A tag that is carried about within range for twenty minutes: it never leaves."""
    return [
        Trace(path.name, [(float(row["t"]), int(row["rssi"])) for row in _rows(path)])
        for path in sorted(RECORDED.glob("uci_*.csv"))
    ]


def boundary():
    """A car or a person that goes in and out of a garage."""
    return [_garage(path) for path in sorted(RECORDED.glob("sal_*.csv"))]


def _garage(path):
    rows = _rows(path)
    return Trace(
        path.name,
        [(float(row["t"]), int(row["rssi"])) for row in rows if row["rssi"]],
        crossings=[(float(b["t"]), b["inside"] == "1") for a, b in zip(rows, rows[1:]) if a["inside"] != b["inside"]],
        begins_inside=rows[0]["inside"] == "1",
        thresholds=next(pair for kind, pair in THRESHOLDS.items() if kind in path.name),
    )


def _rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


# Made up

INTERVALS = (0.1, 0.35, 1.0, 2.0, 5.0)
LOSSES = (0.0, 0.2, 0.5, 0.8)
DURATION = 1200.0

# In a bad spell nearly everything is lost; so long does one last on average, in seconds.
SPELL_LOSS = 0.95
SPELL = 8.0


def made_up():
    """Groups of traces by what is lost, each with every advertising interval: {title: [traces]}."""
    groups = {}
    for loss in LOSSES:
        groups[f"{loss:.0%} lost, evenly"] = [_even(interval, loss) for interval in INTERVALS]
    for loss in LOSSES[1:]:
        groups[f"{loss:.0%} lost, in bursts"] = [_bursts(interval, loss) for interval in INTERVALS]
    groups["a bad quarter of an hour"] = [_bad_quarter(interval) for interval in INTERVALS]
    return groups


def _even(interval, loss):
    return _trace(f"even {interval} s {loss:.0%}", interval, DURATION, lambda time, dice: loss)


def _bursts(interval, loss):
    """Good and bad spells take turns, with lengths by chance; there is no loss in a good one."""
    share = loss / SPELL_LOSS
    means = {True: SPELL, False: SPELL * (1 - share) / share}
    spell = {"bad": False, "until": 0.0}

    def probability(time, dice):
        while time >= spell["until"]:
            spell["bad"] = not spell["bad"]
            spell["until"] += dice.expovariate(1 / means[spell["bad"]])
        return SPELL_LOSS if spell["bad"] else 0.0

    return _trace(f"bursts {interval} s {loss:.0%}", interval, DURATION, probability)


def _bad_quarter(interval):
    """Fifteen minutes in which four of five are lost, between two good times."""
    return _trace(
        f"quarter {interval} s", interval, 2700, lambda time, dice: 0.8 if 600 <= time < 1500 else 0.1)


def _trace(name, interval, duration, loss):
    """Advertises with the delay of 0 to 10 ms that the specification wants; the signal wanders and fades."""
    dice = random.Random(name)
    sightings, time, level = [], 0.0, -75.0
    while time < duration:
        level += 0.02 * (-75 - level) + dice.gauss(0, 1)
        if dice.random() >= loss(time, dice):
            sightings.append((round(time, 3), max(-100, min(-40, round(level + dice.gauss(0, 4))))))
        time += interval + dice.uniform(0, 0.01)
    return Trace(name, sightings)
