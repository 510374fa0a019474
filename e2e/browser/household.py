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
    inside = {"identifier": "Anna", "state": "inside", "house": {"state": "inside", "room": "kitchen"}}
    regions = {
        "inside": inside,
        "outside": {"identifier": "Bob", "state": "outside"},
        "unknown": {"identifier": "Cleo", "state": "unknown"},
        # The other nodes have not answered yet.
        "alone": {"identifier": "Anna", "state": "outside", "house": {"state": "unknown"}},
    }
    cases = [
        (["inside", "outside", "unknown"], True, "Somebody is home: Anna (kitchen)"),
        (["outside"], True, "Nobody is home"),
        (["outside", "unknown"], True, "It is not known whether anybody is home"),
        (["alone"], True, "It is not known whether anybody is home"),
        (["outside"], False, "It is not known whether anybody is home"),
        (["inside"], False, "It is not known whether anybody is home"),
    ]
    for names, is_current, words in cases:
        found = browser.run_async(
            "const [status, isCurrent, done] = arguments;"
            "import('/headline.js').then(({ presence }) => done(presence(status, isCurrent).text), (error) => done(String(error)))",
            {"regions": [regions[name] for name in names]},
            is_current,
        )
        assert found == words, (names, is_current, found)


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
        "it is deleted", "return document.querySelector('.outcome:not([hidden])')?.textContent.includes('Deleted: bag')"
    )
    names = [one["identifier"] for one in json.loads(walk.options.config.read_text())["regions"]]
    assert "bag" not in names and "cat" in names, names

    browser.run("document.querySelector(\".own [aria-label='Change shed']\").click()")
    browser.until(
        "commands keep their region",
        "return document.querySelector('#name')?.readOnly && /Rename or delete it there/.test(document.querySelector('#name-hint').textContent)",
    )
    assert browser.run("return document.querySelector('.remove').hidden"), "a region with commands can be deleted"
    browser.open(walk.base + "/?after-details#setup")
    walk.quiet()


def phones(walk):
    """A phone is added by a link with a QR code, and logged out again"""
    browser = walk.browser
    browser.open(walk.base + "/?phones#setup")
    browser.until("this browser", "return document.querySelector('.devices .tag')?.textContent === 'this one'")
    browser.run("document.querySelector('.devices .buttons button').click()")
    browser.until("the code", "return document.querySelector('.newlink:not([hidden]) .qr path')")
    link = browser.run("return document.querySelector('.newlink input').value")
    assert link.startswith(f"{walk.base}/#login="), link
    walk.pictures("phones")
    for text, digest in CODES.items():
        rows = browser.run_async(
            "const [text, done] = arguments;"
            "import('/qr.js').then(({ matrix }) => done(matrix(text).map((row) => row.map(Number).join('')).join('\\n')), (error) => done(String(error)))",
            text,
        )
        assert hashlib.sha256(rows.encode()).hexdigest() == digest, rows
    body = json.dumps({"token": link.split("#login=")[1], "name": "Anna’s phone"}).encode()
    fields = {"Origin": walk.base, "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{walk.base}/v1/web/login", body, fields)) as answer:
        assert answer.status == 200
    browser.open(walk.base + "/?phones-again#setup")
    browser.until("the phone", "return document.querySelector(\"[aria-label='Log out Anna’s phone']\")")
    browser.run("document.querySelector(\"[aria-label='Log out Anna’s phone']\").click()")
    browser.until(
        "the phone is logged out",
        "return document.querySelector('.devices .tag') && !document.querySelector('.devices').textContent.includes('Anna’s phone')",
    )
    walk.quiet()
