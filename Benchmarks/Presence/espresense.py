"""What a node of ESPresense publishes of the advertisements that it receives, with its usual settings."""

import bisect
import math

# The seconds of the median, between two reports, and the metres after which a report comes sooner.
MEDIAN, INTERVAL, MOVE = 15, 5, 0.5

# The signal at one metre in dBm, the exponent of the distance, the largest distance that is reported, and the largest divisor of the
# interval.
POWER, ABSORPTION, FARTHEST, DIVISOR = -59, 3.5, 16, 10


def published(sightings):
    """Returns the reports of [(time, rssi)], in order: (time, the median of the signal)."""
    reports, window, values = [], [], []
    due = last = -math.inf
    for time, rssi in sightings:
        window.append((time, rssi))
        bisect.insort(values, rssi)
        while window[0][0] < time - MEDIAN:
            values.pop(bisect.bisect_left(values, window.pop(0)[1]))
        signal = values[len(values) // 2]
        distance = 10 ** ((POWER - signal) / (10 * ABSORPTION))
        if distance > FARTHEST:
            continue
        if time < due:
            steps = abs(distance - last) / MOVE
            if steps < 1 or time < due - INTERVAL / max(2, min(DIVISOR, DIVISOR - round(steps))):
                continue
        reports.append((time, round(signal)))
        # The nodes publish in slots.
        due, last = (math.floor(time / INTERVAL) + 1) * INTERVAL, distance
    return reports
