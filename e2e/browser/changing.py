"""The stages that set up a region, and those of the page as a whole, in their order."""

import random
import re
import time

import outage
from talk import made


def set_up(walk):
    """Set up: a region from nothing, measured at one metre"""
    browser = walk.browser
    browser.click("nav a[href='#setup']")
    browser.until("the beacons in the air", "return document.querySelectorAll('.air li').length >= 3", within=20)
    browser.until("the nearest on top", "return document.querySelector('.air li summary').textContent === 'Beacon 3 / 14'")
    titles = browser.run("return [...document.querySelectorAll('.air li b')].map((one) => one.textContent)")
    assert re.fullmatch(r"Strongest beacon, 0\.\d m", titles[0]) and not any("Strongest" in title for title in titles[1:]), titles
    assert "5AFFFFFF" not in browser.text(".air"), "a UUID is not folded"
    browser.click(".air li summary")
    browser.until("the UUID", "return document.querySelector('.air').innerText.includes('5AFFFFFF-1234')")
    walk.pictures("setup")

    browser.click(".air li button:not([hidden])")
    browser.until("the editor", "return document.activeElement.id === 'name'")
    browser.click("button.main")
    browser.until(
        "a name is asked for",
        "return document.querySelector('.editor .error:not([hidden])')?.textContent.includes('name')",
    )
    browser.type("#name", "home")
    browser.click("button.main")
    browser.until(
        "the name is taken", "return document.querySelector('.editor .error')?.textContent.includes('already')"
    )
    browser.type("#name", "keys")
    if browser.run("return [...document.querySelector('#network').options].some((one) => one.value === '=HomeNet')"):
        browser.run(
            "const list = document.querySelector('#network'); list.value = '=HomeNet'; list.dispatchEvent(new Event('change'))"
        )
    else:
        browser.run(
            "const list = document.querySelector('#network'); list.value = '*'; list.dispatchEvent(new Event('change'))"
        )
        browser.type("#ssid", "HomeNet")
    assert browser.run("return document.querySelector('.live').hidden"), "the chart is shown without thresholds"
    browser.click("#limited")
    # Once there is a live signal, the page draws the thresholds below it.
    browser.until(
        "the live signal", "return document.querySelector('.live-chart .signal').getAttribute('d')?.length > 40"
    )
    browser.until(
        "the thresholds", "return document.querySelectorAll('.live-chart .threshold:not(.gone)').length === 2"
    )
    proposed(walk)
    browser.run("[...document.querySelectorAll('.editor button')].find((one) => one.textContent === 'Measure').click()")
    browser.until(
        "the progress",
        "return document.querySelector('progress').value > 0.1 && /readings/.test(document.querySelector('.countdown').textContent)",
    )
    walk.pictures("editor", check=False)
    browser.until(
        "the measured power",
        "return document.querySelector('.measured').textContent.includes('dBm at one metre')",
        within=30,
    )
    walk.axe("the editor")
    browser.run(
        "[...document.querySelectorAll('.editor button')].find((one) => one.textContent === 'Show the text').click()"
    )
    browser.until("the text", "return document.querySelector('.text:not([hidden]) textarea')?.value.includes('keys')")
    walk.axe("the text of the configuration")
    browser.click("button.main")
    browser.until(
        "it is saved", "return document.querySelector('.outcome:not([hidden])')?.textContent.includes('keys')"
    )
    region = walk.region("keys")
    assert (region["major"], region["minor"], region["wifi"]) == (3, 14, {"ssid": "HomeNet", "join": "prompt"}), region
    assert -56 <= region["measuredPower"] <= -48 and region["exitRSSI"] < region["enterRSSI"] < -52, region
    change(walk)
    browser.click("nav a[href='#now']")
    browser.until(
        "the new region",
        "return [...document.querySelectorAll('.region h3')].some((one) => one.textContent === 'keys')",
    )
    walk.quiet()


