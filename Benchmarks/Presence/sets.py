"""The compared sets: their traces, policies, scores and columns."""

import dataclasses
import functools

import company
import made_up
import scoring
from policies import FixedTimeOut, LearnedMaximum, Threshold, ewma, mean_over, moving_median, raw
from tables import A_DAY, CARRIED, DELAYS, FALSE, NEVER, WRONG

# The number of cuts of each trace: as many of recorded ones as a policy's p90 needs; made-up ones are many.
RECORDED, MADE_UP, IN_COMPANY = 12, 6, 6

# The smoothing of the signal in seconds, and the rates: one in how many of ten a second, chosen at random so many times.
MEANS, MEDIANS = (0.5, 1, 1.5, 2, 3, 4), (1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6)
RATES, THINNED = {"10 a second": 1, "3 a second": 3, "1 a second": 8}, 8

# The columns of a policy.
AMONG_OTHERS = FALSE | DELAYS
WALKS = FALSE | DELAYS | CARRIED | NEVER
LONG = FALSE | A_DAY | DELAYS | CARRIED


@dataclasses.dataclass(frozen=True)
class Set:
    title: str
    traces: list
    policies: list
    score: object
    # The columns of each policy, and of each trace.
    columns: dict
    brief: dict
    # The bars of Okaeri, if any: {column: text}.
    bar: dict | None = None


def recorded(found, okaeris, own):
    """`found`: {kind: traces}, like the result; `own`: the Okaeri that uses the thresholds."""
    return {
        "walks": _staying(
            "Walks", found["walks"], [*_fixed(10, 15, 20, 30, 60), LearnedMaximum(), *okaeris], RECORDED,
            WALKS, {"false exits": "0", "median delay": "<= 20 s", "p90": "<= 40 s"}),
        "long": _staying(
            "Long", found["long"], _for_long(okaeris), RECORDED, LONG,
            {"false exits": "<= 2", "median delay": "<= 20 s", "p90": "<= 180 s"}),
        "phones": _staying(
            "Phones", found["phones"], _for_long(okaeris), RECORDED, LONG,
            {"false exits": "<= 1", "median delay": "<= 25 s"}),
        "ambient": _among_others(
            "Ambient", found["ambient"], okaeris, {"false exits": "<= 8", "median delay": "<= 35 s"}),
        "boundary": _crossing(
            "Boundary", found["boundary"], own, {"missed": "<= 1 in all", "median delay": "<= 2.5 s"}),
    }


def invented(okaeris, own):
    return [
        _staying("Made up, days at home", made_up.days(), _for_long(okaeris), MADE_UP, LONG),
        _staying("Made up, tags", made_up.tags(), _for_long(okaeris), MADE_UP, LONG),
        _staying("Made up, tags whose reception changes", made_up.changing(), _for_long(okaeris), MADE_UP, LONG),
        _staying("Made up, the edge of reception", made_up.edge(), _for_long(okaeris), 0, FALSE),
        _among_others("Made up, a deaf receiver", made_up.deaf_receiver(), okaeris),
        _crossing("Made up, a door", made_up.door(), own),
    ]


def lossy(okaeris):
    """Returns {kind of loss: a set}."""
    policies = [*_fixed(30, 60), LearnedMaximum(), *okaeris]
    return {lost: _staying(lost, traces, policies, MADE_UP, AMONG_OTHERS) for lost, traces in made_up.lossy().items()}


def with_neighbours(name, traces, own, cuts=IN_COMPANY):
    """Returns {number of neighbours: a set}."""
    return {
        number: Set(
            name, traces, [own], functools.partial(scoring.among_neighbours, number=number, cuts=cuts),
            AMONG_OTHERS, AMONG_OTHERS)
        for number in company.NUMBERS}


def with_passers(name, traces, own):
    """Returns {(the passing phones, the exit time): a set}."""
    return {
        (kind, exit_after): Set(
            name, traces, [own],
            functools.partial(scoring.among_passers, kind=kind, exit_after=exit_after, cuts=IN_COMPANY),
            DELAYS, DELAYS)
        for kind in company.PASSERS for exit_after in company.EXIT_TIMES}


def curve(long):
    """Returns fixed time-outs from short to long, for the same traces."""
    return dataclasses.replace(long, policies=_fixed(*range(10, 60, 5), *range(60, 121, 10)))


def filters(traces, own):
    """Returns {rate: a set}; a smoother signal decides later."""
    means = [Threshold(f"mean over {seconds} s", mean_over(seconds)) for seconds in MEANS]
    medians = [Threshold(f"median over {seconds} s", moving_median(seconds)) for seconds in MEDIANS]
    thinned = {
        rate: [trace.thinned(one_in, copy) for trace in traces for copy in range(THINNED)] if one_in > 1 else traces
        for rate, one_in in RATES.items()}
    return {
        rate: Set(rate, each, [*means, *medians, own], scoring.boundary, WRONG, WRONG, None)
        for rate, each in thinned.items()}


def _staying(name, traces, policies, cuts, columns, bar=None):
    title = name + ": {0.hours:.1f} h in range, and gone {0.departures} times"
    score = functools.partial(scoring.presence, cuts=cuts)
    return Set(title, traces, policies, score, columns, FALSE | DELAYS, bar)


def _among_others(name, traces, okaeris, bar=None):
    title = name + ": {0.hours:.1f} h among other devices, and gone {0.departures} times"
    policies = [*_fixed(30, 45, 60, 90), *okaeris]
    return Set(title, traces, policies, scoring.ambient, AMONG_OTHERS, AMONG_OTHERS, bar)


def _crossing(name, traces, own, bar=None):
    policies = [
        Threshold("raw thresholds", raw), Threshold("ewma:0.1", ewma(0.1)), Threshold("ewma:0.3", ewma(0.3)),
        Threshold("median over 3 s", moving_median(3)), own]
    return Set(name + ": {0.crossings} crossings", traces, policies, scoring.boundary, WRONG, WRONG, bar)


def _for_long(okaeris):
    return [*_fixed(20, 30, 60, 90, 120), LearnedMaximum(), *okaeris]


def _fixed(*seconds):
    return [FixedTimeOut(each) for each in seconds]
