#!/usr/bin/env python3
"""Looks at the page of a service that has just been set up, on a screen of 390 pixels: first_run.py --base http://127.0.0.1:8080
--link LINK --axe axe.min.js --out FOLDER. The region Anna is inside; a change of it is saved, and taken back."""

import argparse
import pathlib
import sys

from talk import say
from walk import Walk

SCREEN = 390
WITHIN = 60


def look(walk):
    browser = walk.browser
    wide = browser.run("return document.scrollingElement.scrollWidth")
    assert wide <= SCREEN, f"the page is {wide} pixels wide on a screen of {SCREEN}"


def first_look(walk, link):
    browser = walk.browser
    browser.open(f"{walk.base}/#login={link.partition('#login=')[2]}")
    browser.until(
        "Anna is inside",
        "return [...document.querySelectorAll('.region')].some((one) => /Anna/.test(one.innerText) && /Inside/.test(one.innerText))",
        within=WITHIN,
    )
    look(walk)
    walk.axe("the first page")
    browser.screenshot(walk.options.out / "first-page.png")


def edit(walk):
    browser = walk.browser
    browser.until("the region", "return document.querySelector(\".own [aria-label='Change Anna']\")", within=WITHIN)
    browser.run("document.querySelector(\".own [aria-label='Change Anna']\").click()")
    browser.until(
        "its file", "return document.querySelector('#name-hint')?.textContent.includes('/etc/okaeri/beacons.json')", within=WITHIN
    )


def change(walk):
    browser = walk.browser
    browser.click("nav a[href='#setup']")
    edit(walk)
    hint = browser.text("#name-hint")
    assert "regions.json" not in hint, f"the region is changed already: {hint}"
    browser.run("document.querySelector('#sensitivity').value = 'quick'")
    look(walk)
    walk.axe("the editor")
    walk.saved("Anna")
    edit(walk)
    browser.until(
        "the file of the change",
        "return document.querySelector('#name-hint').textContent.includes('/var/lib/okaeri/regions.json')",
        within=WITHIN,
    )
    browser.until("the reversal", "return document.querySelector('.remove:not([hidden]) .buttons button')", within=WITHIN)
    browser.run("document.querySelector('.remove:not([hidden]) .buttons button').click()")
    walk.axe("the question before a reversal")
    browser.run("document.querySelector('.remove:not([hidden]) .danger').click()")
    browser.until(
        "it is taken back",
        "return document.querySelector('.outcome:not([hidden])')?.textContent.includes('Anna has its earlier settings')",
        within=WITHIN,
    )
    edit(walk)
    hint = browser.text("#name-hint")
    assert "regions.json" not in hint, f"the change is still there: {hint}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True)
    parser.add_argument("--link", required=True)
    parser.add_argument("--axe", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    options = parser.parse_args()
    options.axe_source = options.axe.read_text()
    walk = Walk(options)
    walk.browser.look(SCREEN, "light")
    try:
        first_look(walk, options.link)
        change(walk)
        walk.quiet()
        say("the first page, a change, and its reversal")
    except BaseException:
        walk.browser.screenshot(options.out / "failed.png")
        raise
    finally:
        walk.browser.close()


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"browser: {error}")
