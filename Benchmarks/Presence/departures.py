"""Departures of a beacon: a trace is cut at random moments, and a fade may follow."""

import functools
import math
import random
import statistics

# The earliest departure, in seconds; half of the trace if the trace is short.
SETTLED = 180

# The length of the trace before the cut that is enough to learn from, in seconds.
MEMORY = 7200

# The beacon is carried away: its first distance in metres, the speed in metres a second, the seconds until a wall, and the wall's
# loss in dB.
DISTANCE, PACE, WALL_AFTER, WALL = 3.0, 1.2, 5.0, 8.0
PATH_LOSS_EXPONENT = 2.5

# Below the first signal more and more packets are lost, in dBm, and all of them below the second.
WEAK, DEAF = -88, -98

# The longest walk in seconds, even if the beacon is still received.
WALK = 300

# The gaps, the level and the noise of a walk are those of so many sightings before it; a gap this long is not a usual one.
GAPS, LEVEL, NOISE, USUAL_GAP = 200, 20, 60, 10.0

# The share of that noise that remains: some of it came from the beacon's own movement.
CALM = 0.7


@functools.cache
def leaving(trace, count):
    """Yields for each of `count` moments the trace as if the beacon were switched off there, or carried away."""
    dice = random.Random(trace.seed)
    candidates = [index for index, (time, _) in enumerate(trace.sightings) if time > min(SETTLED, trace.end / 2)]
    departures = []
    for index in sorted(dice.sample(candidates, count)):
        recent = [s for s in trace.sightings[: index + 1] if s[0] > trace.sightings[index][0] - MEMORY]
        off = [(time - recent[0][0], rssi) for time, rssi in recent]
        departures.append((trace.with_sightings(off), trace.with_sightings(off + _walk(off, dice))))
    return departures


def _walk(before, dice):
    """Returns the fade of a beacon that is carried away, with the gaps and the noise of the time before."""
    times = [time for time, _ in before[-GAPS:]]
    gaps = [gap for gap in (b - a for a, b in zip(times, times[1:])) if gap < USUAL_GAP] or [1.0]
    level = statistics.mean(rssi for _, rssi in before[-LEVEL:])
    noise = [rssi - level for _, rssi in before[-NOISE:]]
    sightings, start = [], before[-1][0]
    time = start
    while time - start < WALK:
        time += max(0.05, dice.choice(gaps))
        gone = time - start
        loss = 10 * PATH_LOSS_EXPONENT * math.log10(1 + PACE * gone / DISTANCE)
        rssi = level - loss - (WALL if gone > WALL_AFTER else 0) + dice.choice(noise) * CALM
        if rssi <= DEAF:
            break
        if dice.random() < min(1.0, (rssi - DEAF) / (WEAK - DEAF)):
            sightings.append((time, round(rssi)))
    return sightings


@functools.cache
def taken_out(trace, end, enough=120):
    """Yields the trace cut at up to eight moments while the other devices go on, for `enough` seconds at least."""
    dice = random.Random(trace.seed)
    times = [time for time, _ in trace.sightings]
    long_before_end = [i for i, time in enumerate(times) if trace.start + SETTLED < time < end - enough]
    chosen = dice.sample(long_before_end or [len(times) // 2], 1) + dice.sample(range(len(times) // 3, len(times)), 7)
    return [trace.with_sightings(trace.sightings[: i + 1]) for i in sorted(chosen) if end - times[i] >= enough]
