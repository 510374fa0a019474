#!/usr/bin/env python3
"""The mechanical part of the style of comments: prints each place that breaks it, and nothing if there is none.

A documentation comment, and each of its list items, is a noun phrase or begins with a verb: it does not open with a question
word, but for "Whether" at a Boolean. The actor is named: no "nobody", "somebody", "whoever" in comments, and none at all in
Sources."""

import pathlib
import re
import subprocess

OPENING = re.compile(
    r"(- (Parameter \w+|Returns|Throws|\w+): )?(What|How|When|Who|Whoever|Whom|Whose|Where|Which|Why|Nobody|Somebody|Anybody|Everybody)\b",
    re.IGNORECASE)
ACTOR = re.compile(r"\b(whoever|nobody|somebody|anybody|everybody)\b", re.IGNORECASE)
SPEECH = re.compile(r"\b(told|tells)\b", re.IGNORECASE)


def main():
    files = subprocess.run(
        ["git", "ls-files", "Sources/*.swift", "Tests/*.swift", "Benchmarks/*.swift", "Fuzz/*.swift", "Examples/*.swift"],
        capture_output=True, text=True, check=True, cwd=pathlib.Path(__file__).parent.parent).stdout.split()
    for name in files:
        is_inside = False
        for number, line in enumerate((pathlib.Path(__file__).parent.parent / name).read_text().splitlines(), 1):
            comment = re.match(r"\s*(///?) ?(.*)", line)
            text = comment.group(2).strip() if comment else ""
            is_documentation = comment is not None and comment.group(1) == "///"
            if is_documentation and (not is_inside or text.startswith("- ")) and OPENING.match(text):
                print(f"{name}:{number}: opens with a question word: {text}")
            if (comment or name.startswith("Sources/")) and ACTOR.search(line):
                print(f"{name}:{number}: names no actor: {line.strip()}")
            if comment and SPEECH.search(text):
                print(f"{name}:{number}: say reports, notifies or sends: {text}")
            is_inside = is_documentation


main()