def proposed(walk):
    """Checks that the thresholds are as far apart as the noise of the signal requires, and that the page warns of less."""
    browser = walk.browser
    browser.until(
        "the noise", "return /varies by [\\d.]+ dB/.test(document.querySelector('#apart').textContent)", within=40
    )
    enter, exit, text = browser.run(
        "return [+document.querySelector('#enter').value, +document.querySelector('#exit').value, document.querySelector('#apart').textContent]"
    )
    noise, enough, apart = map(float, re.findall(r"([\d.]+) dB", text))
    assert apart == enter - exit == enough and max(7, 7 * (noise - 0.05)) <= enough <= max(7, 7 * (noise + 0.05) + 1), text
    browser.run(
        "const exit = document.querySelector('#exit'); exit.value = +document.querySelector('#enter').value - 2; exit.dispatchEvent(new Event('input'))"
    )
    browser.until("a warning", "return /again and again/.test(document.querySelector('#apart').textContent)")
    browser.run(
        "const exit = document.querySelector('#exit'); exit.value = arguments[0]; exit.dispatchEvent(new Event('input'))", exit
    )


def noise(walk):
    """The distance of the proposed thresholds follows the noise of the filtered signal"""
    dice = random.Random(7)
    signals = {deviation: [dice.gauss(-70, deviation) for _ in range(60)] for deviation in (1, 2, 3, 4)}
    few, constant, *distances = walk.browser.run_async(
        """
        const [signals, done] = arguments
        const distance = async (list) => (await (await fetch(`/v1/thresholds?signals=${list}`)).json()).distance
        Promise.all(signals.map(distance)).then(done, (error) => done(String(error)))
        """,
        [[-70] * 14, [-70] * 60, *signals.values()],
    )
    assert (few, constant) == (21, 7), (few, constant)
    for deviation, distance in zip(signals, distances):
        assert 5.5 * deviation <= distance <= 8.5 * deviation + 1, (deviation, distance)
    assert distances == sorted(set(distances)), distances


def change(walk):
    """A change of a region keeps the keys that the page does not have."""
    browser = walk.browser
    before = walk.region("cat")
    browser.click("[aria-label='Change cat']")
    browser.until(
        "its thresholds", "return document.querySelector('#enter')?.value === arguments[0]", str(before["enterRSSI"])
    )
    browser.run(
        "const enter = document.querySelector('#enter'); enter.value = -80; enter.dispatchEvent(new Event('input'))"
    )
    walk.saved("cat")
    assert walk.region("cat") == {**before, "enterRSSI": -80}, walk.region("cat")


def every_key(walk):
    """A region with every key: an edit changes what is edited, and keeps the rest of the file byte for byte"""
    browser = walk.browser

    def edit():
        browser.open(walk.base + "/?shed#setup")
        browser.click("[aria-label='Change shed']")
        browser.until("its thresholds", "return document.querySelector('#enter')?.value === '-75'")
        assert not browser.text("#network-loss"), "a loss is announced before anything is changed"

    def choose(selector, value):
        browser.run(
            "const list = document.querySelector(arguments[0]); list.value = arguments[1]; list.dispatchEvent(new Event('change'))",
            selector,
            value,
        )

    def check(old, new):
        """Checks that only these parts of the file have changed."""
        nonlocal text
        assert text.count(old) == 1, (old, text)
        text = text.replace(old, new)
        assert walk.options.config.read_text() == text, walk.options.config.read_text()

    text = walk.options.config.read_text()
    edit()
    walk.saved("shed")
    check('"identifier": "shed"', '"identifier": "shed"')

    edit()
    choose("#way", "auto")
    assert "ShedNet" not in browser.text("#network-loss")
    walk.saved("shed")
    check('"ssid": "ShedNet",\n        "join": "prompt"', '"ssid": "ShedNet",\n        "join": "auto"')

    # The sliders end at -100 dBm: the exit threshold of the file, -110, stays until one of the two is moved.
    edit()
    browser.run(
        "const enter = document.querySelector('#enter'); enter.value = -70; enter.dispatchEvent(new Event('input'))"
    )
    walk.saved("shed")
    check('"enterRSSI": -75,\n      "exitRSSI": -110', '"enterRSSI": -70,\n      "exitRSSI": -100')
    browser.open(walk.base + "/?shed#setup")
    browser.click("[aria-label='Change shed']")
    browser.until("its thresholds", "return document.querySelector('#enter')?.value === '-70'")
    browser.run("document.querySelector('input[name=which][value=uuid]').click()")
    browser.click("button.main")
    browser.until(
        "the beacon is not changed",
        "return document.querySelector('.editor .error:not([hidden])')?.textContent.includes('runs commands')",
    )
    check('"identifier": "shed"', '"identifier": "shed"')
    browser.run("document.querySelector('input[name=which][value=one]').click()")
    choose("#network", "")
    browser.until(
        "the loss of the passphrase file",
        "return /passphrase file.*ShedNet/.test(document.querySelector('#network-loss').textContent)",
    )
    walk.axe("the editor of a region with every key")
    walk.saved("shed")
    wifi = re.search(r' +"wifi": \{\s+"ssid": "ShedNet".*?\},\n', text, re.DOTALL)[0]
    check(wifi, "")
    assert "(not/shown)" not in text and text.count("--token=abc") == 3
    walk.quiet(r"/v1/configuration/region .* 403")


