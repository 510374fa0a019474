"""The stages that test access, the present and the history, in their order."""

import datetime
import re
import statistics
import time

from talk import Events, made, say, status_of

# In milliseconds, from the event on the daemon's own socket.
SOON = 300

# In bytes over the wire: all files of the first page, without the data.
FIRST_PAINT = 32_000

# The requests of a browser without a cache until Now is complete, the stream of events included.
REQUESTS = 12


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
    browser.until(
        "the signals and the networks",
        "return ['signals', 'guests'].every((name) => performance.getEntriesByName(`${location.origin}/v1/${name}`).length)",
    )
    loaded = browser.run(
        "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".map((one) => [new URL(one.name).pathname, one.transferSize])"
    )
    paths = [path for path, _ in loaded]
    # An event of the house may cause another status. The stream is listed when it has ended.
    count = len(paths) - max(0, paths.count("/v1/status") - 1) + (0 if "/v1/events" in paths else 1)
    walk.options.measured["requests"] = count
    assert count <= REQUESTS and paths.count("/v1/signals") == 1, f"{count} requests: {paths}"
    total = sum(size for path, size in loaded if not path.startswith("/v1/"))
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
    for words in ("home", "cat", "since", "dBm", "Bluetooth", "Wi-Fi", "keeps the region inside"):
        assert words in browser.text("main"), f"{words} is not in\n{browser.text('main')}"
    browser.until("the prompt", "return document.querySelector('.prompt')", within=20)
    walk.pictures("now")
    rows = browser.run(
        "const box = (one) => one.getBoundingClientRect(), grid = box(document.querySelector('.grid')).right;"
        "return [...document.querySelectorAll('.grid > *')].map((one) => [box(one).top, grid - box(one).right])"
    )
    for top, _ in rows:
        assert min(free for other, free in rows if other == top) < 1, f"a card is alone beside an empty half: {rows}"
    walk.quiet()


def local(moment, form):
    """Returns a time of the API in the time zone of the daemon, which is that of this program."""
    return datetime.datetime.fromisoformat(moment).astimezone().strftime(form)


