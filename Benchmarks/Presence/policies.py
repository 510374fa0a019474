"""Policies: each converts sightings into events, (seconds, whether it is an entry)."""

import collections
import statistics


class FixedTimeOut:
    """An exit after so many seconds of silence."""

    def __init__(self, seconds):
        self.name, self.seconds = f"fixed:{seconds}", seconds

    def events(self, trace, until):
        return _by_silence(trace, until, [self.seconds] * len(trace.sightings))


class LearnedMaximum:
    """The policy of a well-known home hub: the exit time is the longest of the first fifteen gaps and five seconds, for
    ever."""

    name = "learned maximum"
    SAMPLES, MARGIN, UNTIL_THEN = 15, 5.0, 900.0

    def events(self, trace, until):
        times = [time for time, _ in trace.sightings[: self.SAMPLES + 1]]
        longest = max((b - a for a, b in zip(times, times[1:])), default=0.0)
        learned = len(trace.sightings) - self.SAMPLES
        return _by_silence(
            trace, until,
            [self.UNTIL_THEN] * min(self.SAMPLES, len(trace.sightings)) + [longest + self.MARGIN] * max(0, learned))


class Threshold:
    """The signal, smoothed or not, against the two thresholds."""

    def __init__(self, name, smoothed):
        self.name, self.smoothed = name, smoothed

    def events(self, trace, until):
        enter, leave = trace.thresholds
        events, inside = [], False
        for (time, _), signal in zip(trace.sightings, self.smoothed(trace.sightings)):
            if signal >= enter if not inside else signal < leave:
                inside = not inside
                events.append((time, inside))
        return events


def raw(sightings):
    return [rssi for _, rssi in sightings]


def ewma(alpha):
    """Exponentially weighted, over samples."""
    def smoothed(sightings):
        signal = sightings[0][1]
        for _, rssi in sightings:
            signal += alpha * (rssi - signal)
            yield signal
    return smoothed


def mean_over(seconds):
    """Exponentially weighted, over time."""
    def smoothed(sightings):
        last, signal = sightings[0]
        for time, rssi in sightings:
            signal += (time - last) / (time - last + seconds) * (rssi - signal)
            last = time
            yield signal
    return smoothed


def moving_median(seconds):
    """The median of the samples of the last seconds."""
    def smoothed(sightings):
        recent = collections.deque()
        for time, rssi in sightings:
            recent.append((time, rssi))
            while time - recent[0][0] > seconds:
                recent.popleft()
            yield statistics.median(rssi for _, rssi in recent)
    return smoothed


def _by_silence(trace, until, time_outs):
    times = [time for time, _ in trace.sightings]
    events, inside = [], False
    for time, following, time_out in zip(times, times[1:] + [until], time_outs):
        if not inside:
            inside = True
            events.append((time, True))
        if following - time > time_out:
            inside = False
            events.append((time + time_out, False))
    return events
