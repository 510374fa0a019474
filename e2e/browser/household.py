"""The stages about the people of a house: the headline, the details of a region, and their phones."""

import hashlib
import json
import urllib.request

import looking

# The rows of the QR codes of "okaeri" and of 134 letters, version 1 and 6, error correction L, mask 0.
CODES = {
    "okaeri": "dceca8499986b19c097cdb9571570f76b46f8563fb974ca3bfe91e0519688fdf",
    "x" * 134: "ef6619a67a1805fe97f9eeca35e457247f42b436293bfc59cc94432e752b3d11",
}


def headline(walk):
    """The headline has three states, and an unknown one never counts as an empty home"""
    browser = walk.browser
    browser.open(walk.base + "/?headline#now")
    browser.until(
        "the headline", "return /Somebody is home: .*cat/.test(document.querySelector('.headline')?.textContent)"
    )
    anna = {"state": "inside", "present": [{"region": "Anna", "room": "kitchen"}, {"region": "Bob"}]}
    cases = [
        (anna, True, "Somebody is home: Anna (kitchen), Bob"),
        ({"state": "outside", "present": []}, True, "Nobody is home"),
        ({"state": "unknown", "present": []}, True, "It is not known whether anybody is home"),
        ({"state": "outside", "present": []}, False, "It is not known whether anybody is home"),
        (anna, False, "It is not known whether anybody is home"),
    ]
    for occupancy, is_current, words in cases:
        found = browser.run_async(
            "const [status, isCurrent, done] = arguments;"
            "import(`/app.${document.documentElement.lang}.js`).then(({ modules: { now: { headline } } }) => done(headline(status, isCurrent).text), (error) => done(String(error)))",
            {"occupancy": occupancy},
            is_current,
        )
        assert found == words, (occupancy, is_current, found)


# The page's requests about the house are answered by a report of the test: the daemon of the test has no broker.
HOUSE = """
const real = window.fetch
const answer = (content) => new Response(JSON.stringify(content), { headers: { 'Content-Type': 'application/json' } })
window.fetch = async (path, options) => {
    if (path === 'v1/nodes') return answer(window.report)
    const response = await real(path, options)
    if (path !== 'v1/status') return response
    return answer({ ...await response.json(), mqtt: { connected: true, reason: 'connected to mqtt.lan' } })
}
window.report = arguments[0]
"""


def radios(walk):
    """The radios of a house are a table with their reports; names that look like markup are text, and one Pi has no table"""
    browser = walk.browser
    stranger = "<img src=x onerror=document.title='broken'>"
    radio = {"away": False, "rate": 12.34, "share": 0.519, "lost": 3, "late": 0, "age": 0.4}
    hub = {"name": "hall", "online": True, "kind": "hub", "room": "hall", "listening": True}
    report = {
        "node": "hall", "site": "home", "hub": "hall", "connected": True, "reason": "", "regions": [],
        "nodes": [
            {"name": stranger, "online": True, "kind": "receiver", "room": stranger, "radio": radio},
            hub,
            {"name": "attic", "online": True, "kind": "standby", "radio": {**radio, "away": True, "age": 140}},
            {"name": "shed", "online": False, "kind": "receiver"},
            {"name": "study", "online": True, "kind": "hub", "listening": False, "reason": "hci0 is switched off"},
        ],
    }

    def show(name, report):
        browser.open(walk.base + f"/?{name}#now")
        browser.until("the regions", "return document.querySelectorAll('.region').length")
        browser.run(HOUSE, report)
        browser.run_async("import(`/app.${document.documentElement.lang}.js`).then(({ modules: { live: { reload } } }) => reload()).then(arguments[arguments.length - 1])")

    cells = "return [...document.querySelectorAll('.radios tbody tr')].map((row) => [...row.children].map((cell) => cell.innerText.replace(/\\s+/g, ' ').trim()))"
    show("radios", report)
    browser.until("the radios", "return document.querySelectorAll('.radios tbody tr').length === 5")
    shown = browser.run(cells)
    assert shown == [
        [f"{stranger} receiver Room: {stranger}", "12.3", "52 %", "3", "Last report 0 s ago"],
        ["hall hub this one Room: hall", "", "", "", "Online"],
        ["attic standby", "", "", "3", "No report for 2 min"],
        ["shed receiver", "", "", "", "Offline"],
        ["study second hub", "", "", "", "hci0 is switched off"],
    ], shown
    assert browser.run("return document.querySelectorAll('.radios .bad').length") == 3
    assert "broken" not in browser.run("return document.title")
    walk.pictures("radios")

    # A receiver counts no reports.
    show("radios-receiver", {**report, "node": "shed", "nodes": [{"name": "attic", "online": True}, hub]})
    browser.until("the radios", "return document.querySelectorAll('.radios tbody tr').length === 2")
    assert browser.run("return [...document.querySelectorAll('.radios .number')].every((cell) => cell.offsetParent === null)")

    show("radios-one", {**report, "nodes": [hub]})
    browser.run_async("setTimeout(arguments[arguments.length - 1], 500)")
    assert browser.run("return document.querySelector('.radios').offsetParent === null"), "one Pi has a table of radios"
    walk.quiet()


