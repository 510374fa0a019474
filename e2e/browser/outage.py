"""The stages in which the daemon does not answer: it is frozen, or it has ended."""

import contextlib
import os
import signal
import subprocess
import time

# In seconds: the page waits for five, and asks a silent daemon every five.
SHOWN = 12
BACK = 20

OUT = "return document.querySelector('#notices').innerText.includes('does not answer')"


@contextlib.contextmanager
def frozen(walk):
    """The daemon is stopped, as a machine without a connection: nothing is answered, and nothing is refused."""
    os.kill(walk.options.daemon, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(walk.options.daemon, signal.SIGCONT)


def check_outage(walk):
    """Checks that nothing on Now looks current, and that nothing can be requested."""
    browser = walk.browser
    shown = browser.run("""
        const colour = (one) => getComputedStyle(one).color
        const quiet = colour(document.querySelector('#zone'))
        return [...document.querySelectorAll('.region')].map((one) => ({
            name: one.querySelector('h3').textContent,
            isGrey: colour(one.querySelector('.state')) === quiet,
            past: one.querySelector('.past:not([hidden])')?.textContent ?? '',
            hasSince: one.querySelector('.when').offsetParent !== null,
        }))""")
    assert len(shown) >= 3 and all(one["isGrey"] and not one["hasSince"] for one in shown), shown
    now = [time.strftime("%H:%M", time.localtime(time.time() - back)) for back in (0, 60, 120)]
    assert all(any(one["past"] == f"last known {minute}" for minute in now) for one in shown), (shown, now)
    assert "live" not in browser.text("#link"), "the connection is called live"
    enabled = browser.run("return [...document.querySelectorAll('main button, footer button')].filter((one) => !one.matches(':disabled')).length")
    assert enabled == 0, f"{enabled} buttons are enabled"


def check_back(walk):
    """Waits until the page shows the present again."""
    browser = walk.browser
    browser.until("the end of the outage", "return !document.body.classList.contains('out') && !(() => {" + OUT + "})()", within=BACK)
    browser.until("the stream", "return document.querySelector('#link:not(.off)')", within=BACK)
    assert browser.run("return mark") == "the same page"
    assert not browser.run("return document.querySelector('.past:not([hidden])')")
    assert browser.run("return document.querySelector('.controls').matches(':enabled')")


def silent(walk):
    """A daemon that does not answer: after seconds the page is grey, its buttons are disabled, and it recovers by itself"""
    browser = walk.browser
    browser.open(walk.base + "/?silent#now")
    browser.until("the regions", "return document.querySelector('.region[data-state=inside]')", within=40)
    browser.run("window.mark = 'the same page'")
    with frozen(walk):
        browser.until("the notice of the outage", OUT, within=SHOWN)
        check_outage(walk)
        walk.pictures("outage")
        # The other views are usable, and disabled too.
        browser.click("nav a[href='#setup']")
        time.sleep(1)
        walk.axe("another view in an outage")
        browser.click("nav a[href='#now']")
    check_back(walk)
    walk.quiet()


def killed(walk):
    """A daemon that ends, and one that is started again: a button keeps the focus over the outage"""
    browser = walk.browser
    browser.open(walk.base + "/?killed#setup")
    browser.until("the beacons in the air", "return document.querySelectorAll('.air li').length >= 3", within=20)
    browser.run("window.mark = 'the same page'; document.querySelector('.air button').focus()")
    os.kill(walk.options.daemon, signal.SIGKILL)
    begun = time.monotonic()
    browser.until("the notice of the outage", OUT, within=SHOWN)
    assert time.monotonic() - begun > 3, "a short restart would be announced"
    assert browser.run("return document.querySelector('.air button').matches(':disabled')")
    browser.click("nav a[href='#now']")
    check_outage(walk)
    browser.click("nav a[href='#setup']")
    browser.until("the beacons", "return document.querySelector('.air button')")
    browser.run("document.querySelector('.air button').focus()")
    walk.options.process = subprocess.Popen(["bash", "-c", walk.options.start])
    walk.options.daemon = walk.options.process.pid
    check_back(walk)
    browser.click("nav a[href='#now']")
    browser.until("a region inside", "return document.querySelector('.region[data-state=inside]')", within=40)
    walk.quiet("ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE")