def troubles(walk):
    """Errors and their fixes are on the page; and the rooms of a house of several nodes"""
    browser = walk.browser
    browser.open(walk.base + "/?troubles#now")
    browser.until("the regions", "return document.querySelectorAll('.region').length")
    browser.run_async("""
        const done = arguments[arguments.length - 1]
        import(`/app.${document.documentElement.lang}.js`).then(async ({ modules: { live: { live, reload, stop } } }) => {
            stop()
            // After this nothing is under way any more.
            await reload()
            const status = structuredClone(live.status)
            const [home, cat] = status.regions
            Object.assign(home, { state: 'unknown', lastKnown: 'inside', beacons: [] })
            cat.house = { state: 'inside', lastKnown: 'inside', room: 'kitchen', waiting: ['attic'], since: cat.since }
            cat.beacons = [1, 2].map((minor) => ({ ...cat.beacons[0], minor, accuracy: -1, signal: minor === 1 ? -88 : null, rssi: -50, age: minor === 1 ? 64 : 3, keepsInside: minor === 1 }))
            cat.beacons.push({ ...cat.beacons[1], major: undefined, minor: undefined, phone: 'anna' })
            Object.assign(status, {
                stale: true, mqtt: { connected: false, reason: 'not connected to broker.local: connection refused; `systemctl status mosquitto`' },
                services: [{ identifier: 'phone', service: '1812', connected: false }],
                bluetooth: { state: 'poweredOff', reason: 'hci0 is off: `bluetoothctl power on` switches it on.', listening: false },
                wifi: { managerRunning: true, hardwareEnabled: true, radioEnabled: false, activating: false },
            })
            status.findings = [
                { subject: 'daemon', verdict: 'wrong', code: 'stale', finding: 'the daemon is stuck', fix: 'restart it with `sudo systemctl restart okaeri`' },
                { subject: 'bluetooth', verdict: 'wrong', code: 'notPoweredOn', alarm: 'critical', finding: 'hci0 is off' },
                { subject: 'state', verdict: 'wrong', code: 'notKept', finding: '/s cannot be written: no space left', fix: 'check the disk with `df -h`', values: ['no space left'] },
                { subject: 'mqtt', verdict: 'wrong', code: 'brokerAway', finding: 'not connected' },
                { subject: 'clock', verdict: 'wrong', code: 'ofALaterVersion', finding: 'the clock is wrong', fix: 'run `timedatectl`' },
                { subject: 'mqtt', verdict: 'note', code: 'brokerWasAway', finding: 'the last problem was at 7:31: connection refused', values: ['7:31', 'connection refused'] },
                { subject: 'notify', verdict: 'note', code: 'noneDelivered', finding: 'https://<b>: none sent since the start; `okaeri notify test` sends one', values: ['https://<b>'] },
                { subject: 'mDNS', verdict: 'ok', finding: 'the network finds the page' },
            ]
            live.status = status
            live.dispatchEvent(new CustomEvent('status'))
            done()
        })""")
    browser.until("the findings", "return document.querySelector('.findings li')?.checkVisibility()")
    text = browser.text("body")
    for words in (
        "STALE",
        "systemctl restart okaeri",
        "no space left",
        "The clock is wrong; run timedatectl",
        "Switched off. hci0 is off",
        "bluetoothctl power on",
        "nmcli radio wifi on",
        "last known: Inside",
        "Room: kitchen",
        "waiting for attic",
        "distance unknown",
        "received 1 min ago",
        "no signal",
        "Not connected to broker.local",
        "/s cannot be written: no space left; check the disk with df -h",
        "MQTT: the last problem was at 7:31",
        "Notify: https://<b>: none sent since the start",
        "okaeri notify test sends one",
    ):
        assert words in text, f"{words!r} is not in\n{text}"
    found = browser.run("return [...document.querySelectorAll('.findings li')].map((one) => one.className)")
    assert found == ["wrong"] * 2 + ["note"] * 2, f"what a notice shows is in the list as well: {found}"
    bars = browser.run(
        "return [...document.querySelectorAll('.region .beacon')].map((one) => [one.innerText, one.querySelectorAll('.lit').length])"
    )
    phones = [text for text, _ in bars if "anna" in text]
    assert len(phones) == 1 and "distance" not in phones[0], f"a phone, which claims no power, has a distance: {phones}"
    weak = [lit for text, lit in bars if "no signal" in text]
    assert len(weak) >= 2 and not any(weak), f"a beacon without a signal has bars: {bars}"
    walk.pictures("troubles")
    assert "STALE" in browser.text("#notices"), "what was shown has changed meanwhile"
    browser.open(walk.base + "/#now")
    # The status of the test has a broker, and the daemon has none: its list of nodes is empty.
    walk.quiet(r"/v1/nodes .* 404")


