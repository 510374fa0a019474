#!/usr/bin/env python3
"""Checks the table of threats in docs/security.md: that each test exists, and that each constant of the source has the value
of the table. Prints the differences, and fails if there are any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ["surface", "attacker", "attack", "limit", "test"]
UNITS = {"": 1, "s": 1, "KiB": 1 << 10, "MiB": 1 << 20}
CONSTANT = re.compile(r"([A-Z]\w+)\.([a-z]\w*) = ([\d.]+) ?(\w*)")
NUMBER = re.compile(r"(?:[\w.]*\()?(\d[\d_.]*(?: *(?:<<|\*) *\d[\d_.]*)*)")


def rows():
    """Returns the cells of each row of the table."""
    lines = (ROOT / "docs/security.md").read_text().splitlines()
    split = lambda line: [cell.strip() for cell in line.strip().strip("|").split("|")]
    start = next(index for index, line in enumerate(lines) if split(line) == HEADER)
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return
        yield split(line)


def values(name, constant):
    """Returns the numbers that the files of this name assign to the constant."""
    for file in (ROOT / "Sources").rglob("*.swift"):
        if file.stem.split("+")[0] != name and name not in re.findall(r"\b(?:class|struct|enum|actor) (\w+)", file.read_text()):
            continue
        for text in re.findall(rf"\b{constant}(?:: [\w.<>?]+)? (?:=|\{{) ([^\n]+)", file.read_text()):
            if number := NUMBER.match(text):
                # Only digits, shifts and products.
                yield eval(number[1].replace("_", ""))


def functions(pattern, folder, suffix):
    """Returns the names that the pattern finds in the files of a folder, by the stem of the file."""
    return {
        (file.stem, name)
        for file in (ROOT / folder).rglob(f"*{suffix}")
        for name in re.findall(pattern, file.read_text())
    }


def main():
    found = functions(r"@Test(?:(?!@Test)[\s\S])*?\bfunc (`[^`]+`|\w+)", "Tests", ".swift")
    tests = {f"{stem}: {name.strip('`')}" for stem, name in found}
    attacks = {name for _, name in functions(r"@attack\([^\n]*\)\ndef (\w+)", "e2e/abuse", ".py")}
    scenarios = {name for _, name in functions(r"@(?:scenario|stage)\([^\n]*\)\ndef (\w+)", "e2e/scenarios", ".py")}
    targets = {file.parent.name for file in (ROOT / "Fuzz").glob("*/Fuzz*.swift")}
    played = {"abuse": attacks, "scenario": scenarios, "fuzz": targets}
    wrong = []
    for row in rows():
        if len(row) != len(HEADER):
            wrong.append(f"a row has {len(row)} cells: {row[:3]}")
            continue
        for name, constant, number, unit in CONSTANT.findall(row[3]):
            wanted = float(number) * UNITS[unit]
            if wanted not in (found := list(values(name, constant))):
                wrong.append(f"{name}.{constant} is {found} in Sources, not {number} {unit}".rstrip())
        for test in re.findall(r"`([^`]+)`", row[4]):
            kind, _, name = test.partition(": ")
            if name not in played[kind] if kind in played else test not in tests:
                wrong.append(f"there is no test {test}")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
