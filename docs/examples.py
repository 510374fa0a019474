#!/usr/bin/python3
"""Checks that man shows each line of code of a page as it is written in docs: docs/examples.py FOLDER, the man pages' folder."""
import os
import pathlib
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parent
PAGES = {"okaeri.1": "commands.md", "beacons.json.5": "configuration.md", "okaeri-examples.7": "automation.md"}


def code(text):
    """Yields the lines of the indented blocks."""
    is_code = False
    for line in text.split("\n"):
        if not line.strip():
            is_code = True
        elif line.startswith("    ") and is_code:
            yield line[4:]
        else:
            is_code = False


def main():
    folder = pathlib.Path(sys.argv[1])
    wrong = []
    for page, source in PAGES.items():
        environment = {**os.environ, "MANWIDTH": "200", "MAN_KEEP_FORMATTING": "", "LC_ALL": "C.UTF-8"}
        shown = subprocess.run(["man", "-l", str(folder / page)], check=True, capture_output=True, text=True, env=environment)
        rendered = {line.strip() for line in shown.stdout.split("\n")}
        lines = list(code((DOCS / source).read_text()))
        wrong += [f"{page}: {line}" for line in lines if line.strip() not in rendered]
    if wrong:
        sys.exit("docs: man does not show these lines as they are:\n" + "\n".join(wrong))


main()