def details(walk):
    """A region is changed from its beacon, renamed with its state, and deleted; one with commands is not"""
    browser = walk.browser
    browser.open(walk.base + "/?details#setup")
    beacon = "[...document.querySelectorAll('.air li')].find((one) => one.textContent.includes('Beacon 3 / 14'))"
    browser.until(
        "its beacon is changed, not added again",
        f"const buttons = [...({beacon}?.querySelectorAll('button') ?? [])].filter((one) => !one.hidden);"
        "return buttons.length === 1 && buttons[0].getAttribute('aria-label') === 'Change keys'",
        within=20,
    )
    browser.run(f"{beacon}.querySelector('button:not([hidden])').click()")
    browser.until(
        "the region with its file",
        "return document.querySelector('#name')?.readOnly === false && /beacons.json/.test(document.querySelector('#name-hint').textContent)",
    )
    browser.type("#name", "cat")
    browser.click("button.main")
    browser.until(
        "the name is taken", "return document.querySelector('.editor .error')?.textContent.includes('already')"
    )
    browser.type("#name", "bag")
    browser.run("document.querySelector('#sensitivity').value = 'quick'")
    walk.pictures("details")
    walk.saved("bag")
    assert walk.region("bag")["sensitivity"] == "quick", walk.region("bag")
    browser.click("nav a[href='#now']")
    browser.until("the new name", "return [...document.querySelectorAll('.region h3')].some((one) => one.textContent === 'bag')")
    assert looking.state(walk, "bag") == "inside", "its state is lost"
    assert looking.state(walk, "keys") is None, "the former name is still there"

    browser.click("nav a[href='#setup']")
    browser.until("the region", "return document.querySelector(\"[aria-label='Change bag']\")")
    browser.run("document.querySelector(\".own [aria-label='Change bag']\").click()")
    browser.until("the deletion", "return document.querySelector('.remove:not([hidden])')")
    browser.run("document.querySelector('.remove .buttons.end button').click()")
    browser.until("the question", "return document.activeElement?.textContent === 'Keep it'")
    walk.axe("the question before a deletion")
    browser.run("document.querySelector('.remove .danger').click()")
    browser.until(
        "it is deleted", "return document.querySelector('.outcome:not([hidden])')?.textContent.includes('no longer monitors bag')"
    )
    names = [one["identifier"] for one in json.loads(walk.options.config.read_text())["regions"]]
    assert "bag" not in names and "cat" in names, names

    browser.run("document.querySelector(\".own [aria-label='Change shed']\").click()")
    browser.until(
        "commands keep their region",
        "return document.querySelector('#name')?.readOnly && /To rename or delete it/.test(document.querySelector('#name-hint').textContent)",
    )
    assert browser.run("return document.querySelector('.remove').hidden"), "a region with commands can be deleted"
    browser.open(walk.base + "/?after-details#setup")
    walk.quiet()


def empty(walk):
    """Without a region, Now has one button, which leads to Set up"""
    browser = walk.browser
    browser.open(walk.base + "/?empty#now")
    browser.until("the regions", "return document.querySelectorAll('.region').length")
    browser.run_async("""
        const done = arguments[arguments.length - 1]
        import(`/app.${document.documentElement.lang}.js`).then(({ modules: { live: { live, stop } } }) => {
            stop()
            live.status = { ...structuredClone(live.status), regions: [], occupancy: { state: 'unknown', present: [] }, prompts: [] }
            live.dispatchEvent(new CustomEvent('status'))
            done()
        })""")
    controls = "return [...document.querySelectorAll('main :is(a, button)')].filter((one) => one.checkVisibility() && !one.hasAttribute('aria-expanded')).map((one) => one.textContent)"
    assert browser.run(controls) == ["Set up"], browser.run(controls)
    assert "There is no region yet" in browser.text("main")
    walk.pictures("empty")
    browser.click("main a.button")
    browser.until("the beacons", "return document.querySelectorAll('.air li').length >= 3")
    walk.quiet()