def strangers(walk):
    """A name that is markup stays a text"""
    browser = walk.browser
    name = "\"><img src=x onerror=document.title='broken'>"
    browser.click("nav a[href='#setup']")
    browser.until("the beacons in the air", "return document.querySelectorAll('.air li').length >= 3")
    browser.click(".air li:last-child button:not([hidden])")
    browser.until("the editor", "return document.activeElement.id === 'name'")
    browser.type("#name", name)
    browser.click("button.main")
    browser.until(
        "it is saved", "return document.querySelector('.outcome:not([hidden])')?.textContent.includes('onerror')"
    )
    browser.click("nav a[href='#now']")
    browser.until(
        "the name as it is",
        "return [...document.querySelectorAll('.region h3')].some((one) => one.textContent === arguments[0])",
        name,
    )
    assert not browser.run("return document.querySelector('main img')"), "a name has become an element"
    browser.run("[...document.querySelectorAll('.region')].at(-1).querySelector('.why').click()")
    browser.until("its explanation", "return document.querySelector('.region:last-child .words p')?.textContent.startsWith(arguments[0])", name)
    walk.quiet()


def joined(walk):
    """A beacon becomes one more sign of a region that exists, and the page takes that back"""
    browser = walk.browser
    before = walk.options.config.read_text()
    browser.open(walk.base + "/?joined#setup")
    browser.until("the beacon", "return [...document.querySelectorAll('.air li')].some((one) => one.textContent.includes('Beacon 3 / 14'))", within=20)
    browser.run(
        "[...document.querySelectorAll('.air li')].find((one) => one.textContent.includes('Beacon 3 / 14')).querySelector('[aria-label^=Use]').click()"
    )
    browser.until("the editor", "return document.activeElement.id === 'name'")
    browser.type("#name", "cat")
    browser.click("button.main")
    join = "return [...document.querySelectorAll('.editor button')].find((one) => one.textContent === 'Add it to cat' && !one.hidden)"
    browser.until("the button", join)
    walk.pictures("joining")
    browser.run(join + ".click()")
    browser.until("it is added", "return document.querySelector('.outcome:not([hidden])')?.textContent.startsWith('Added: cat')")
    browser.until("both signs", "return [...document.querySelectorAll('.own')].some((one) => /cat/.test(one.textContent) && /major 3 minor 14/.test(one.textContent))")
    assert walk.options.config.read_text() == before, "beacons.json is changed"
    back = "return [...document.querySelectorAll('.own .remove:not([hidden]) .end button')].find((one) => one.textContent.startsWith('Undo'))"
    browser.until("the reversal", back)
    walk.pictures("joined")
    browser.run(back + ".click()")
    browser.run("[...document.querySelectorAll('.own .danger')].find((one) => one.checkVisibility()).click()")
    browser.until("it is taken back", "return document.querySelector('.outcome:not([hidden])')?.textContent.includes('Undone. cat')")
    browser.until("one sign", "return document.querySelector(\"[aria-label='Change cat']:not([hidden])\")")
    walk.quiet()


def backup(walk):
    """An encrypted backup is downloaded; a short passphrase and another second one are refused"""
    browser = walk.browser
    browser.open(walk.base + "/?backup#setup")
    browser.until("the form", "return document.querySelector('.backup form:not([hidden])')")
    error = "return document.querySelector('.backup .error:not([hidden])')?.textContent.includes(arguments[0])"
    browser.type("#backup-pass", "short")
    browser.click(".backup button")
    browser.until("its length", error, "12")
    browser.type("#backup-pass", "five random words of mine")
    browser.type("#backup-again", "five random words of yours")
    browser.click(".backup button")
    browser.until("the difference", error, "differ")
    walk.pictures("backup")
    browser.run("window.names = []; HTMLAnchorElement.prototype.click = function () { window.names.push(this.download) }")
    browser.type("#backup-again", "five random words of mine")
    browser.click(".backup button")
    browser.until("the download", "return window.names.length === 1 && /^okaeri.*[.]tar[.]age$/.test(window.names[0])", within=60)
    assert browser.run("return document.querySelector('#backup-pass').value === ''"), "the passphrase stays in the page"
    walk.quiet()


