"""The page by ingress in a browser: below a path, in Home Assistant's frame, with its login."""

import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "browser"))
from supervisor import FRONT, GATEWAY, OTHER, USERS
from talk import say
from walk import Walk

# Without TLS, a browser ignores one field, as on each address but localhost; a new history has no signals.
USUAL = ("Cross-Origin-Opener-Policy", "v1/signals .* 404")
HOME = f"http://{GATEWAY}:{FRONT}"
REGIONS = "return document.querySelectorAll('.region').length === 3"


def opened(walk, lab):
    """The user of Home Assistant is logged in, and each address is below that of the app"""
    browser = walk.browser
    browser.open(f"{HOME}/login/anna")
    browser.until("the regions", REGIONS, within=20)
    browser.until("the stream of events", "return document.querySelector('#link:not(.off)')?.textContent === 'live'", within=10)
    assert browser.url.startswith(walk.base + "/"), browser.url
    footer = browser.text("footer")
    assert "アンナ" in footer and not browser.run("return document.querySelector('footer button')"), footer
    browser.until("a region inside", "return document.querySelector('.region[data-state=inside]')", within=20)
    walk.pictures("ingress-now")
    walk.quiet(*USUAL)


def streamed(walk, lab):
    """An event arrives while the stream goes on"""
    browser = walk.browser
    browser.run_async(
        "const done = arguments[arguments.length - 1], stream = new EventSource('v1/events');"
        "stream.addEventListener('didRangeBeacons', () => { stream.close(); done() })"
    )


