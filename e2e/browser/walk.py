#!/usr/bin/env python3
"""Tests the page in a real browser, by the actions of a user.

    walk.py --base http://127.0.0.1:8080 --link-command 'okaeri web link' --socket SOCKET --axe axe.min.js --out FOLDER
        --daemon PID --start 'exec okaeri monitor …'

The daemon at that address reads the captures of house.py. The link command prints a login link, a new one each time. The
program freezes and kills the daemon, starts it again by the start command, and saves pictures of each page, at both widths and in both themes, and walk.json with its measurements in FOLDER.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import changing
import household
import looking
import outage
from talk import say
from webdriver import Browser

ENGLISH = [
    looking.notice,
    looking.wrong_link,
    looking.login,
    looking.now,
    looking.clock,
    looking.prompt,
    looking.live,
    looking.asleep,
    looking.offline,
    looking.reopened,
    looking.days,
    looking.narrow_days,
    looking.explained,
    looking.ranged,
    looking.ten_minutes,
    household.guests,
    changing.noise,
    changing.set_up,
    changing.every_key,
    household.headline,
    household.radios,
    household.details,
    household.former,
    household.empty,
    household.phones,
    household.enrolled,
    changing.troubles,
    changing.strangers,
    changing.joined,
    changing.backup,
    changing.keyboard,
    outage.silent,
    outage.killed,
    changing.logout,
]

WIDTHS = {"narrow": 360, "wide": 1280}
THEMES = ("light", "dark")


# The controls that a finger misses: with fewer than 44 pixels. The label of a radio button or a checkbox is a part of it.
SMALL = """
return [...document.querySelectorAll('a[href]:not(.skip), button, input, select, summary')].map((one) => [one, (one.closest('.option') ?? one).getBoundingClientRect()])
    .filter(([one, { width, height }]) => one.checkVisibility() && width > 0 && (height < 43.9 || width < 43.9))
    .map(([one, { width, height }]) => `${one.outerHTML.slice(0, 90)}: ${width} x ${height}`)"""


class Walk:
    """A browser, and the checks of every page that it shows."""

    def __init__(self, options, language="en"):
        self.options = options
        self.language = language
        self.browser = Browser(language)
        self.browser.look(WIDTHS["wide"], "light")

    @property
    def base(self):
        return self.options.base

    def link(self):
        said = subprocess.run(self.options.link_command, shell=True, capture_output=True, text=True, check=True).stdout
        address = re.search(r"https?://\S+(#login=[^\s\x1b]+)", said)
        assert address, f"the link command printed no link: {said}"
        # The link may have another address of this machine.
        return f"{self.base}/{address[1]}"

    def region(self, name):
        """Returns the regions of the configuration."""
        regions = json.loads(self.options.config.read_text())["regions"]
        return next(one for one in regions if one["identifier"] == name)

    def saved(self, name):
        self.browser.click("button.main")
        self.browser.until(
            f"{name} is saved",
            "return document.querySelector('.outcome:not([hidden])')?.textContent.includes(arguments[0])",
            name,
        )

    def pictures(self, name, check=True):
        """Checks the page at both widths and in both themes: it is not wider than the screen, and axe finds no violation."""
        for theme in THEMES:
            for width, pixels in WIDTHS.items():
                self.browser.look(pixels, theme)
                self.browser.run("scrollTo(0, 0)")
                wide = self.browser.run("return document.scrollingElement.scrollWidth")
                assert wide <= pixels, f"{name}: {wide} pixels wide on a screen of {pixels}"
                small = self.browser.run(SMALL) if width == "narrow" else []
                assert not small, f"{name}: too small for a finger: {small}"
                self.browser.screenshot(self.options.out / f"{name}-{width}-{theme}.png")
            if check:
                self.axe(f"{name}, {theme}")
        self.browser.look(WIDTHS["wide"], "light")

    def axe(self, name):
        if not self.browser.run("return !!window.axe"):
            self.browser.run(self.options.axe_source + "; window.axe = axe")
        found = self.browser.run_async(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, { resultTypes: ['violations'] }).then((result) => done(result.violations), (error) => done([String(error)]))"
        )
        violations = [
            f"{one['id']}: {one['help']}: {node['target']} {node['failureSummary']}"
            for one in found
            for node in one["nodes"]
        ]
        assert not violations, f"{name}: axe finds\n" + "\n".join(violations)
        say(f"axe: nothing against {name}")

    def quiet(self, *expected):
        """Checks that the console has only expected messages: the browser logs each refused request."""
        violations = [line for line in self.browser.console() if not any(re.search(pattern, line) for pattern in expected)]
        assert not violations, "the console says\n" + "\n".join(violations)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True)
    parser.add_argument("--link-command", required=True)
    parser.add_argument("--socket", required=True)
    parser.add_argument("--axe", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--config", required=True, type=pathlib.Path)
    parser.add_argument("--daemon", required=True, type=int, help="the process of the daemon")
    parser.add_argument("--start", required=True, help="the command that starts it again")
    parser.add_argument("--stages", type=lambda names: names.split(","), help="only these, after the login")
    options = parser.parse_args()
    options.axe_source = options.axe.read_text()
    options.out.mkdir(parents=True, exist_ok=True)
    options.measured = {}
    # The daemon that the walk has started.
    options.process = None
    try:
        walk(options)
    finally:
        if options.process:
            options.process.terminate()
            options.process.wait()


def walk(options):
    english = Walk(options)
    try:
        for stage in ENGLISH:
            if options.stages and stage is not looking.login and stage.__name__ not in options.stages:
                continue
            say(stage.__doc__.splitlines()[0])
            try:
                stage(english)
            except BaseException:
                english.browser.screenshot(options.out / "failed.png")
                raise
        english.quiet()
    finally:
        english.browser.close()
    japanese = Walk(options, "ja")
    try:
        say(changing.japanese.__doc__)
        changing.japanese(japanese)
        household.enrolled(japanese)
        japanese.quiet(r"/v1/web/session .* 401")
    finally:
        japanese.browser.close()
    (options.out / "walk.json").write_text(json.dumps(options.measured, indent=2) + "\n")
    say(f"measured: {json.dumps(options.measured)}")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"browser: {error}")
