#!/usr/bin/env python3
"""Checks the mechanical part of the style of comments and pages: prints each place that breaks it, and nothing otherwise.

A documentation comment, and each of its list items, is a noun phrase or begins with a verb: it does not open with a question
word, but for "Whether" at a Boolean. Comments and pages name the actor and use no pronoun for an unnamed person; in Swift sources
that also applies to messages. Software reports, notifies or sends; it does not speak. In sources of Swift, C and JavaScript it does
not say anything either; in pages and in scripts it also stores, receives and deletes: it does not know or hear.

In every text, also in names of tests, messages and code, a noun is not denied with "no" behind a form of "to be": "is not a", "has no"
and "there is no" are right.

It reads every file in git by its kind: comments of programs, docstrings, and whole pages.
"""

import ast
import io
import pathlib
import re
import subprocess
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPENING = re.compile(
    r"(- (Parameter \w+|Returns|Throws|\w+): )?(What|How|When|Who|Whoever|Whom|Whose|Where|Which|Why|Nobody|Somebody|Anybody|Everybody)\b",
    re.IGNORECASE)
PERSON = re.compile(r"\b(nobody|somebody|anybody|everybody|someone|anyone|everyone|whoever|whomever)\b", re.IGNORECASE)
MESSAGE = re.compile(r"\b(nobody|somebody|anybody|everybody|whoever)\b", re.IGNORECASE)
WHO = re.compile(r"\b(who|whom)\b", re.IGNORECASE)
SPEECH = re.compile(r"\b(told|tells|telling)\b", re.IGNORECASE)
SAYING = re.compile(r"\b(says|said|saying)\b", re.IGNORECASE)
MIND = re.compile(r"\b(knows|hears|heard|believes|believed|forgets|forgotten|remembers)\b", re.IGNORECASE)
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
BREAK = r"(?:\s|\"\s*\+\s*\"|^[ \t]*(?:///?|#|\*)[ \t])+"
DENIAL = re.compile(
    rf"\b(?:is|are|was|were|be|been){BREAK}(?:none\b|no\b(?!{BREAK}(?:longer|matter how|such thing)\b))|\bof{BREAK}before\b", re.MULTILINE)
EXISTENCE = re.compile(rf"\bthere(?:{BREAK}(?:may|can|need|would|will|must|to|has|have))?{BREAK}\Z", re.IGNORECASE | re.MULTILINE)
PAGES = (".md", ".1")
SLASHES = (".swift", ".c", ".h", ".js", ".mjs", ".css")
HASHES = (".sh", ".yml", ".yaml", ".service", ".sysusers", ".conf", ".toml")


def main():
    names = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True, cwd=ROOT).stdout.split("\n")
    for name in filter(None, names):
        path = ROOT / name
        if name.startswith("Fuzz/Corpus/") or not path.is_file() or path.is_symlink():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if path != pathlib.Path(__file__).resolve():
            check_denials(name, text)
        for number, prose in comments(name, text):
            check(name, number, prose)
        if name.endswith(".swift"):
            check_swift(name, text)


def comments(name, text):
    """Yields the line number and the text of each comment or line of prose."""
    first = text.partition("\n")[0]
    if name.endswith(PAGES) or name in ("docs/api.yaml", "debian/changelog", "debian/control"):
        yield from page(text, is_markdown=name.endswith(".md"))
    elif name.endswith(".py") or first.startswith("#!") and "python" in first:
        yield from python(text)
    elif name.endswith(SLASHES) or name.endswith(".rules"):
        yield from slashes(text)
    elif name.endswith(HASHES) or first.startswith("#!") or name.startswith("debian/"):
        yield from hashes(text)


def page(text, is_markdown):
    """Yields the lines of a page without its blocks of code."""
    is_fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if is_markdown and line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        elif not is_fenced and not (is_markdown and line.startswith("    ")):
            yield number, line


def python(text):
    """Yields the comments and docstrings of a Python program."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node):
            for offset, line in enumerate(node.body[0].value.value.splitlines()):
                yield node.body[0].lineno + offset, line


def slashes(text):
    """Yields the comments of a language in which they begin with two slashes, or with a slash and an asterisk."""
    is_block = False
    for number, line in enumerate(text.splitlines(), 1):
        begin = re.search(r"(?:^|\s)(//|/\*)", line)
        if is_block:
            yield number, line.partition("*/")[0]
            is_block = "*/" not in line
        elif begin:
            yield number, line[begin.end():].lstrip("/*")
            is_block = begin.group(1) == "/*" and "*/" not in line[begin.end():]


def hashes(text):
    """Yields the comments of a language in which they begin with a number sign."""
    for number, line in enumerate(text.splitlines(), 1):
        begin = re.search(r"(?:^|\s)#(?!!)", line)
        if begin:
            yield number, line[begin.end():]


def check(name, number, prose):
    plain = QUOTED.sub("", prose)
    if PERSON.search(plain) or WHO.search(plain):
        print(f"{name}:{number}: names no actor: {prose.strip()}")
    if SPEECH.search(plain):
        print(f"{name}:{number}: say reports, notifies or sends: {prose.strip()}")
    if name.endswith(SLASHES) and SAYING.search(plain):
        print(f"{name}:{number}: say reports, publishes, shows or contains: {prose.strip()}")
    if not name.endswith(SLASHES) and MIND.search(plain):
        print(f"{name}:{number}: say stores, receives, accepts or deletes: {prose.strip()}")


def check_denials(name, text):
    """Checks the whole text, because a test's name, a message and a page have the same words."""
    for found in DENIAL.finditer(text):
        if not EXISTENCE.search(text[max(0, found.start() - 40):found.start()]):
            line = text.count("\n", 0, found.start())
            print(f"{name}:{line + 1}: say is not a, or has no: {text.splitlines()[line].strip()}")


def check_swift(name, text):
    """Checks the openings of documentation comments, and the messages of Sources."""
    is_inside = False
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.match(r"\s*(///?) ?(.*)", line)
        prose = comment.group(2).strip() if comment else ""
        is_documentation = comment is not None and comment.group(1) == "///"
        if is_documentation and (not is_inside or prose.startswith("- ")) and OPENING.match(prose):
            print(f"{name}:{number}: opens with a question word: {prose}")
        if comment is None and name.startswith("Sources/") and MESSAGE.search(line):
            print(f"{name}:{number}: names no actor: {line.strip()}")
        is_inside = is_documentation


main()
