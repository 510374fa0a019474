#!/usr/bin/env python3
"""Takes the pictures of the page for README.md and docs, with phone and desktop widths, light and dark.

    take.py --base http://127.0.0.1:8080 --link LINK --language en|ja --out FOLDER

Writes FOLDER/now-390-light.webp, now-390-dark.webp, days-1280-light.webp and so on.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "browser"))
from webdriver import Browser

# The widths of the pictures of each page, in pixels: a phone and a computer.
WIDTHS = {"en": {"now": (390, 1280), "days": (1280,)}, "ja": {"now": (390,), "days": (1280,)}}
# The height of a phone in pixels. Other pictures end below the regions, or below the picture of the day.
PHONE = 844
END = "return Math.ceil(document.querySelector(arguments[0]).getBoundingClientRect().bottom + scrollY + 12)"
ENDS = {"now": ".grid", "days": ".stage"}
# The dates in English as the picture of a day has them.
BROWSERS = {"en": "en-GB", "ja": "ja"}
THEMES = ("light", "dark")
WITHIN = 120

# The banner about a replay in place of a radio: it must not be in a picture.
REPLAY = "return !!document.querySelector('.unreal')"
SHOWN = {
    "now": "return document.querySelectorAll('.region[data-state=inside] .spark:not(.gone)').length >= 3",
    "days": "return document.querySelector('.stage img')?.naturalWidth > 0 && !document.querySelector('.stage.busy')"
    " && document.querySelector('.events time')",
}


def take(browser, options):
    browser.look(1280, "light")
    browser.open(f"{options.base}/#login={options.link.partition('#login=')[2]}")
    browser.until("the page", SHOWN["now"], within=WITHIN)
    for page, widths in WIDTHS[options.language].items():
        for width in widths:
            for theme in THEMES:
                browser.look(width, theme, scale=1.5)
                # The picture of a day depends on the width and the theme.
                browser.open(f"{options.base}/?{page}-{width}-{theme}#{page}")
                browser.until(f"{page} at {width}", SHOWN[page], within=WITHIN)
                assert not browser.run(REPLAY), "the page shows a replay and not the adapter"
                wide = browser.run("return document.scrollingElement.scrollWidth")
                assert wide <= width, f"{page} is {wide} pixels wide on a screen of {width}"
                height = PHONE if width < 600 else browser.run(END, ENDS[page])
                browser.screenshot(options.out / f"{page}-{width}-{theme}.webp", height)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True)
    parser.add_argument("--link", required=True)
    parser.add_argument("--language", required=True, choices=("en", "ja"))
    parser.add_argument("--out", required=True, type=pathlib.Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    browser = Browser(BROWSERS[options.language])
    try:
        take(browser, options)
    finally:
        browser.close()


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"pictures: {error}")