def keyboard(walk):
    """The keyboard reaches every view: the focus is visible, moves through all controls, and is never trapped"""
    browser = walk.browser
    for view in ("now", "days", "setup"):
        browser.open(walk.base + f"/?{view}#{view}")
        browser.until("the view", "return document.querySelector('main section .card')")
        time.sleep(1)
        browser.run("document.activeElement.blur(); scrollTo(0, 0)")
        count = browser.run(
            "return [...document.querySelectorAll('a[href], button, input, select, textarea, [tabindex=\"0\"]')]"
            ".filter((one) => !one.disabled && one.offsetParent).length"
        )
        seen = []
        for _ in range(count + 4):
            browser.press("tab")
            seen.append(
                browser.run(
                    """
                const one = document.activeElement
                const style = getComputedStyle(one)
                const name = one.getAttribute('aria-label') || one.textContent || one.labels?.[0]?.textContent
                const box = one.getBoundingClientRect()
                return one === document.body ? null : [one.tagName, name, style.outlineStyle !== 'none', box.width > 0]"""
                )
            )
        reached = [one for one in seen if one]
        assert len(reached) >= count, f"{view}: {len(reached)} of {count} are reached: {seen}"
        unseen = [one for one in reached if not one[2] or not one[3] or not one[1]]
        assert not unseen, f"{view}: the focus is not seen, or has no name: {unseen}"
        assert "Skip" in reached[0][1], f"{view}: the first is {reached[0]}"


def logout(walk):
    """After a logout the page shows no data"""
    browser = walk.browser
    browser.run("document.querySelector('footer button').click()")
    browser.until("the notice", "return document.querySelector('.login')")
    assert not browser.run("return document.querySelector('.region')")
    browser.open(walk.base + "/?again")
    browser.until("the notice after a reload", "return document.querySelector('.login')")
    walk.quiet(r"/v1/\S+ .* 401")


def japanese(walk):
    """Japanese, by the language of the browser"""
    browser = walk.browser
    browser.open(walk.base + "/")
    browser.until("the notice", "return document.querySelector('.login')?.innerText.includes('ログイン')")
    assert browser.run("return document.documentElement.lang") == "ja"
    browser.open(walk.link())
    browser.until("the regions", "return document.querySelectorAll('.region').length >= 2")
    for view, words in (("now", "圏"), ("days", "出来事"), ("setup", "受信中のビーコン")):
        browser.click(f"nav a[href='#{view}']")
        browser.until(
            f"{view} in Japanese", "return document.querySelector('main').innerText.includes(arguments[0])", words
        )
        time.sleep(1.5)
        walk.pictures(f"{view}-ja")
    browser.click("nav a[href='#now']")
    with outage.frozen(walk):
        browser.until("the outage in Japanese", "return document.querySelector('#notices').innerText.includes('応答しません')", within=30)
        assert "最終確認" in browser.text(".region"), browser.text(".region")
        walk.pictures("outage-ja")
    browser.until("the answer", "return !document.querySelector('#notices').innerText.includes('応答しません')", within=30)
    for script, module, name in (("app", "texts", "first"), ("more", "further", "further"), ("app", "served", "served")):
        english, translated = (
            browser.run(f"return {made(walk, module, f'{script}.{language}')}.{name}") for language in ("en", "ja")
        )
        # English reasons and findings are the daemon's own sentences, and so are most names of parts.
        own = ("why_", "bluetooth_", "mqtt_", "f_", "fix_", "part_")
        english, translated = (
            {name: text for name, text in table.items() if not name.startswith(own)} for table in (english, translated)
        )
        assert set(english) == set(translated), set(english) ^ set(translated)
        for name, text in english.items():
            assert sorted(set(part for part in "01234" if f"{{{part}}}" in text)) == sorted(
                set(part for part in "01234" if f"{{{part}}}" in translated[name])
            ), f"{name}: not the same places"
