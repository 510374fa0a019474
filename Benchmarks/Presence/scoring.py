"""How good a policy is: by trace, so that any trace can be left out."""

import dataclasses
import statistics

# How long a beacon that was switched off is waited for, in seconds.
PATIENCE = 240.0

# An event belongs to a crossing if it comes within so many seconds of it.
BEFORE, AFTER = -3.0, 20.0

# The first determination is no crossing if it comes within so many seconds.
FIRST = 15.0


@dataclasses.dataclass
class Presence:
    """False exits while the beacon is there, and how long it takes to see that it is not."""

    hours: float = 0.0
    false_exits: int = 0
    delays: list = dataclasses.field(default_factory=list)
    never: int = 0

    def __add__(self, other):
        return Presence(
            self.hours + other.hours, self.false_exits + other.false_exits, self.delays + other.delays,
            self.never + other.never)

    @property
    def median(self):
        return statistics.median(self.delays)

    @property
    def p90(self):
        return sorted(self.delays)[int(len(self.delays) * 0.9)]


@dataclasses.dataclass
class Boundary:
    """Crossings that nobody told, events without a crossing, and how long the others took."""

    crossings: int = 0
    missed: int = 0
    spurious: int = 0
    delays: list = dataclasses.field(default_factory=list)

    def __add__(self, other):
        return Boundary(
            self.crossings + other.crossings, self.missed + other.missed, self.spurious + other.spurious,
            self.delays + other.delays)

    @property
    def median(self):
        return statistics.median(self.delays) if self.delays else float("nan")


def presence(policy, trace, departures):
    events = policy.events(trace, trace.end + PATIENCE)
    score = Presence(trace.hours, sum(1 for time, entered in events if not entered and time <= trace.end))
    for cut in trace.departures(departures):
        events = policy.events(cut, cut.end + PATIENCE)
        exits = [time for time, entered in events if not entered and time > cut.end]
        score.delays.append(exits[0] - cut.end if exits else PATIENCE)
        score.never += not exits
    return score


def boundary(policy, trace):
    events = policy.events(trace, trace.end + AFTER)
    if events and trace.begins_inside and events[0][1] and events[0][0] < FIRST:
        events = events[1:]
    events = [event for event in events if event[0] <= trace.end]
    score, used = Boundary(len(trace.crossings)), set()
    for time, entered in trace.crossings:
        hit = next(
            (index for index, event in enumerate(events)
             if index not in used and event[1] == entered and BEFORE <= event[0] - time <= AFTER), None)
        if hit is None:
            score.missed += 1
        else:
            used.add(hit)
            score.delays.append(events[hit][0] - time)
    score.spurious = len(events) - len(used)
    return score