def former(walk):
    """Days: a region that was renamed and deleted has its picture in a fold"""
    browser = walk.browser
    browser.open(walk.base + "/?former#days")
    browser.until("the fold", "return document.querySelector('.former:not([hidden]) summary')?.textContent === 'Former regions: bag, keys'")
    drawn = "return [...document.images].some((one) => one.src.includes('regions=' + arguments[0]) && one.naturalWidth > 0)"
    browser.until("the picture", drawn, "configured")
    assert not browser.run(drawn, "former"), "the picture of the former regions is requested before it is shown"
    browser.click(".former summary")
    browser.until("their picture", drawn, "former")
    for regions, names in (("configured", ["home", "cat", "shed"]), ("former", ["bag", "keys"])):
        text = browser.run_async(
            "const [regions, done] = arguments;"
            "fetch([...document.images].find((one) => one.src.includes('regions=' + regions)).src).then((answer) => answer.text()).then(done)",
            regions,
        )
        shown = [name for name in ("home", "cat", "shed", "bag", "keys") if f">{name}<" in text]
        assert shown == names, (regions, shown)
    walk.pictures("former")
    walk.quiet()


def phones(walk):
    """A browser is added by a link with a QR code, and logged out again"""
    browser = walk.browser
    browser.open(walk.base + "/?phones#setup")
    browser.until("this browser", "return document.querySelector('.devices .tag')?.textContent === 'this one'")
    browser.run("document.querySelector('.devices div.buttons button').click()")
    browser.until("the code", "return document.querySelector('.newlink:not([hidden]) .qr path')")
    link = browser.run("return document.querySelector('.newlink input').value")
    assert link.startswith(f"{walk.base}/#login="), link
    walk.pictures("phones")
    for text, digest in CODES.items():
        rows = browser.run_async(
            "const [text, done] = arguments;"
            "import(`/app.${document.documentElement.lang}.js`).then(({ modules: { qr: { matrix } } }) => done(matrix(text).map((row) => row.map(Number).join('')).join('\\n')), (error) => done(String(error)))",
            text,
        )
        assert hashlib.sha256(rows.encode()).hexdigest() == digest, rows
    body = json.dumps({"token": link.split("#login=")[1], "name": "Anna’s phone"}).encode()
    fields = {"Origin": walk.base, "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{walk.base}/v1/web/login", body, fields)) as answer:
        assert answer.status == 200
    browser.open(walk.base + "/?phones-again#setup")
    browser.until("the phone", "return document.querySelector(\"[aria-label='Log out Anna’s phone']\")")
    browser.run("document.querySelector(\"[aria-label='Rename Chrome on Linux']\").click()")
    browser.until("the name", "return document.activeElement.value === 'Chrome on Linux'")
    walk.pictures("renaming")
    browser.type(".device form:not([hidden]) input", " <b>Kitchen</b> tablet")
    browser.press("enter")
    browser.until("the new name", "return document.querySelector('#footer').textContent.includes('<b>Kitchen</b> tablet')")
    assert browser.run("return document.activeElement.ariaLabel") == "Rename <b>Kitchen</b> tablet"
    browser.press("enter")
    browser.type(".device form:not([hidden]) input", "Chrome on Linux")
    browser.press("enter")
    browser.until("the former name", "return document.querySelector('#footer').textContent.includes('Chrome on Linux')")
    browser.run("document.querySelector(\"[aria-label='Log out Anna’s phone']\").click()")
    browser.until(
        "the phone is logged out",
        "return document.querySelector('.devices .tag') && !document.querySelector('.devices').textContent.includes('Anna’s phone')",
    )
    walk.quiet()


# The page's requests for the networks are answered as if the cat, which is always inside, were a guest.
VISITORS = """
const real = window.fetch
window.fetch = async (path, options) => {
    const answer = await real(path, options)
    if (path !== 'v1/guests') return answer
    const { networks } = await answer.json()
    networks[0].regions = ['cat']
    return new Response(JSON.stringify({ networks }), { headers: { 'Content-Type': 'application/json' } })
}
"""


