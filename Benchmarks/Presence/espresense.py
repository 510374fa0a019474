"""What a node of ESPresense publishes of the advertisements that it receives, with its usual settings.

The name of its filter is median, and what it computes is a mean: that of the last 15 s, without the values far outside the quartiles.
"""

import bisect
import math

# The seconds of the mean, between two reports, and the metres after which a report comes sooner.
WINDOW, INTERVAL, MOVE = 15, 5, 0.5

# The signal at one metre in dBm, the exponent of the distance, the largest distance that is reported, and the largest divisor of the
# interval.
POWER, ABSORPTION, FARTHEST, DIVISOR = -59, 3.5, 16, 10

# The quartile distances beyond which a value does not count (Tukey).
FENCE = 1.5


def smoothed(values):
    """Returns the mean of sorted values without those outside the fences."""

    def quartile(part):
        place = part * (len(values) - 1)
        low = int(place)
        return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])

    first, third = quartile(0.25), quartile(0.75)
    reach = FENCE * (third - first)
    kept = [value for value in values if first - reach <= value <= third + reach]
    return sum(kept) / len(kept)


def reports(sightings):
    """Returns the reports of [(time, rssi)], in order: (time, the signal with two digits)."""
    found, window, values = [], [], []
    due = last = -math.inf
    for time, rssi in sightings:
        window.append((time, rssi))
        bisect.insort(values, rssi)
        while window[0][0] < time - WINDOW:
            values.pop(bisect.bisect_left(values, window.pop(0)[1]))
        signal = smoothed(values)
        distance = 10 ** ((POWER - signal) / (10 * ABSORPTION))
        if distance > FARTHEST:
            continue
        if time < due:
            steps = abs(distance - last) / MOVE
            if steps < 1 or time < due - INTERVAL / max(2, min(DIVISOR, DIVISOR - round(steps))):
                continue
        found.append((time, round(signal, 2)))
        # The nodes publish in slots.
        due, last = (math.floor(time / INTERVAL) + 1) * INTERVAL, distance
    return found


def published(sightings):
    """Returns the reports as a hub counts them: in whole dB."""
    return [(time, round(signal)) for time, signal in reports(sightings)]
