#!/usr/bin/env python3
"""Compares the package with docs/developers/architecture.md, and draws docs/developers/architecture.svg.

Without arguments: prints the differences, and fails if there are any. With --draw: writes the picture.
"""
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import architecture_picture as picture  # noqa: E402

DOCS = pathlib.Path(__file__).resolve().parent
ROOT = DOCS.parent.parent
PICTURE = DOCS / "architecture.svg"
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public |package |internal |fileprivate |private )?import +"
    r"(?:(?:struct|enum|class|func|protocol|typealias|var|let) +)?(\w+)", re.M)


class Package:
    """Returns the content of Package.swift: the targets under Sources, their dependencies, and the products of packages."""

    def __init__(self):
        dump = subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, capture_output=True, text=True)
        if dump.returncode != 0:
            sys.exit(f"Package.swift cannot be read:\n{dump.stderr}")
        targets = [t for t in json.loads(dump.stdout)["targets"] if (t.get("path") or "").startswith("Sources/")]
        # The page names a target as its folder, without the prefix of its name.
        self.folder = {t["name"]: pathlib.Path(t["path"]).name for t in targets}
        rooms = self.folder.values()
        self.path = {self.folder[t["name"]]: t["path"] for t in targets}
        self.kind = {self.folder[t["name"]]: t["type"] for t in targets}
        self.rooms = {room: set() for room in rooms}
        self.packages = {room: set() for room in rooms}
        self.declared = {room: set() for room in rooms}
        for target in targets:
            for dependency in target["dependencies"]:
                (form, (name, *rest)), = dependency.items()
                room, name = self.folder[target["name"]], self.folder.get(name, name)
                self.declared[room].add(name)
                if form == "product":
                    self.packages[room].add(rest[0].removeprefix("swift-"))
                else:
                    self.rooms[room].add(name)

    def sources(self, room):
        return [f for f in (ROOT / self.path[room]).rglob("*") if f.suffix in (".swift", ".c", ".h")]

    def reach(self, room):
        """Returns all targets and packages that a target reaches."""
        reached, ahead = set(), [room]
        while ahead:
            room = ahead.pop()
            new = (self.rooms.get(room, set()) | self.packages.get(room, set())) - reached
            reached |= new
            ahead += new
        return reached


def table(page, head):
    """Returns the rows of the table with this head: of each cell its text, and the words in code."""
    lines = iter(page.splitlines())
    if not any(line.startswith(head) for line in lines):
        sys.exit(f"docs/developers/architecture.md has no table that begins with “{head}”")
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield [(cell, re.findall(r"`([^`]+)`", cell)) for cell in line.strip("| ").split(" | ")]


def check_allowed(package, page):
    above = []
    allowed = {}
    for cells in table(page, "| target |"):
        for room in cells[0][1]:
            allowed[room] = set(cells[3][1]) if len(cells) > 3 else set()
        for room in cells[0][1]:
            for name in sorted(package.rooms.get(room, set()) - set(above)):
                yield f"{room} depends on {name}, which does not stand above it in the table"
        above += cells[0][1]
    for room in package.rooms:
        if room not in allowed:
            yield f"{room} has no row in the table of targets"
            continue
        for name in sorted((package.rooms[room] | package.packages[room]) - allowed[room]):
            yield f"{room} depends on {name}: the table does not allow it"
    for room in allowed:
        if room not in package.rooms:
            yield f"{room} has a row in the table of targets, and is not a target"
            continue
        for name in sorted(allowed[room] - package.rooms[room] - package.packages[room]):
            yield f"{room} may import {name} by the table, and does not depend on it: strike it out"


def check_reach(package, page):
    known = set(package.rooms).union(*package.packages.values())
    for (_, rooms), (text, names) in table(page, "| from | never reaches |"):
        forbidden = set(names)
        for name in forbidden - known:
            yield f"{name} is neither a target nor a package: the table of what is never reached names it"
        if "any package" in text:
            forbidden |= set().union(*package.packages.values())
        if "any C library" in text:
            forbidden |= {name for name, kind in package.kind.items() if kind == "system"}
        for room in rooms:
            for name in sorted(package.reach(room) & forbidden):
                yield f"{room} reaches {name}"


def check_imports(package):
    """Checks that each declared dependency is imported, and each import is declared."""
    for room, declared in package.declared.items():
        found = set()
        for file in package.sources(room):
            if file.suffix == ".swift":
                found |= {package.folder.get(name, name) for name in IMPORT.findall(file.read_text())}
        # C libraries that are only linked have no import.
        for name in sorted(n for n in declared - found if package.kind.get(n) != "regular" or package_swift(package, n)):
            yield f"{room} depends on {name} and imports it nowhere"
        for name in sorted((found & set(package.rooms)) - declared - {room}):
            yield f"{room} imports {name} and does not depend on it"


def package_swift(package, room):
    return any(file.suffix == ".swift" for file in package.sources(room))


def check_shape(package):
    for room in package.rooms:
        if room in package.reach(room):
            yield f"{room} reaches itself: a cycle"
    drawn = {room: index for index, (_, row) in enumerate(picture.ROWS) for room in row}
    for folder, row in picture.ROWS:
        for room in row:
            if package.path.get(room) != f"Sources/{folder}/{room}":
                yield f"{room} is drawn in {folder}, and its path is {package.path.get(room)}"
            for other in sorted(package.rooms.get(room, set())):
                if drawn.get(other, len(drawn)) <= drawn[room]:
                    yield f"the arrow from {room} to {other} does not lead down"
    rooms = {room for room, kind in package.kind.items() if not room.startswith("C") or package_swift(package, room)}
    for room in sorted(set(drawn) ^ rooms):
        yield f"{room} is {'drawn, and no target' if room in drawn else 'not drawn: give it a place in ROWS'}"


def main():
    package = Package()
    page = (DOCS / "architecture.md").read_text()
    complaints = [*check_allowed(package, page), *check_reach(package, page), *check_imports(package),
                  *check_shape(package)]
    if not any("drawn" in complaint for complaint in complaints):
        drawing = picture.draw(package.rooms, package.packages)
        if sys.argv[1:] == ["--draw"]:
            PICTURE.write_text(drawing)
        elif not PICTURE.exists() or PICTURE.read_text() != drawing:
            complaints.append("docs/developers/architecture.svg is another picture than docs/developers/architecture.py --draw makes")
    print("\n".join(complaints), end="\n" if complaints else "")
    sys.exit(bool(complaints))


if __name__ == "__main__":
    main()
