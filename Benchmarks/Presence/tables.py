"""Prints scores: policies side by side, or one policy's traces, each alone and all the others."""

import scoring


def _seconds(delays):
    return f"{delays:.1f} s"


# The columns of a score: {header: cell}.
FALSE = {"false exits": lambda score: score.false_exits}
A_DAY = {"a day": lambda score: f"{score.false_a_day:.1f}"}
DELAYS = {
    "median delay": lambda score: _seconds(scoring.median(score.delays)),
    "p90": lambda score: _seconds(scoring.p90(score.delays)),
}
CARRIED = {
    "carried away": lambda score: _seconds(scoring.median(score.carried)),
    "its p90": lambda score: _seconds(scoring.p90(score.carried)),
}
NEVER = {"never left": lambda score: score.never}
WRONG = {
    "missed": lambda score: f"{score.missed} of {score.crossings}",
    "spurious": lambda score: score.spurious,
    "median delay": DELAYS["median delay"],
}


# The columns that count missed and spurious crossings as one.
ERRORS = {
    "errors": lambda score: f"{score.errors:.0f}",
    "median delay": DELAYS["median delay"],
}


def total(by_trace, without=None):
    """Returns the sum of all traces but one."""
    scores = [score for name, score in by_trace.items() if name != without]
    return sum(scores[1:], scores[0])


def by_policy(title, scores, columns, bar):
    """`scores`: {policy: {trace: score}}. `bar`: {header: text}, if there is one."""
    totals = {policy: total(by_trace) for policy, by_trace in scores.items()}
    rows = [[policy] + [cell(score) for cell in columns.values()] for policy, score in totals.items()]
    if bar:
        rows.append(["bar"] + [bar.get(header, "") for header in columns])
    _show(title.format(next(iter(totals.values()))), ["policy", *columns], rows)


def by_trace(title, scores, columns):
    """`scores`: {trace: score}. Shows whether a result depends on one of them."""
    if len(scores) < 2:
        return
    rows = [
        [name] + [cell(each) for each in (score, total(scores, without=name)) for cell in columns.values()]
        for name, score in scores.items()]
    _show(title, ["trace", *(f"{which}: {header}" for which in ("alone", "others") for header in columns)], rows)


def by_group(title, groups, own):
    """`groups`: {group: {policy: {trace: score}}}. Prints the false exits of each policy, and the delays of one."""
    rows = []
    for group, scores in groups.items():
        totals = {policy: total(by_trace) for policy, by_trace in scores.items()}
        rows.append(
            [group, f"{totals[own].hours:.1f}"] + [score.false_exits for score in totals.values()]
            + [cell(totals[own]) for cell in DELAYS.values()])
    _show(title, ["what is lost", "hours", *totals, *DELAYS], rows)


def by_company(title, numbers):
    """`numbers`: {number of neighbours: {trace: score}}."""
    totals = {number: total(each) for number, each in numbers.items()}
    columns = FALSE | (DELAYS if any(score.delays for score in totals.values()) else {})
    rows = [[number] + [cell(score) for cell in columns.values()] for number, score in totals.items()]
    _show(title.format(next(iter(totals.values()))), ["neighbours", *columns], rows)


def by_passers(title, kinds):
    """`kinds`: {(the passing phones, the exit time): {trace: score}}."""
    rows = []
    for (kind, exit_after), each in kinds.items():
        delays = total(each).delays
        rows.append([
            kind, f"exitAfter {exit_after}" if exit_after else "learned", _seconds(scoring.median(delays)),
            _seconds(scoring.p90(delays)), _seconds(max(delays))])
    _show(title, ["passing by", "exit time", "median delay", "p90", "longest"], rows)


def by_days(title, delays):
    """`delays`: {days: seconds}."""
    _show(title, ["days", "delay"], [[days, _seconds(delay)] for days, delay in delays.items()])


def by_rate(title, rates):
    """`rates`: {rate: {policy: {trace: score}}}."""
    totals = {rate: {name: total(each) for name, each in scores.items()} for rate, scores in rates.items()}
    rows = [
        [policy] + [cell(scores[policy]) for scores in totals.values() for cell in ERRORS.values()]
        for policy in next(iter(totals.values()))]
    _show(title, ["policy", *(f"{rate}: {header}" for rate in totals for header in ERRORS)], rows)


def _show(title, header, rows):
    cells = [header] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    print(f"\n{title}\n")
    for number, row in enumerate(cells):
        print("  " + row[0].ljust(widths[0]) + "".join("  " + c.rjust(w) for c, w in zip(row[1:], widths[1:])))
        if number == 0:
            print("  " + "  ".join("-" * width for width in widths))