def clock(walk):
    """All times are those of the Pi's time zone, which is named once, and not of the browser's"""
    browser = walk.browser
    assert browser.run("return Intl.DateTimeFormat().resolvedOptions().timeZone") == "Pacific/Auckland"
    named = f"Time zone of the Pi: {time.strftime('%Z')}, UTC{time.strftime('%z')[:3]}:{time.strftime('%z')[3:]}"
    browser.until("the name of the time zone", "return document.querySelector('#zone').textContent === arguments[0]", named)
    for since, shown in browser.run(
        "return [...document.querySelectorAll('.region time')].filter((one) => one.dateTime).map((one) => [one.dateTime, one.textContent])"
    ):
        assert local(since, "%H:%M") in shown, (since, shown)
    # Another instance of the module, for other time zones.
    found = browser.run_async(
        """
        const done = arguments[arguments.length - 1]
        import(`/app.${document.documentElement.lang}.js`).then(({ modules }) => {
            const { dayOf, midnight, setAllOffsets, setOffsets, zoneName } = ZONE
            const begins = (...days) => days.map((day) => new Date(midnight(day)).toISOString().slice(0, 16))
            const [CET, CEST] = [{ name: 'CET', seconds: 3600 }, { name: 'CEST', seconds: 7200 }]
            const result = []
            const take = (...offsets) => setOffsets({ time: '2026-11-20T12:00:00Z', offsets })
            take(CET, { ...CEST, from: '2026-03-29T01:00:00.000Z' }, { ...CET, from: '2026-10-25T01:00:00.000Z' })
            setAllOffsets([CET, { ...CEST, from: '2023-03-26T01:00:00.000Z' }, { ...CET, from: '2023-10-29T01:00:00.000Z' }])
            result.push(begins('2026-03-29', '2026-03-30', '2026-10-25', '2026-10-26', '2023-07-01'))
            result.push([zoneName(Date.parse('2026-07-01T00:00:00Z')), dayOf(Date.parse('2026-11-20T23:30:00Z'))])
            take({ name: '+0330', seconds: 12600 })
            result.push([zoneName(Date.parse('2026-07-01T00:00:00Z')), ...begins('2026-07-01')])
            // A midnight that the clock leaves out.
            take({ name: 'EET', seconds: 7200 }, { from: '2026-03-28T22:00:00.000Z', name: 'EEST', seconds: 10800 })
            result.push(begins('2026-03-28', '2026-03-29', '2026-03-30'))
            done(result)
        }).catch((error) => done(String(error)))
        """.replace("ZONE", made(walk, "zone"))
    )
    assert found == [
        ["2026-03-28T23:00", "2026-03-29T22:00", "2026-10-24T22:00", "2026-10-25T23:00", "2023-06-30T22:00"],
        ["CEST, UTC+02:00", "2026-11-21"],
        ["UTC+03:30", "2026-06-30T20:30"],
        ["2026-03-27T22:00", "2026-03-28T22:00", "2026-03-29T21:00"],
    ], found
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
        // The headline has a state as well, and no name.
        new MutationObserver((all) => all.filter(({ target }) => target.querySelector('h3')).forEach(({ target }) =>
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
    for moment, shown in browser.run(
        "return [...document.querySelectorAll('.events time')].map((one) => [one.dateTime, one.textContent])"
    ):
        assert shown == local(moment, "%H:%M:%S"), (moment, shown)
    assert browser.run("return document.querySelector('#date').value") == time.strftime("%Y-%m-%d")
    walk.pictures("days")
    browser.until("the wide picture", "return document.querySelector('.stage img').naturalWidth > 640")
    browser.until("the whole day", "return !new URL(document.querySelector('.stage img').src).searchParams.get('from')")

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
    # The margins of the picture have 96 pixels.
    span = browser.run(
        "const query = new URL(document.querySelector('.stage img').src).searchParams;"
        "return (Date.parse(query.get('to')) - Date.parse(query.get('from'))) / 3600000"
    )
    width = browser.run("return document.querySelector('.stage img').naturalWidth")
    assert abs(span - 24 * 0.2 * width / (width - 96)) < 0.2, f"{span} h are shown"
    browser.run("document.querySelector('.stage').focus()")
    browser.press("+")
    browser.until(
        "closer by the keyboard", "return document.querySelector('.range').innerText !== arguments[0]", zoomed
    )
    browser.press("right")
    browser.press("0")
    browser.until("the whole day again", "return document.querySelector('.range').innerText === arguments[0]", before)
    walk.quiet()


def narrow_days(walk):
    """Days on a phone: the picture begins with what happened, and has names and times within the screen"""
    browser = walk.browser
    try:
        for theme in ("light", "dark"):
            browser.look(390, theme)
            browser.open(walk.base + f"/?{theme}#days")
            there = "return document.querySelector('.stage img')?.naturalWidth > 0 && !document.querySelector('.stage.busy')"
            browser.until("the picture", there)
            browser.until("an event", "return document.querySelector('.events time')")
            first = browser.run("return Date.parse([...document.querySelectorAll('.events time')].at(-1).dateTime)")
            begin, end, width, room = browser.run(
                "const image = document.querySelector('.stage img'), query = new URL(image.src).searchParams;"
                "return [Date.parse(query.get('from')), Date.parse(query.get('to')), image.clientWidth, image.naturalWidth]"
            )
            assert width == room <= 390, f"the picture of {room} pixels is {width} pixels wide"
            assert browser.run("return document.scrollingElement.scrollWidth") <= 390
            assert begin <= first <= end and end - begin < 24 * 3_600_000, "the whole day is shown"
            text = browser.run_async(
                "const done = arguments[arguments.length - 1];"
                "fetch(document.querySelector('.stage img').src).then((answer) => answer.text()).then(done)"
            )
            for words in ("home", "cat", "shed", time.strftime("%Z")):
                assert f">{words}" in text, f"{words} is not in the picture"
            labels = [float(x) for x in re.findall(r'class="quiet middle" x="([\d.]+)"', text)]
            assert 2 <= len(labels) <= 8 and all(0 < x < room for x in labels), labels
            assert 'class="signal"' not in text, "a phone begins with the signals"
            walk.axe(f"the days on a phone, {theme}")
            browser.screenshot(walk.options.out / f"days-phone-{theme}.png")
        tall = browser.run("return document.querySelector('.stage img').naturalHeight")
        browser.click(".signals")
        browser.until("the signals", "return document.querySelector('.stage img').naturalHeight > arguments[0] + 200", tall)
        assert browser.run("return document.querySelector('.signals').ariaExpanded === 'true'")
        before = browser.text(".range")
        browser.run("[...document.querySelectorAll('.zoom button')].at(-1).click()")
        browser.until("the whole day", "return document.querySelector('.range').innerText !== arguments[0]", before)
        assert not browser.run("return new URL(document.querySelector('.stage img').src).searchParams.get('from')")
    finally:
        browser.look(1280, "light")
    walk.quiet()


def explained(walk):
    """Now: the reason for a state is in the card of its region, and the page stays where it is"""
    browser = walk.browser
    browser.open(walk.base + "/?explained#now")
    browser.until("the regions", "return document.querySelectorAll('.region').length")
    card = "[...document.querySelectorAll('.region')].find((one) => one.querySelector('h3').textContent === 'cat')"
    browser.run(f"const why = {card}.querySelector('.why'); why.scrollIntoView(); window.place = scrollY; why.click()")
    browser.until("the explanation", f"return {card}.querySelector('.words dl')")
    assert browser.run("return location.hash === '#now' && scrollY === window.place"), "the page has moved"
    assert browser.run("return document.querySelectorAll('.words').length") == 1
    words = browser.text(".words")
    assert "cat is inside: its beacon was received" in words and "dBm" not in words, words
    walk.axe("the explanation in a sentence")
    browser.run("document.querySelector('.words summary').focus()")
    browser.press("enter")
    browser.until("the numbers", "return document.querySelector('.words details').open")
    # A status does not close it, nor takes the focus.
    browser.run_async("import(`/app.${document.documentElement.lang}.js`).then(({ modules: { live: { reload } } }) => reload()).then(arguments[arguments.length - 1])")
    assert browser.run("return document.activeElement.matches('.words details[open] summary')")
    words = browser.text(".words")
    for part in (
        "A filtered signal of −82 dBm or more causes an entry",
        "a signal below −90 dBm, or silence, causes an exit",
        "after ",
        "s of silence",
        "every ",
        "as the beacon states",
    ):
        assert part in words, f"{part!r} is not in\n{words}"
    walk.pictures("reasons")
    browser.run(f"{card}.querySelector('.why').click()")
    assert browser.run("return document.querySelector('.words').offsetParent === null"), "the reason is still shown"


# Another instance of the module, whose event stream is the test's.
STREAM = """
const done = arguments[arguments.length - 1]
const real = window.EventSource
window.EventSource = class extends EventTarget {
    constructor() { super(); this.readyState = 1; window.stream = this }
    close() {}
}
import(`/app.${document.documentElement.lang}.js`).then(async ({ modules }) => {
    const { live, start, stop } = LIVE
    await start()
    const region = live.status.regions.find(({ identifier }) => identifier === 'cat')
    const [beacon] = region.beacons
    const { uuid, major, minor } = { ...region, ...beacon }
    const range = (rssi, accuracy, proximity) => {
        const event = { event: 'didRangeBeacons', region: 'cat', beacons: [{ uuid, major, minor, rssi, accuracy, proximity }] }
        stream.dispatchEvent(new MessageEvent('didRangeBeacons', { data: JSON.stringify(event) }))
        const { signal, accuracy: metres, proximity: nearness, age } = beacon
        return [signal, metres, nearness, age]
    }
    beacon.age = 3.5
    const found = [range(-50, 0.7, 'near')]
    beacon.age = 2.5
    found.push(range(0, -1, 'unknown'))
    stop()
    window.EventSource = real
    done(found)
}).catch((error) => done(String(error)))
"""


def ranged(walk):
    """A second of ranging without a reception keeps the values from before"""
    found = walk.browser.run_async(STREAM.replace("LIVE", made(walk, "live")))
    assert found == [[-50, 0.7, "near", 0], [-50, 0.7, "near", 2.5]], found


def ten_minutes(walk):
    """The line of the last ten minutes has the stored minutes, and is broken where three of them are missing"""
    found = walk.browser.run_async(
        """
        const done = arguments[arguments.length - 1]
        import(`/app.${document.documentElement.lang}.js`).then(({ modules: { chart: { sparkline } } }) => {
            const now = Date.parse('2026-11-21T12:10:00Z')
            const stored = (minutes) => Array.from({ length: 11 }, (_, index) => (minutes.includes(10 - index) ? -60 : null))
            const drawn = (minutes, ...ages) => {
                const line = sparkline()
                line.fill(now - 600_000, stored(minutes))
                for (const age of ages) line.add(now - age * 1000, -60)
                line.draw(now)
                return line.node.querySelector('.signal').getAttribute('d').replace(/[\\d. ]+/g, '')
            }
            done([drawn([9, 8, 7, 6]), drawn([9, 8, 4, 3]), drawn([2], 60, 20, 5), drawn([], 90, 20), drawn([5])])
        }, (error) => done(String(error)))
        """
    )
    assert found == ["MhLLL", "MhLMhL", "MhLLL", "MhMh", "Mh"], found
