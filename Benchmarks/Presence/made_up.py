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

# Tags that stay, for so many hours; shadows an hour, their shortest and longest time in seconds, their loss and depth in dB. Below
# FAINT dBm advertisements are lost more and more, all of them from LOST dBm on.
TAG_HOURS, SHADOW, SHADOW_LOSS, SHADOW_DEPTH, FAINT, LOST = 72, (10.0, 60.0), 0.95, 12.0, -90.0, -98.0
# The intervals in seconds, and the scan interval and window in seconds: the former one, the present one, and continuous.
TAG_INTERVALS, SCANS = (1.0, 2.0, 5.0, 10.0), {"100/50": (0.1, 0.05), "88.75/44.375": (0.08875, 0.044375), "continuous": None}
# The shares of the advertisements that are received at the edge of reception.
EDGE, AT_HOME = (0.05, 0.02, 0.01, 0.005, 0.002), 12 * 3600.0


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


def tags():
    """Returns tags with a constant signal, by interval and scan."""
    return [
        _tag(f"every {interval:g} s, scan {name}", TAG_HOURS, lambda time: interval, scan=scan, shadows=1)
        for interval in TAG_INTERVALS for name, scan in SCANS.items()]


def changing():
    """Returns tags whose reception changes within days."""
    day = 86_400.0
    return [
        _tag("moved furniture", 96, lambda time: 1, lambda time: -68 if time < 2 * day else -86, loss=0.2, shadows=4),
        _tag("a fading battery", 240, lambda time: 2, lambda time: -75 - 1.5 * time / day, shadows=1),
        _tag("another floor", 72, lambda time: 1, lambda time: -90, shadows=3),
        _tag("behind a body", 72, lambda time: 1, lambda time: -84, loss=0.5, shadows=8),
        _tag("1 s, then 5 s", 72, lambda time: 1 if time < day else 5, shadows=1),
    ]


def edge():
    """Returns beacons that are at home for twelve hours, and then at the edge of reception for twelve."""
    traces = []
    for share in EDGE:
        name = f"{share:.1%} received"
        dice = random.Random(name)
        heard = [(second + dice.uniform(0, 0.01), -70 + round(dice.gauss(0, 4)))
                 for second in range(int(AT_HOME)) if dice.random() < 0.8]
        heard += [(second + dice.uniform(0, 0.01), -94 + round(dice.gauss(0, 2)))
                  for second in range(int(AT_HOME), int(2 * AT_HOME)) if dice.random() < share]
        traces.append(Trace(name, heard, seed=name))
    return traces


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


def _tag(name, hours, interval, level=lambda time: -70.0, loss=0.3, shadows=0, scan=None):
    """Returns a tag that stays. `scan`: the scan interval and window in seconds; `None`: continuous."""
    dice = random.Random(name)
    dark = _silences(dice, hours * 3600.0, 3600.0 / shadows, lambda dice: dice.uniform(*SHADOW))
    heard, time, wander, next_dark = [], dice.uniform(0, interval(0)), 0.0, 0
    while time < hours * 3600:
        while next_dark < len(dark) and dark[next_dark][1] <= time:
            next_dark += 1
        is_dark = next_dark < len(dark) and dark[next_dark][0] <= time
        wander += -0.02 * wander + dice.gauss(0, 0.7)
        signal = level(time) + wander + dice.gauss(0, 4) - (SHADOW_DEPTH if is_dark else 0)
        received = (1 - loss) * max(0.0, min(1.0, (signal - LOST) / (FAINT - LOST)))
        in_window = scan is None or time % scan[0] < scan[1]
        if in_window and dice.random() < min(received, 1 - SHADOW_LOSS if is_dark else 1):
            heard.append((round(time, 3), max(-100, min(-30, round(signal)))))
        time += interval(time) + dice.uniform(0, 0.01)
    return Trace(name, heard, seed=name)


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
