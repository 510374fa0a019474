"""Scores of a policy, by trace, so that any trace can be left out."""

import dataclasses
import statistics

import company
import departures

# The wait for the exit of a beacon that left, in seconds, and the value of an exit that a recording is too short for.
PATIENCE, TOO_SHORT = 900.0, 300.0

# An event belongs to a crossing if it comes within so many seconds of it.
BEFORE, AFTER = -3.0, 20.0

# The first determination is not a crossing if it comes within so many seconds.
FIRST = 15.0


class Score:
    """A score whose fields can be added."""

    def __add__(self, other):
        return type(self)(*(getattr(self, f.name) + getattr(other, f.name) for f in dataclasses.fields(self)))


@dataclasses.dataclass
class Presence(Score):
    """False exits while the beacon is present, and the delay after it was switched off or carried away."""

    hours: float = 0.0
    false_exits: int = 0
    delays: list = dataclasses.field(default_factory=list)
    carried: list = dataclasses.field(default_factory=list)
    never: int = 0

    @property
    def false_a_day(self):
        return self.false_exits / self.hours * 24

    @property
    def departures(self):
        return len(self.delays)


@dataclasses.dataclass
class Boundary(Score):
    """Missed crossings, events without a crossing, and the delays of the others."""

    crossings: int = 0
    missed: int = 0
    spurious: int = 0
    delays: list = dataclasses.field(default_factory=list)

    @property
    def errors(self):
        """Errors in a hundred crossings."""
        return 100 * (self.missed + self.spurious) / self.crossings


def median(delays):
    return statistics.median(delays) if delays else float("nan")


def p90(delays):
    return sorted(delays)[int(len(delays) * 0.9)] if delays else float("nan")


def presence(policy, trace, cuts):
    """Scores a beacon that stays, and leaves at so many moments. A beacon that is carried away has left with its last
    received packet."""
    score = _staying(policy, trace, trace.end + PATIENCE)
    for off, away in departures.leaving(trace, cuts):
        exits = _exits(policy, off, off.end + PATIENCE)
        score.delays.append(exits[0] - off.end if exits else PATIENCE)
        score.never += not exits
        exits = _exits(policy, away, away.end + PATIENCE, after=off.end)
        score.carried.append(exits[-1] - away.end if exits else PATIENCE)
    return score


def among_neighbours(policy, trace, number, cuts):
    """Scores a beacon that stays among so many neighbours, and is switched off at so many moments while they go on."""
    score = _staying(policy, company.among_neighbours(trace, number, trace.end + 1), trace.end + 1)
    for off, _ in departures.leaving(trace, cuts) if cuts else ():
        until = off.end + PATIENCE
        _left(score, policy, company.among_neighbours(off, number, until), until)
    return score


def among_passers(policy, trace, kind, exit_after, cuts):
    """Scores a beacon that is switched off at so many moments, while phones pass by."""
    score = Presence()
    for off, _ in departures.leaving(trace, cuts):
        until = off.end + PATIENCE
        _left(score, policy, company.among_passers(off, kind, until, exit_after), until)
    return score


def _left(score, policy, trace, until):
    exits = _exits(policy, trace, until)
    score.delays.append(exits[0] - trace.end if exits else PATIENCE)
    score.never += not exits


def exit_delay(policy, trace):
    """Returns the delay of the exit of a beacon that is switched off at the end, in seconds."""
    exits = _exits(policy, trace, trace.end + PATIENCE)
    return exits[0] - trace.end if exits else PATIENCE


def ambient(policy, trace):
    """Scores a beacon among other devices, until the last of them is received."""
    end = max(sightings[-1][0] for sightings in [trace.sightings, *trace.others.values()])
    score = _staying(policy, trace, end)
    for cut in departures.taken_out(trace, end):
        exits = _exits(policy, cut, end)
        score.delays.append(exits[0] - cut.end if exits else TOO_SHORT)
        score.never += not exits
    return score


def _staying(policy, trace, until):
    events = policy.events(trace, until)
    return Presence(trace.hours, sum(not entered and time <= trace.end for time, entered in events))


def _exits(policy, trace, until, after=None):
    after = trace.end if after is None else after
    return [time for time, entered in policy.events(trace, until) if not entered and time > after]


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