def guests(walk):
    """The QR code of a network is shown while its region is inside, and all of them on request"""
    browser = walk.browser
    button = "document.querySelector('section > button[aria-expanded]')"
    browser.open(walk.base + "/?guests#now")
    browser.until("the button", f"return {button} && !{button}.hidden")
    assert browser.run("return document.querySelectorAll('.guest').length") == 0, "a code is shown without a guest"
    browser.run(f"{button}.click()")
    browser.until("the code", "return document.querySelectorAll('.guest .qr path').length === 1")
    same = browser.run_async(
        "const [text, done] = arguments;"
        "import(`/app.${document.documentElement.lang}.js`).then(({ modules: { qr: { picture } } }) => done(picture(text, '').outerHTML.split(' d=')[1] === "
        "document.querySelector('.guest .qr').outerHTML.split(' d=')[1]), (error) => done(String(error)))",
        "WIFI:T:WPA;S:HomeNet;P:simulated passphrase;;",
    )
    assert same is True, same
    browser.until("the reason", "return /ShedNet.psk/.test(document.querySelector('.guest .error:not(:empty)')?.textContent)")
    walk.pictures("guests")
    browser.run(f"{button}.click()")
    browser.until("no code", "return document.querySelectorAll('.guest').length === 0")
    browser.run(VISITORS)
    browser.run("location.hash = '#setup'")
    browser.until("the other view", "return document.querySelector('.devices .tag')")
    browser.run("location.hash = '#now'")
    browser.until("the guest's code", "return document.querySelectorAll('.guest .qr path').length === 1")
    walk.quiet("503")


# The page's requests about an enrollment are answered by a report of the test: a capture is not an adapter that a phone pairs with.
DAEMON = """
const real = window.fetch
window.requests = []
window.enrollment = arguments[0]
window.fetch = (path, options) => {
    if (!String(path).startsWith('v1/enrollment')) return real(path, options)
    if (options.method !== 'GET') window.requests.push([options.method, path, options.body ? JSON.parse(options.body) : null])
    return Promise.resolve(new Response(JSON.stringify(window.enrollment), { headers: { 'Content-Type': 'application/json' } }))
}
"""

# What the card shows in each language, in the order of the stage.
WORDS = {
    "en": {
        "unavailable": "No phone can be added here: a capture",
        "honest": "silent for up to an hour",
        "follow": "follow this person",
        "advertising": "Waiting for the phone",
        "iphone": "Keep this screen open, then choose “Okaeri pi”",
        "watch": "Under Health Devices, choose “Okaeri pi”",
        "android": "Pair new device, then choose “Okaeri pi”",
        "left": "97 s left",
        "question": "shows six digits. Are they 004711?",
        "match": "They match",
        "differ": "They differ",
        "none": "shows no digits. Allow it?",
        "allow": "Allow",
        "settling": "has paired. Wait",
        "awaited": "was not received yet",
        "received": "received for the first time: −62 dBm",
        "silent": "was not received in ten minutes",
        "notPaired": "has not paired, and nothing was written",
        "name": "letters from a to z",
    },
    "ja": {
        "unavailable": "ここではスマートフォンを追加できません: Bluetooth アダプターの代わりに",
        "honest": "1 時間ほど信号を出さない",
        "follow": "この人を追跡できます",
        "advertising": "スマートフォンを待っています",
        "iphone": "開いたままにして、「Okaeri pi」を選んで",
        "watch": "「ヘルスケアデバイス」から「Okaeri pi」",
        "android": "「新しい機器とペア設定する」を開き、「Okaeri pi」",
        "left": "残り 97 秒",
        "question": "6 桁の数字が表示されています。004711 と同じですか",
        "match": "同じです",
        "differ": "違います",
        "none": "数字は表示されません。許可しますか",
        "allow": "許可する",
        "settling": "とペアリングしました",
        "awaited": "まだ受信していません",
        "received": "初めて受信しました: −62 dBm",
        "silent": "10 分間、スマートフォンの信号を受信しませんでした",
        "notPaired": "ペアリングしませんでした。何も保存していません",
        "name": "半角の英字",
    },
}


