"""Draws false exits against delay as an SVG on a card of its own, so that it reads on light and dark pages."""

from html import escape

WIDTH, HEIGHT = 820, 420
LEFT, RIGHT, TOP, BOTTOM = 78, 36, 74, 62
SECONDS, EXITS = 40.0, 20.0

CARD, GRID, TEXT, DIM = "#242933", "#3b4252", "#d8dee9", "#7b88a1"
FIXED, HUB, OWN, GOAL = "#81a1c1", "#ebcb8b", "#a3be8c", "#a3be8c"
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif"

# Which time-outs are named in the picture: where their labels have room.
NAMED = {10: (12, -8), 15: (12, -8), 20: (8, -12), 30: (0, -14)}


def draw(path, scores, curve):
    """`scores` by policy; `curve`: the scores of fixed time-outs, from short to long."""
    own, hub = scores["okaeri"], scores["learned maximum"]
    parts = [_head(scores), *_axes(own), _goal(scores)]
    parts.append(
        f'<polyline points="{" ".join(_point(s.median, s.false_exits) for s in curve if s.false_exits <= EXITS)}" '
        f'fill="none" stroke="{FIXED}" stroke-width="1.5" stroke-dasharray="4 4"/>')
    for seconds, (right, down) in NAMED.items():
        score = scores[f"fixed:{seconds}"]
        parts += _dot(score, FIXED, 5, f"fixed {seconds} s", right, down)
    parts += _dot(hub, HUB, 6, "longest of the first 15 gaps", 14, 4)
    x, p90, y = _x(own.median), _x(own.p90), _y(own.false_exits)
    parts.append(f'<path d="M{x:.1f} {y:.1f}H{p90:.1f}m0-5v10" stroke="{OWN}" stroke-width="2" fill="none"/>')
    parts += _dot(own, OWN, 8)
    parts.append(_text(x - 14, y - 38, "Okaeri", OWN, 15, "end", bold=True))
    parts.append(_text(x - 14, y - 20, f"{own.median:.1f} s; p90 {own.p90:.1f} s", OWN, 12.5, "end"))
    path.write_text("\n".join([*parts, "</g></svg>", ""]))


def _head(scores):
    told = "; ".join(f"{name}: {s.false_exits} at {s.median:.1f} s" for name, s in scores.items())
    label = escape(f"False exits against the median delay until an exit is told. {told}.", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="{label}">\n<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="{CARD}"/>\n'
        f'<g font-family="{FONT}">\n'
        + _text(LEFT, 34, "How soon an exit is told, and how often wrongly", TEXT, 17, bold=True)
        + _text(LEFT, 54, f"Tags carried about within range for {scores['okaeri'].hours:.1f} hours, and switched off "
                f"{len(scores['okaeri'].delays)} times", DIM, 13))


def _axes(own):
    for exits in range(0, int(EXITS) + 1, 5):
        y = _y(exits)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{GRID}"/>'
        yield _text(LEFT - 12, y + 4, str(exits), DIM, 12, "end")
    for seconds in range(0, int(SECONDS) + 1, 5):
        yield _text(_x(seconds), HEIGHT - BOTTOM + 22, f"{seconds} s", DIM, 12, "middle")
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, "median delay until the exit is told", TEXT, 13, "middle")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield (f'<g transform="rotate(-90 24 {middle})">'
           + _text(24, middle + 4, f"false exits in {own.hours:.1f} hours", TEXT, 13, "middle") + "</g>")


def _goal(scores):
    """Where nobody is sent away wrongly more often than by thirty seconds, and told within fifteen."""
    top = _y(scores["fixed:30"].false_exits + 0.8)
    return (f'<rect x="{LEFT}" y="{top:.1f}" width="{_x(15) - LEFT:.1f}" height="{_y(0) - top:.1f}" '
            f'fill="{GOAL}" opacity="0.18"/>')


def _dot(score, colour, radius, label="", right=0, down=0):
    x, y = _x(score.median), _y(score.false_exits)
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}" stroke="{CARD}" stroke-width="2"/>'
    if label:
        yield _text(x + right, y + down, label, colour, 12.5, "start" if right else "middle")


def _text(x, y, text, colour, size, anchor="start", bold=False):
    weight = ' font-weight="bold"' if bold else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}"{weight}>'
            f'{escape(text)}</text>')


def _point(seconds, exits):
    return f"{_x(seconds):.1f},{_y(exits):.1f}"


def _x(seconds):
    return LEFT + seconds / SECONDS * (WIDTH - LEFT - RIGHT)


def _y(exits):
    return HEIGHT - BOTTOM - exits / EXITS * (HEIGHT - TOP - BOTTOM)
