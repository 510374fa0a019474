"""Draws false exits a day against the delay of the true ones."""

import math

import card
import scoring
import tables
from card import BLUE, DIM, GREEN, LEFT, RIGHT, TEXT, WIDTH, YELLOW

HEIGHT, TOP, BOTTOM = 440, 78, 62

# The axes: seconds by their logarithm, exits a day by the logarithm of one more, so that zero has a place.
SECONDS, SECONDS_TOLD = (5, 150), (5, 10, 20, 30, 60, 120)
EXITS, EXITS_TOLD = 2000, (0, 1, 10, 100, 1000)

# The time-outs of the curve with a label, and the policy whose p90 is drawn.
NAMED = (10, 20, 30, 60, 120)
WITH_P90 = "okaeri balanced"

# The possible places of a label: right and down from its dot, and the end of the label there. The first free one is taken.
SIZE = 12.5
PLACES = (
    (14, 4, "start"), (10, -12, "start"), (-14, 4, "end"), (-10, -12, "end"), (10, 22, "start"), (-10, 22, "end"),
    (0, -16, "middle"), (0, 26, "middle"), (14, -28, "start"), (-14, -28, "end"), (0, -44, "middle"))


def draw(path, scores, curve):
    """`scores`, `curve`: {policy: {trace: score}}; the curve has fixed time-outs, from short to long."""
    scores, curve = ({name: tables.total(each) for name, each in group.items()} for group in (scores, curve))
    dots = [(curve[f"fixed:{seconds}"], BLUE, 5, f"{seconds} s fixed") for seconds in NAMED]
    dots.append((scores["learned maximum"], YELLOW, 6, "longest of the first gaps"))
    dots += [
        (score, GREEN, 8, f"{name.replace('okaeri', 'Okaeri')}, {scoring.median(score.delays):.0f} s")
        for name, score in scores.items() if name.startswith("okaeri")]

    points = [_place(score) for score in curve.values()]
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in _along(points)]
    parts = [*_axes(), card.line(points, BLUE, dashes="4 4"), _p90(scores[WITH_P90], taken)]
    for score, colour, radius, _ in dots:
        x, y = _place(score)
        taken.append((x - radius, y - radius, x + radius, y + radius))
        parts.append(card.dot(x, y, radius, colour))
    # The product's policies choose first.
    parts += [_label(*_place(score), label, colour, taken) for score, colour, _, label in reversed(dots)]

    scores_text = "; ".join(
        f"{name}: {score.false_a_day:.1f} a day at {scoring.median(score.delays):.1f} s"
        for name, score in scores.items())
    own = scores[WITH_P90]
    card.write(
        path, HEIGHT, "Delay of exits, and the number of false exits",
        f"Devices that were in range for {own.hours:.0f} hours, and switched off {own.departures} times",
        f"False exits a day against the median delay until an exit is published. {scores_text}.", parts)


def _axes():
    for exits in EXITS_TOLD:
        yield card.grid(LEFT, WIDTH - RIGHT, _y(exits))
        yield card.text(LEFT - 12, _y(exits) + 4, str(exits), DIM, 12, "end")
    for seconds in SECONDS_TOLD:
        yield card.text(_x(seconds), HEIGHT - BOTTOM + 24, f"{seconds} s", DIM, 12, "middle")
    yield card.text(
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, "median delay until the exit is published", TEXT, 13, "middle")
    yield card.upright(24, (TOP + HEIGHT - BOTTOM) / 2, "false exits a day")


def _p90(score, taken):
    """Draws a line from the median to the p90, or to the frame, with an arrow, if the p90 is beyond it."""
    x, y = _place(score)
    seconds = scoring.p90(score.delays)
    end, tip = (_x(seconds), "m0-5v10") if seconds <= SECONDS[1] else (WIDTH - RIGHT, "m-7-5l7 5l-7 5")
    taken.append((x, y - 6, end, y + 6))
    return (f'<path d="M{x:.1f} {y:.1f}H{end:.1f}{tip}" stroke="{GREEN}" stroke-width="2" fill="none"/>'
            + card.text(end, y - 12, f"{seconds:.0f} s, the p90 of {WITH_P90.split()[1]}", GREEN, SIZE, "end"))


def _along(points):
    """Returns points on the line through these, close together."""
    for (x, y), (right, down) in zip(points, points[1:]):
        for step in range(10):
            yield x + (right - x) * step / 10, y + (down - y) * step / 10


def _label(x, y, words, colour, taken):
    """Writes a label at a free place, if there is one, and marks the place as taken."""
    width = len(words) * SIZE * 0.58
    for right, down, anchor in PLACES:
        left = x + right - {"start": 0, "middle": width / 2, "end": width}[anchor]
        box = (left, y + down - SIZE, left + width, y + down + 4)
        inside = LEFT < box[0] and box[2] < WIDTH - 8 and box[3] < HEIGHT - BOTTOM + 6
        if inside and not any(_overlap(box, other) for other in taken):
            break
    taken.append(box)
    return card.text(x + right, y + down, words, colour, SIZE, anchor, bold=colour == GREEN)


def _overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _place(score):
    return _x(scoring.median(score.delays)), _y(score.false_a_day)


def _x(seconds):
    low, high = SECONDS
    return LEFT + math.log(seconds / low) / math.log(high / low) * (WIDTH - LEFT - RIGHT)


def _y(exits):
    return HEIGHT - BOTTOM - math.log1p(exits) / math.log1p(EXITS) * (HEIGHT - TOP - BOTTOM)
