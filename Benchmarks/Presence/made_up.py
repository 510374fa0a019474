"""Traces from a seeded random generator, for cases with few recordings."""

import random

from traces import Trace

INTERVALS = (0.1, 0.35, 1.0, 2.0, 5.0)
LOSSES = (0.0, 0.2, 0.5, 0.8)
DURATION = 1200.0

# In a bad spell nearly all packets are lost; the mean length of one, in seconds.
SPELL_LOSS = 0.95
SPELL = 8.0

# A day at home: the radio is quiet, but once in so many seconds there is a silence, mostly a short one.
DAY, DAY_INTERVALS, DAY_LOSSES = 12 * 3600.0, (1.0, 5.0, 10.0), (0.1, 0.5)
SELDOM, SHORTEST, LONGEST, TAIL = 5400.0, 20.0, 120.0, 1.2

# A night: silences of so many seconds, and between two of them so many advertisements a second apart. The days after it have
# none.
NIGHT, NIGHT_SILENCES, NIGHT_ADVERTS = 8 * 3600.0, (20.0, 200.0), 60
DAYS_AFTER = (0, 0.5, 1, 2, 3)

# A receiver that is deaf once in so many seconds, for so long, and the other devices that it receives: device by interval.
DEAF_INTERVALS, DEAF_EVERY, DEAF_FOR, DEAF_LOSS = (0.35, 1.0, 2.0, 5.0), 90.0, (5.0, 40.0), 0.2
AROUND = {"headphones": 0.4, "lamp": 1.0, "phone": 0.25, "thermometer": 2.5, "watch": 0.6}

# A door: the level in dBm on both sides and the time of a change, the thresholds, and the time on each side.
DOOR_INTERVALS, INSIDE, OUTSIDE, PASSAGE = (0.1, 0.35, 1.0), -58.0, -80.0, 4.0
DOOR_THRESHOLDS, DOOR_STAY = (-65, -71), (25.0, 70.0)


def lossy():
    """Returns groups of traces by the kind of loss, each with every advertising interval: {title: [traces]}."""
    groups = {}
    for loss in LOSSES:
        groups[f"{loss:.0%} lost, evenly"] = [_even(interval, loss) for interval in INTERVALS]
    for loss in LOSSES[1:]:
        groups[f"{loss:.0%} lost, in bursts"] = [_bursts(interval, loss) for interval in INTERVALS]
    groups["a bad quarter of an hour"] = [_bad_quarter(interval) for interval in INTERVALS]
    return groups


def days():
    return [_day(interval, loss) for interval in DAY_INTERVALS for loss in DAY_LOSSES]


def nights():
    """Returns a bad night and so many good days and nights after it: {days: trace}."""
    return {days: _night(days) for days in DAYS_AFTER}


def deaf_receiver():
    return [_deaf(interval) for interval in DEAF_INTERVALS]


def door():
    return [_door(interval) for interval in DOOR_INTERVALS]


def _even(interval, loss):
    return _trace(f"even {interval} s {loss:.0%}", interval, DURATION, lambda time, dice: loss)


def _bursts(interval, loss):
    """Returns good and bad spells in turn, with random lengths; there is no loss in a good one."""
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
    """Returns fifteen minutes in which four of five packets are lost, between two good times."""
    return _trace(
        f"quarter {interval} s", interval, 2700, lambda time, dice: 0.8 if 600 <= time < 1500 else 0.1)


def _day(interval, loss):
    name = f"day {interval:g} s {loss:.0%} lost"
    silences = _silences(
        random.Random(f"silences of {name}"), DAY, SELDOM,
        lambda dice: min(LONGEST, SHORTEST * dice.paretovariate(TAIL)))
    return _trace(name, interval, DAY, lambda time, dice: 1.0 if _within(silences, time) else loss)


def _night(days):
    dice = random.Random("a bad night")
    times, time = [], 0.0
    while time < NIGHT:
        time += dice.uniform(*NIGHT_SILENCES)
        times += [time + second for second in range(NIGHT_ADVERTS + 1)]
        time = times[-1]
    times += [time + second for second in range(1, int(days * 86_400))]
    return Trace(f"{days} days after a bad night", [(each, -70) for each in times], seed="night")


def _deaf(interval):
    """Returns a beacon that stays, among other devices that are received when it could be received."""
    name = f"deaf {interval:g} s"
    silences = _silences(
        random.Random(f"silences of {name}"), 3 * DURATION, DEAF_EVERY, lambda dice: dice.uniform(*DEAF_FOR))

    def loss(time, dice):
        return 1.0 if _within(silences, time) else DEAF_LOSS

    others = {
        device: _sightings(random.Random(f"{device} of {name}"), rhythm, 3 * DURATION, loss)
        for device, rhythm in AROUND.items()}
    return Trace(name, _sightings(random.Random(name), interval, 3 * DURATION, loss), seed=name, others=others)


def _door(interval):
    """Returns a beacon that is carried in and out, with a signal that takes its time to change."""
    name = f"door {interval:g} s"
    dice = random.Random(f"crossings of {name}")
    crossings, time, inside = [], dice.uniform(*DOOR_STAY), False
    while time < DURATION - DOOR_STAY[0]:
        crossings.append((time, inside))
        time, inside = time + dice.uniform(*DOOR_STAY), not inside

    def level(time):
        crossed, entered = min(crossings, key=lambda crossing: abs(crossing[0] - time))
        changed = max(0.0, min(1.0, (time - crossed) / PASSAGE + 0.5))
        return OUTSIDE + (INSIDE - OUTSIDE) * (changed if entered else 1 - changed)

    sightings = _sightings(random.Random(name), interval, DURATION, lambda time, dice: 0.1, level)
    return Trace(name, sightings, seed=name, crossings=crossings, thresholds=DOOR_THRESHOLDS)


def _silences(dice, duration, apart, lasting):
    """Yields (begin, end) of each."""
    silences, time = [], dice.expovariate(1 / apart)
    while time < duration:
        silences.append((time, time + lasting(dice)))
        time = silences[-1][1] + dice.expovariate(1 / apart)
    return silences


def _within(silences, time):
    return any(begin <= time < end for begin, end in silences)


def _trace(name, interval, duration, loss):
    return Trace(name, _sightings(random.Random(name), interval, duration, loss), seed=name)


def _sightings(dice, interval, duration, loss, level=lambda time: -75.0):
    """A beacon that advertises with the random delay of 0 to 10 ms in the specification, and a signal that wanders and
    fades."""
    sightings, time, wander = [], 0.0, 0.0
    while time < duration:
        wander += -0.02 * wander + dice.gauss(0, 1)
        if dice.random() >= loss(time, dice):
            rssi = round(level(time) + wander + dice.gauss(0, 4))
            sightings.append((round(time, 3), max(-100, min(-40, rssi))))
        time += interval + dice.uniform(0, 0.01)
    return sightings
