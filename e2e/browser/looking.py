"""The stages that test access, the present and the history, in their order."""

import statistics

from talk import Events, say, status_of

# In milliseconds, from the event on the daemon's own socket.
SOON = 300

# In bytes over the wire: all files of the first page, without the data.
FIRST_PAINT = 60_000


def state(walk, region="home"):
    return walk.browser.run(
        "return [...document.querySelectorAll('.region')].find((one) => one.querySelector('h3').textContent === arguments[0])?.dataset.state",
        region,
    )


def notice(walk):
    """Without a login the page shows how to log in"""
    browser = walk.browser
    browser.open(walk.base + "/")
    browser.until("the notice", "return document.querySelector('.login')")
    assert "okaeri web link" in browser.text(".login"), browser.text()
    assert status_of(walk.base, "/v1/status") == 401
    assert not browser.run("return document.querySelector('.region')")
    walk.pictures("login")
    walk.quiet(r"/v1/web/session .* 401")


def wrong_link(walk):
    """An invalid link is refused, and does not stay in the address"""
    browser = walk.browser
    browser.open(walk.base + "/#login=there-is-no-such-token-0000000000")
    browser.until("the refusal", "return document.querySelector('.login .error')?.textContent")
    assert "login=" not in browser.url, browser.url
    walk.axe("the refusal of a link")
    walk.quiet(r"/v1/web/(session|login) .* 401")


def login(walk):
    """A link logs in once; the cookie survives a reload"""
    browser = walk.browser
    link = walk.link()
    browser.open(link)
    browser.until("the regions", "return document.querySelectorAll('.region').length === 3")
    assert "login=" not in browser.url, browser.url
    assert "Chrome on Linux" in browser.text("footer"), browser.text("footer")
    assert browser.run("return document.cookie") == "", "the cookie can be read by scripts"
    browser.developer("Network.enable")
    browser.developer("Network.setCacheDisabled", cacheDisabled=True)
    browser.open(walk.base + "/")
    browser.until("the regions after a reload", "return document.querySelectorAll('.region').length === 3")
    loaded = browser.run(
        "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".filter((one) => !new URL(one.name).pathname.startsWith('/v1/')).map((one) => [new URL(one.name).pathname, one.transferSize])"
    )
    total = sum(size for _, size in loaded)
    walk.options.measured["firstPaintBytes"] = total
    browser.developer("Network.setCacheDisabled", cacheDisabled=False)
    assert 20_000 < total <= FIRST_PAINT, f"the first page takes {total} bytes: {loaded}"
    foreign = browser.run(
        "return performance.getEntriesByType('resource').filter((one) => !one.name.startsWith(location.origin)).length"
    )
    assert foreign == 0, "something was loaded from elsewhere"
    problems = browser.developer("Page.getInstallabilityErrors")["installabilityErrors"]
    assert not problems, f"it cannot be installed: {problems}"


def now(walk):
    """Now: states, beacons, the machine, and the note that all of it is simulated"""
    browser = walk.browser
    browser.until("home is inside", "return document.querySelector('.region[data-state=inside] .bars .lit')", within=20)
    assert "NOT REAL" in browser.text("#notices"), browser.text()
    for words in ("home", "cat", "since", "dBm", "Bluetooth", "Wi-Fi", "keeps it inside"):
        assert words in browser.text("main"), f"{words} is not in\n{browser.text('main')}"
    browser.until("the prompt", "return document.querySelector('.prompt')", within=20)
    walk.pictures("now")
    walk.quiet()


def prompt(walk):
    """The prompt is answered by the keyboard alone"""
    browser = walk.browser
    for _ in range(20):
        browser.press("tab")
        if (
            browser.run("return document.activeElement.closest('.prompt') && document.activeElement.textContent")
            == "Join"
        ):
            break
    else:
        raise AssertionError("the Join button is not reached by the keyboard")
    browser.press("enter")
    browser.until(
        "the outcome", "return document.querySelector('.outcome:not([hidden])')?.textContent.includes('HomeNet')"
    )
    browser.until(
        "the network is joined", "return document.querySelector('.outcome')?.textContent.startsWith('Connected to')"
    )
    browser.until("the prompt is gone", "return !document.querySelector('.prompt')")


def live(walk):
    """Enter and exit appear live, without a reload"""
    browser = walk.browser
    events = Events(walk.options.socket)
    browser.run("""
        window.mark = 'the same page'
        window.changes = []
        new MutationObserver((all) => all.forEach(({ target }) =>
            changes.push([Date.now(), target.querySelector('h3').textContent, target.dataset.state])))
            .observe(document.querySelector('main'), { subtree: true, attributeFilter: ['data-state'] })""")
    delays = []
    position = 0
    for kind, expected in (("didExitRegion", "outside"), ("didEnterRegion", "inside")) * 2:
        heard, _ = events.next([kind], position, within=90)
        position = len(events.seen)
        browser.until(
            f"home is {expected}",
            "return changes.some(([, name, state]) => name === 'home' && state === arguments[0])",
            expected,
            within=5,
        )
        changed = browser.run(
            "const found = changes.find(([, name, state]) => name === 'home' && state === arguments[0]); changes.length = 0; return found[0]",
            expected,
        )
        delays.append(round(changed - heard))
        said = browser.text("#said")
        assert "home" in said, f"screen readers are not notified of the {kind}: {said!r}"
    walk.options.measured["millisecondsToThePage"] = delays
    say(f"on the page after {delays} ms")
    # Beside other work a machine may be slow for a moment; a slow page is slow most of the time.
    assert statistics.median_low(delays) <= SOON, f"on the page only after {delays} ms"
    assert browser.run("return mark") == "the same page"


