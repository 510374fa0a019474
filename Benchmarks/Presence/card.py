"""Draws the pictures: SVG on a card with a colour of its own, so that it is readable on light and dark pages."""

from html import escape

WIDTH, LEFT, RIGHT = 820, 82, 36

CARD, GRID, TEXT, DIM = "#242933", "#3b4252", "#d8dee9", "#7b88a1"
BLUE, YELLOW, GREEN = "#81a1c1", "#ebcb8b", "#a3be8c"
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif"


def write(path, height, title, subtitle, description, parts):
    """Writes a card. `description` is the text for screen readers."""
    path.write_text("\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(description, quote=True)}">',
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="{CARD}"/>', f'<g font-family="{FONT}">',
        text(LEFT, 34, title, TEXT, 17, bold=True), text(LEFT, 54, subtitle, DIM, 13), *parts, "</g></svg>", ""]))


def text(x, y, words, colour, size, anchor="start", bold=False):
    weight = ' font-weight="bold"' if bold else ""
    # A rim in the card's colour, so that the text is readable on a line, too.
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}"{weight} '
            f'paint-order="stroke" stroke="{CARD}" stroke-width="4">{escape(words)}</text>')


def upright(x, y, words):
    return f'<g transform="rotate(-90 {x} {y})">{text(x, y + 4, words, TEXT, 13, "middle")}</g>'


def grid(left, right, y):
    return f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="{GRID}"/>'


def line(points, colour, dashes=""):
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.5"{dashed}/>'


def dot(x, y, radius, colour):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}" stroke="{CARD}" stroke-width="2"/>'
