"""Draws the errors of a boundary against its delay, by the smoothing of the signal, a panel for each rate of advertisements."""

import math

import card
import scoring
import tables
from card import BLUE, DIM, GREEN, LEFT, RIGHT, TEXT, WIDTH, YELLOW

HEIGHT, TOP, BOTTOM, BETWEEN = 340, 124, 62, 28

# The axes: seconds, and errors in a hundred crossings by their logarithm.
SECONDS, SECONDS_TOLD = (1, 6), range(1, 7)
ERRORS, ERRORS_TOLD = (10, 500), (10, 30, 100, 300)

# The prefixes of the policies' names, and their styles.
KINDS = {"median": (BLUE, 4), "mean": (YELLOW, 4), "okaeri": (GREEN, 8)}
LEGEND_APART = 130


def draw(path, rates):
    """`rates`: {rate: {policy: {trace: score}}}."""
    totals = {rate: {name: tables.total(each) for name, each in scores.items()} for rate, scores in rates.items()}
    width = (WIDTH - LEFT - RIGHT - BETWEEN * (len(totals) - 1)) / len(totals)
    parts = [*_legend(), card.upright(24, (TOP + HEIGHT - BOTTOM) / 2, "errors in 100 crossings")]
    parts.append(card.text(
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, "median delay in seconds, until a crossing is published", TEXT, 13,
        "middle"))
    for number, (rate, scores) in enumerate(totals.items()):
        parts += _panel(rate, scores, LEFT + number * (width + BETWEEN), width, named=number == 0)
    own = {
        rate: next(score for name, score in scores.items() if name.startswith("okaeri"))
        for rate, scores in totals.items()}
    scores_text = "; ".join(
        f"Okaeri with {rate}: {score.errors:.0f} at {scoring.median(score.delays):.1f} s"
        for rate, score in own.items())
    card.write(
        path, HEIGHT, "A boundary: the smoother the signal, the fewer errors, and the later",
        "What one receiver heard of a car or a person that goes in and out of a garage",
        f"Errors in a hundred crossings against the median delay. {scores_text}.", parts)


def _legend():
    for number, (kind, (colour, radius)) in enumerate(KINDS.items()):
        x = LEFT + 6 + number * LEGEND_APART
        yield card.dot(x, 78, radius, colour)
        yield card.text(x + 14, 82, kind.replace("okaeri", "Okaeri"), colour, 13)


def _panel(rate, scores, left, width, named):
    def place(score):
        low, high = SECONDS
        return left + (scoring.median(score.delays) - low) / (high - low) * width, _y(score.errors)

    yield card.text(left, TOP - 12, f"{rate} received", DIM, 12)
    for errors in ERRORS_TOLD:
        yield card.grid(left, left + width, _y(errors))
        if named:
            yield card.text(left - 12, _y(errors) + 4, str(errors), DIM, 12, "end")
    for seconds in SECONDS_TOLD:
        x = left + (seconds - SECONDS[0]) / (SECONDS[1] - SECONDS[0]) * width
        yield card.text(x, HEIGHT - BOTTOM + 24, str(seconds), DIM, 12, "middle")
    for kind, (colour, radius) in KINDS.items():
        points = [place(score) for name, score in scores.items() if name.startswith(kind)]
        yield card.line(points, colour)
        yield from (card.dot(x, y, radius, colour) for x, y in points)


def _y(errors):
    low, high = (math.log(each) for each in ERRORS)
    # Values beyond the frame are drawn on it.
    share = min(1, max(0, (math.log(max(errors, 1)) - low) / (high - low)))
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