def asleep(walk):
    """A phone that slept during an exit shows the right state after it"""
    browser = walk.browser
    events = Events(walk.options.socket)
    if state(walk) != "inside":
        events.next(["didEnterRegion"], 0)
        browser.until("home is inside", "return document.querySelector('.region').dataset.state === 'inside'")
    position = len(events.seen)
    browser.sleep()
    events.next(["didExitRegion"], position)
    browser.wake()
    browser.until("home is outside", "return document.querySelector('.region').dataset.state === 'outside'", within=3)
    assert not browser.run("return document.hidden")
    walk.quiet()


def offline(walk):
    """Without the network the page shows the outage, and then the right state"""
    browser = walk.browser
    events = Events(walk.options.socket)
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.developer("Network.emulateNetworkConditions", offline=True, **network)
    _, event = events.next(["didEnterRegion", "didExitRegion"], 0)
    browser.until("it is said", "return document.querySelector('#link.off')", within=40)
    browser.developer("Network.emulateNetworkConditions", offline=False, **network)
    browser.until("live again", "return document.querySelector('#link:not(.off)')", within=40)
    walk.quiet("ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED")
    browser.until("the signal of a while", "return document.querySelectorAll('.spark:not(.gone)').length === 2")
    walk.pictures("now-later")
    browser.run("changes.length = 0")
    position = len(events.seen)
    heard, event = events.next(["didEnterRegion", "didExitRegion"], position)
    browser.until(
        f"home is {event['state']}",
        "return changes.some(([, name, state]) => name === 'home' && state === arguments[0])",
        event["state"],
        within=5,
    )


def reopened(walk):
    """Pages that were left hold no connection: the eighth one loads, and the one before it resumes"""
    browser = walk.browser
    for number in range(8):
        browser.open(walk.base + f"/?{number}#setup")
        browser.until(f"the regions of page {number}", "return document.querySelectorAll('.own').length")
        browser.until("its event stream", "return document.querySelector('#link:not(.off)')")
    events = Events(walk.options.socket)
    browser.run("history.back()")
    browser.until("the page before", "return location.search === '?6' && document.querySelector('#link:not(.off)')")
    browser.click("nav a[href='#now']")
    _, event = events.next(["didEnterRegion", "didExitRegion"], len(events.seen), within=90)
    browser.until(
        f"home is {event['state']}",
        "return [...document.querySelectorAll('.region')].some((one) => one.dataset.state === arguments[0] && one.querySelector('h3').textContent === 'home')",
        event["state"],
        within=5,
    )
    walk.quiet()


def days(walk):
    """Days: a picture with a date picker, zoomed by dragging and by the keyboard, with the events under it"""
    browser = walk.browser
    browser.click("nav a[href='#days']")
    whole = "return document.querySelector('.stage img')?.complete && document.querySelector('.stage img').naturalWidth > 0 && !document.querySelector('.stage.busy')"
    browser.until("the picture", whole)
    browser.until("an event", "return document.querySelector('.events [data-event=didEnterRegion]')")
    walk.pictures("days")

    # The date picker: selects an earlier day, as a user does.
    today = browser.run("return document.querySelector('#date').value")
    browser.run(
        "const date = document.querySelector('#date'); date.value = new Date(Date.parse(date.value) - 86400000).toISOString().slice(0, 10);"
        "date.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    day = browser.run("return document.querySelector('#date').value")
    assert day < today
    browser.until("the picture of the day before", f"return document.querySelector('.stage img').src.includes('{day}')")
    browser.until("its picture is there", whole)
    browser.click("button[aria-label='The day after']")
    browser.until("today again", f"return document.querySelector('.stage img').src.includes('{today}')")
    browser.until("its picture", whole)

    before = browser.text(".range")
    browser.drag(".stage", 0.2, 0.4)
    browser.until("zoomed by dragging", "return document.querySelector('.range').innerText !== arguments[0]", before)
    browser.until(
        "the zoomed picture", "return new URL(document.querySelector('.stage img').src).searchParams.get('from')"
    )
    zoomed = browser.text(".range")
    # A fifth of the picture is 0.2 * 960 / 864 of the day.
    span = browser.run(
        "const query = new URL(document.querySelector('.stage img').src).searchParams;"
        "return (Date.parse(query.get('to')) - Date.parse(query.get('from'))) / 3600000"
    )
    assert abs(span - 24 * 0.2 * 960 / 864) < 0.2, f"{span} h are shown"
    browser.run("document.querySelector('.stage').focus()")
    browser.press("+")
    browser.until(
        "closer by the keyboard", "return document.querySelector('.range').innerText !== arguments[0]", zoomed
    )
    browser.press("right")
    browser.press("0")
    browser.until("the whole day again", "return document.querySelector('.range').innerText === arguments[0]", before)
    walk.quiet()


def explained(walk):
    """Days: the exit times, and their reasons"""
    browser = walk.browser
    browser.open(walk.base + "/#now")
    browser.until("the regions", "return document.querySelectorAll('.region').length")
    browser.run(
        "[...document.querySelectorAll('.region')].find((one) => one.querySelector('h3').textContent === 'cat').querySelector('.why').click()"
    )
    browser.until("the explanation", "return document.querySelector('.words dl')")
    words = browser.text(".words")
    for part in (
        "A filtered signal of −82 dBm or more enters",
        "one below −90 dBm leaves",
        "after ",
        "s of silence",
        "every ",
        "as it claims",
    ):
        assert part in words, f"{part!r} is not in\n{words}"
    walk.axe("the explanation")