def enrolled(walk):
    """A phone is enrolled by its steps, its digits and its result, and each refusal is shown"""
    browser, words = walk.browser, WORDS[walk.language]
    stranger = "<img src=x onerror=document.title='broken'>"
    base = {"advertised": "Okaeri pi", "name": "anna", "as": "heart-rate"}

    def shows(name, selector=".enroll"):
        browser.until(
            f"“{words[name]}”", "return document.querySelector(arguments[0])?.innerText.includes(arguments[1])", selector, words[name]
        )

    def report(state, **more):
        browser.run("window.enrollment = arguments[0]", {**base, "state": state, **more})

    def choose(selector, value):
        browser.run(
            "const list = document.querySelector(arguments[0]); list.value = arguments[1]; list.dispatchEvent(new Event('change'))",
            selector,
            value,
        )

    def requests():
        return browser.run("return window.requests.splice(0)")

    browser.open(walk.base + "/?enroll#setup")
    shows("unavailable")
    buttons = browser.run("return [...document.querySelectorAll('.enroll button')].filter((one) => one.checkVisibility()).length")
    assert buttons == 0 and not browser.text(".enroll .error"), "a phone can be added to a capture"
    walk.pictures(f"enroll-unavailable-{walk.language}")
    browser.run(DAEMON, {"state": "idle", "advertised": "Okaeri pi"})
    browser.click("nav a[href='#now']")
    browser.click("nav a[href='#setup']")
    browser.until("the button", "return document.querySelector('.enroll > button:not([hidden])')")
    assert not browser.run("return document.querySelector('.enroll form').checkVisibility()"), "the form is not folded"
    browser.click(".enroll > button")
    browser.until("the form", "return document.activeElement.id === 'phone-name'")
    shows("honest")
    shows("follow")

    browser.type("#phone-name", "../anna")
    browser.click(".enroll form .buttons button")
    shows("name", ".enroll [role=alert]")
    assert not requests(), "a wrong name is sent"
    browser.type("#phone-name", "anna")
    report("advertising", secondsLeft=97)
    browser.press("enter")
    shows("advertising")
    assert requests() == [["POST", "v1/enrollment", {"name": "anna", "as": "heart-rate"}]]
    shows("left")
    for kind in ("watch", "android", "iphone"):
        choose("#phone-kind", kind)
        shows(kind)
    walk.pictures(f"enroll-steps-{walk.language}")

    report("pairing", secondsLeft=60, question={"id": 1, "device": stranger, "address": "70:81:94:0D:FB:AA", "digits": "004711"})
    shows("question", ".enroll .question")
    assert stranger in browser.text(".enroll .question") and not browser.run("return document.querySelector('.enroll img')")
    shows("match", ".enroll .question")
    walk.pictures(f"enroll-digits-{walk.language}")
    report("pairing", secondsLeft=59)
    browser.run("[...document.querySelectorAll('.question button')].find((one) => one.textContent === arguments[0]).click()", words["differ"])
    browser.until("the question ends", "return document.querySelector('.question').hidden")
    assert requests() == [["POST", "v1/enrollment/answer", {"question": 1, "agrees": False}]]
    report("pairing", secondsLeft=58, question={"id": 2, "address": "70:81:94:0D:FB:AA"})
    shows("none", ".enroll .question")
    report("settling", device="Anna’s phone")
    browser.run("[...document.querySelectorAll('.question button')].find((one) => one.textContent === arguments[0]).click()", words["allow"])
    shows("settling")
    assert requests() == [["POST", "v1/enrollment/answer", {"question": 2, "agrees": True}]]

    report("done", device="Anna’s phone", reception={"count": 0, "seconds": 5})
    shows("awaited")
    report("done", device="Anna’s phone", reception={"count": 2, "rssi": -62, "seconds": 9})
    shows("received")
    walk.pictures(f"enroll-done-{walk.language}")
    report("done", device="Anna’s phone", reception={"count": 0, "seconds": 600})
    shows("silent")
    report("idle")
    browser.click(".enroll .outcome + .buttons button")
    browser.until("the form", "return document.activeElement.id === 'phone-name'")
    assert requests() == [["DELETE", "v1/enrollment", None]]

    report("advertising", secondsLeft=97)
    choose("#phone-region", "cat")
    browser.press("enter")
    shows("advertising")
    assert browser.run("return window.requests.at(-1)[2]") == {"name": "anna", "as": "heart-rate", "region": "cat"}
    report("failed", problem="notPaired", reason="the phone was connected and has not paired")
    browser.click(".enroll .progress > .buttons button")
    shows("notPaired")
    assert [one[0] for one in requests()] == ["POST", "DELETE"]
    walk.axe("a phone that has not paired")
    browser.run_async("""
        const done = arguments[arguments.length - 1]
        import(`/app.${document.documentElement.lang}.js`).then(async ({ modules: { live: { live, reload, stop } } }) => {
            stop()
            await reload()
            const status = structuredClone(live.status)
            const { uuid, major, minor, ...region } = status.regions[0]
            status.regions.push({ ...region, identifier: 'anna', signs: [{ phone: 'anna' }], saved: '/var/lib/okaeri/regions.json' })
            live.status = status
            live.dispatchEvent(new CustomEvent('status'))
            done()
        })""")
    browser.until("the region of the phone", "return document.querySelector('.own .remove:not([hidden]) .end button')")
    browser.run("document.querySelector('.own .remove:not([hidden]) .end button').click()")
    browser.until("the question", "return document.querySelector('.own .remove .danger')?.offsetParent")
    walk.pictures(f"enroll-delete-{walk.language}")
    browser.open(walk.base + "/?enrolled#setup")
    browser.until("the page", "return document.querySelector('.enroll')")
    if walk.language == "en":
        walk.quiet()