def viewed(walk, lab):
    """The other views, with the picture of the day"""
    browser = walk.browser
    browser.click("nav a[href='#days']")
    browser.until("the picture", "return document.querySelector('.stage img')?.naturalWidth > 100", within=20)
    browser.click("nav a[href='#setup']")
    browser.until("the beacons in the air", "return document.querySelectorAll('.air li').length >= 3", within=20)
    assert browser.run("return document.querySelector('.devices').hidden"), "the sessions of browsers are shown"
    walk.pictures("ingress-setup")
    loaded = browser.run("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert len(loaded) > 10 and all(one.startswith(walk.base + "/") for one in loaded), loaded
    walk.quiet(*USUAL)


def save(walk, lab, before, threshold):
    browser = walk.browser
    browser.click("nav a[href='#setup']")
    browser.until("the cat", "return document.querySelector('[aria-label=\"Change cat\"]:not(:disabled)')", within=20)
    browser.click("[aria-label='Change cat']")
    browser.until("its thresholds", "return document.querySelector('#enter')?.value === arguments[0]", str(before))
    browser.run(
        "const enter = document.querySelector('#enter'); enter.value = arguments[0]; enter.dispatchEvent(new Event('input'))",
        threshold,
    )
    walk.saved("cat")
    saved = json.loads((lab.state / "regions.json").read_text())
    assert f'"enterRSSI": {threshold}' in json.dumps(saved), saved
    assert lab.made() == lab.before, "the file that the app makes has changed"


def saved(walk, lab):
    """A change is saved, in the folder of the app's data"""
    save(walk, lab, -82, -80)
    walk.quiet(*USUAL)


def restarted(walk, lab):
    """A page that stays open saves also after a restart of the app, with another token"""
    browser = walk.browser
    browser.run("window.mark = 'the same page'")
    lab.stop()
    lab.start()
    browser.until("the stream", "return document.querySelector('#link:not(.off)')", within=40)
    save(walk, lab, -80, -79)
    assert browser.run("return mark") == "the same page"
    refused = [one for one in lab.house.answers if one[0] == "POST" and one[3] == 403]
    assert len(refused) == 1, refused
    walk.quiet(*USUAL, "v1/.* (502|403)", "ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION")


def ended(walk, lab):
    """A page that stays open keeps its views when Home Assistant ends the session, and continues with the next one"""
    browser = walk.browser
    browser.click("nav a[href='#now']")
    browser.until("the regions", REGIONS)
    browser.run("window.mark = 'the same page'")
    sessions = dict(lab.house.sessions)
    lab.house.sessions.clear()
    browser.until(
        "the notice", "return document.querySelector('#notices').textContent.includes('Home Assistant has ended the login')", within=40)
    assert browser.run(f"{REGIONS} && document.body.classList.contains('out') && !document.querySelector('#paste')")
    walk.pictures("ingress-ended")
    # It stays so while there is no session.
    time.sleep(8)
    assert browser.run("return document.body.classList.contains('out') && !document.querySelector('#paste') && mark === 'the same page'")
    lab.house.sessions.update(sessions)
    browser.until("the end of the outage", "return !document.body.classList.contains('out')", within=30)
    browser.until("the stream", "return document.querySelector('#link:not(.off)')?.textContent === 'live'", within=20)
    assert browser.run(f"{REGIONS} && mark === 'the same page'")
    assert "has ended the login" not in browser.text("#notices")
    save(walk, lab, -79, -78)
    assert browser.run("return mark") == "the same page"
    walk.quiet(*USUAL, "v1/.* 401", "ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION")


def unnamed(walk, lab):
    """Without a user of Home Assistant the page offers no link, and waits for one"""
    browser = walk.browser
    browser.open(f"{HOME}/login/nameless")
    browser.until("the sentence", "return document.querySelector('main').textContent.includes('has not named you')", within=20)
    assert not browser.run("return document.querySelector('#paste')") and "okaeri web link" not in browser.text()
    session = next(session for session, user in lab.house.sessions.items() if not user)
    lab.house.sessions[session] = USERS["anna"]
    browser.until("the regions", REGIONS, within=20)
    walk.quiet(*USUAL, "v1/web/session .*401")


def looked(walk, lab):
    """A user that is not listed may look, and change nothing"""
    browser = walk.browser
    browser.open(f"{HOME}/login/bert")
    browser.until("the regions", REGIONS, within=20)
    browser.until("the notice", "return document.querySelector('#notices').textContent.includes('cannot change settings')")
    assert "okaeri web link" not in browser.text()
    browser.click("nav a[href='#setup']")
    browser.until("the cat, without a change", "return document.querySelector('[aria-label=\"Change cat\"]:disabled')", within=20)
    walk.pictures("ingress-looking")
    walk.quiet(*USUAL)
    browser.open(f"{HOME}/login/anna")
    browser.until("the regions", REGIONS, within=20)


def framed(walk, lab):
    """Home Assistant shows the page in its frame, and another site does not"""
    browser = walk.browser
    browser.open(f"{HOME}/frame")
    inside = "return document.querySelector('iframe').contentDocument?.querySelectorAll('.region').length === 3"
    browser.until("the regions in the frame", inside, within=20)
    walk.quiet(*USUAL)
    browser.open(f"http://{GATEWAY}:{OTHER}/frame")
    deadline, found = time.monotonic() + 20, []
    while not any("frame-ancestors" in line for line in found):
        assert time.monotonic() < deadline, f"the frame of another site is not refused: {found}"
        found += browser.console()
        time.sleep(0.2)


def forged(walk, lab):
    """A change by another site with the user's login is refused"""
    browser = walk.browser
    before = (lab.state / "regions.json").read_text()
    lab.house.answers.clear()
    browser.run_async(
        "const done = arguments[arguments.length - 1];"
        "fetch(arguments[0] + '/v1/configuration/room', { method: 'POST', mode: 'no-cors', credentials: 'include',"
        " body: JSON.stringify({ room: 'attic' }) }).then(() => done(), (error) => done(String(error)))",
        walk.base,
    )
    changes = [(path, origin, status) for method, path, origin, status in lab.house.answers if method == "POST"]
    assert changes == [("v1/configuration/room", f"http://{GATEWAY}:{OTHER}", 403)], changes
    assert (lab.state / "regions.json").read_text() == before
    walk.quiet(*USUAL, "v1/configuration/room .*(403|NotSameOrigin)", "frame-ancestors|Refused to|Framing")


STAGES = [opened, streamed, viewed, saved, restarted, ended, unnamed, looked, framed, forged]


def all_stages(options, lab):
    walk = Walk(options)
    try:
        for stage in STAGES:
            say(stage.__doc__)
            try:
                stage(walk, lab)
            except BaseException:
                walk.browser.screenshot(options.out / "failed.png")
                raise
    finally:
        walk.browser.close()
