"""Other devices around a beacon: neighbours that stay, and phones that pass by. An exit must depend on neither."""

import dataclasses
import random

from traces import Trace

# The tested numbers of neighbours. Each is received once in so many seconds on average, at so many dBm.
NUMBERS = (0, 1, 2, 3, 4, 5, 6, 8, 20)
APART, SIGNAL = 40.0, -90

# Phones that pass by: {title: (seconds between two groups, phones in a group, seconds for which each is received)}.
PASSERS = {"a phone every 45 s": (45, 1, 1), "eight phones every 120 s": (120, 8, 3)}
PASSING_SIGNAL = -85

# The configured exit times while phones pass by, in seconds; None: learned.
EXIT_TIMES = (None, 60, 300)

# A tag that stays, and that is not received for so many seconds once in so many.
STORM_APART, STORM_SILENCES, DAY = 1200.0, (20.0, 30.0), 86_400.0


def among_neighbours(trace, number, until):
    """Returns the trace with so many neighbours, until the end of the time."""
    dice = random.Random(f"{number} neighbours of {trace.seed}")
    others = {f"neighbour {n}": [(time, SIGNAL) for time in _by_chance(dice, until)] for n in range(number)}
    return dataclasses.replace(trace, others=others | _end(until))


def among_passers(trace, kind, until, exit_after):
    """Returns the trace with phones that pass by, each for a moment, until the end of the time."""
    every, count, seconds = PASSERS[kind]
    dice = random.Random(f"{kind} at {trace.seed}")
    others = {}
    time = dice.uniform(0, every)
    while time < until:
        for phone in range(count):
            others[f"phone {phone} at {time}"] = [
                (time + second + dice.random(), PASSING_SIGNAL) for second in range(seconds)]
        time += every
    return dataclasses.replace(trace, others=others | _end(until), exit_after=exit_after)


def storm():
    """Returns a day of a tag that stays all the time, and is silent three times an hour."""
    dice = random.Random("storm")
    sightings, time, silence = [], 0.0, dice.expovariate(1 / STORM_APART)
    while time < DAY:
        if time >= silence:
            time += dice.uniform(*STORM_SILENCES)
            silence = time + dice.expovariate(1 / STORM_APART)
        sightings.append((time, -70))
        time += 1
    return Trace("storm", sightings, seed="storm")


def _by_chance(dice, until):
    time = dice.expovariate(1 / APART)
    while time < until:
        yield time
        time += dice.expovariate(1 / APART)


def _end(until):
    """Extends the time until then, whatever is received."""
    return {"end": [(until, -127)]}
