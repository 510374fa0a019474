"""The picture of docs/developers/architecture.md: the path of a report, and the targets in layers with their imports.

The place of a target is set here by hand; its imports come from Package.swift.
"""
from xml.sax.saxutils import escape

# The targets from above to below, each with the folder of its row and the middle of its box: imports lead down.
ROWS = [
    ("Programs", {"okaeri": 540}),
    ("Programs", {"Setup": 300, "Agent": 960}),
    ("Daemon", {"OkaeriDaemon": 540}),
    ("Daemon", {"Listening": 150, "Automation": 260, "History": 365, "Systemd": 465, "Server": 575, "Client": 720}),
    ("Daemon", {"OkaeriConfiguration": 260, "House": 870}),
    ("Daemon", {"Events": 465}),
    ("Library", {"BeaconLocation": 290}),
    ("Library", {"Presence": 150}),
    ("Platform", {"Bluetooth": 150, "BlueZ": 600, "NetworkManager": 740, "MQTT": 890}),
    ("Platform", {"Checksum": 365, "Encryption": 500, "DBus": 670, "WiFi": 830}),
    ("Lab", {"VirtualController": 985}),
    ("Lab", {"ControllerEmulation": 985}),
    ("Core", {"Receivers": 190, "Rooms": 465}),
    ("Core", {"RegionMonitoring": 465}),
    ("Core", {"HCI": 190, "IBeacon": 465}),
    ("Core", {"Plumbing": 600}),
]

# The libraries outside of the package, by their usual names.
BACKENDS = {
    "CBluetooth": "kernel", "CGIO": "GIO", "CNetworkManager": "libnm", "CMosquitto": "libmosquitto",
    "CSQLite": "SQLite", "CSodium": "libsodium", "CZlib": "zlib", "nio": "NIO", "hummingbird": "Hummingbird", "subprocess": "Subprocess",
    "argument-parser": "ArgumentParser",
}

# The path of a report: the column of each station, its work, and its output.
STOPS = [
    ("Bluetooth", "scanner", "bytes"),
    ("Presence", "driver", "actions"),
    ("Listening", "publisher", "events"),
    ("Events", "hub: node, seq", None),
]
RECORDER = ("History", "written before published")
CONSUMERS = [
    ("okaeri", "printer, terminal's prompt"),
    ("Systemd", "journal, readiness, watchdog"),
    ("Automation", "commands"),
    ("Automation", "prompts, joins"),
    ("OkaeriDaemon", "state.json"),
    ("Server", "event stream"),
    ("House", "MQTT"),
]
BACKEND = ("OkaeriDaemon", "endpoints")

WIDTH, MARGIN, ROW, HEIGHT = 1080, 28, 68, 40
ROAD, ROOMS = 88, 428
TOTAL = ROOMS + 24 + ROW * len(ROWS)
GROUND, BAND, CARD, EDGE, LINE, TEXT, DIM = "#242933", "#292f3a", "#2e3440", "#4c566a", "#616e88", "#d8dee9", "#8f9bb3"
REPORT, COMMAND = "#a3be8c", "#ebcb8b"


def draw(rooms, packages):
    """Returns the picture as SVG text."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TOTAL}" width="{WIDTH}" height="{TOTAL}" '
        'role="img" aria-label="The path of a report from the radio to the consumers, and the targets of the package in '
        'layers with their imports: the tables of architecture.md say the same.">',
        f'<rect width="{WIDTH}" height="{TOTAL}" rx="10" fill="{GROUND}"/>',
        "<defs>" + marker("report", REPORT) + marker("command", COMMAND) + marker("import", LINE) + "</defs>",
        "<g font-family=\"system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif\">",
        text(MARGIN, 36, "The path of a report, and of a command back", 17, TEXT, bold=True), *road(),
        text(MARGIN, ROOMS - 24, "The targets", 17, TEXT, bold=True),
        text(MARGIN + 130, ROOMS - 24, "lines lead down to what is imported; what follows from others is left out", 13, DIM),
        *imports(rooms, packages), "</g>", "</svg>",
    ]
    return "\n".join(parts) + "\n"


def road():
    y, step, width = ROAD + 110, 176, 122
    yield text(MARGIN, y + 4, "radio", 13, DIM)
    x = MARGIN + 72
    yield arrow([(MARGIN + 36, y), (x, y)], "report")
    for room, role, out in STOPS:
        yield box(x, y, width, room, role, REPORT)
        if out:
            yield arrow([(x + width, y), (x + step, y)], "report")
            yield text(x + width + 26, y - 8, out, 12, REPORT, "middle")
            x += step
    # The hub passes each event to the recorder, and receives it back after the write.
    hub, up = x, ROAD
    yield box(hub - 24, up, width + 48, *RECORDER, REPORT)
    yield arrow([(hub + 40, y - 20), (hub + 40, up + 20)], "report")
    yield arrow([(hub + width - 40, up + 20), (hub + width - 40, y - 20)], "report")
    right, span = hub + 226, 206
    for index, (room, role) in enumerate(CONSUMERS):
        place = ROAD - 5 + index * 46
        yield box(right, place, span, room, role, REPORT, side=True)
        middle = hub + width + 46
        yield arrow([(hub + width, y), (middle, y), (middle, place), (right, place)], "report")
        if room == "Server":
            low = place
        if role == "prompts, joins":
            answered = place
    back = hub - 24
    yield box(back, low, width + 48, *BACKEND, COMMAND)
    yield arrow([(right, low + 8), (back + width + 48, low + 8)], "command")
    # The driver's snapshot answers a question; an answer to a prompt goes to the prompter.
    driver = MARGIN + 72 + step + width / 2
    yield arrow([(back, low), (driver, low), (driver, y + 20)], "command")
    yield text((driver + back) / 2, low - 8, "status: a snapshot", 12, COMMAND, "middle")
    yield arrow([(back + width + 20, low - 20), (back + width + 20, answered + 8), (right, answered + 8)], "command")
    yield text(back + width + 12, answered + 12, "answers", 12, COMMAND, "end")


def imports(rooms, packages):
    places = {}
    yield from bands()
    for index, (_, row) in enumerate(ROWS):
        for room, middle in row.items():
            width = max(92, 8.4 * len(room) + 20, 6.2 * len(backends(room, rooms, packages)) + 16)
            places[room] = (middle - width / 2, ROOMS + 24 + index * ROW, width)
    for room in places:
        for other in sorted(reduced(room, rooms)):
            if other in places:
                yield curve(places[room], places[other])
    for room, (x, y, width) in places.items():
        yield box(x, y, width, room, backends(room, rooms, packages), EDGE)


def bands():
    """Returns a band behind the rows of each folder."""
    first = 0
    for index, (folder, _) in enumerate(ROWS):
        if index + 1 < len(ROWS) and ROWS[index + 1][0] == folder:
            continue
        top, height = ROOMS + 24 + first * ROW - ROW / 2 + 2, (index + 1 - first) * ROW - 4
        yield (f'<rect x="10" y="{top:.1f}" width="{WIDTH - 20}" height="{height:.1f}" rx="8" fill="{BAND}"/>')
        yield text(22, top + 20, folder, 13, DIM, bold=True)
        first = index + 1


def backends(room, rooms, packages):
    names = rooms[room] | packages[room]
    return ", ".join(shown for name, shown in BACKENDS.items() if name in names)


def reduced(room, rooms):
    """Returns the imports of a target that do not follow from its other imports."""
    def reach(start):
        reached, ahead = set(), [start]
        while ahead:
            new = rooms.get(ahead.pop(), set()) - reached
            reached |= new
            ahead += new
        return reached
    return rooms[room] - set().union(*(reach(other) for other in rooms[room]))


def marker(name, colour):
    return (f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0L8 4L0 8Z" fill="{colour}"/></marker>')


def arrow(points, kind):
    colour = {"report": REPORT, "command": COMMAND}[kind]
    way = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{way}" fill="none" stroke="{colour}" stroke-width="1.8" marker-end="url(#{kind})"/>'


def curve(above, below):
    (x, y, width), (to_x, to_y, to_width) = above, below
    x, to_x, y, to_y = x + width / 2, to_x + to_width / 2, y + HEIGHT / 2, to_y - HEIGHT / 2
    bend = (to_y - y) / 2
    return (f'<path d="M{x:.1f} {y:.1f}C{x:.1f} {y + bend:.1f} {to_x:.1f} {to_y - bend:.1f} {to_x:.1f} {to_y:.1f}" '
            f'fill="none" stroke="{LINE}" stroke-width="1.2" marker-end="url(#import)"/>')


def box(x, y, width, name, role, colour, side=False):
    """Returns a box; `y` is its middle."""
    frame = (f'<rect x="{x:.1f}" y="{y - HEIGHT / 2:.1f}" width="{width:.1f}" height="{HEIGHT}" rx="6" fill="{CARD}" '
             f'stroke="{colour}" stroke-width="1.4"/>')
    centre = x + width / 2
    if not role:
        return frame + text(centre, y + 4.5, name, 13, TEXT, "middle", bold=True)
    return frame + text(centre, y - 2, name, 13, TEXT, "middle", bold=True) + text(centre, y + 13, role, 11, DIM, "middle")


def text(x, y, words, size, colour, anchor="start", bold=False):
    weight = ' font-weight="bold"' if bold else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}"{weight}>'
            f"{escape(words)}</text>")
