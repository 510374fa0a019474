#!/usr/bin/env python3
"""Makes a simulated house for the test of the page: its configuration, and captures of the last day and of the present.

    house.py FOLDER [LISTEN]

FOLDER/beacons.json has three regions, and LISTEN as the address of the page. FOLDER/past.btsnoop is the last day, for a fast
replay. FOLDER/live.btsnoop begins with this call, for a replay at its own speed: the beacon of "home" is present, and later
comes and goes three times a minute. The cat's beacon stays. A neighbour's beacon is far away, a beacon without a region is beside
the antenna, and the beacon of "shed", a region with every key, is absent.
"""

import json
import math
import pathlib
import random
import sys
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks"))
import captures

HOME, CAT = uuid.UUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"), uuid.UUID("74278BDA-B644-4520-8F0C-720EAF059935")
SHED = uuid.UUID("9F1D0C5E-7A4B-4E0B-9B7E-3C2A1D4E5F60")
NEW, NEIGHBOUR = uuid.UUID("5AFFFFFF-1234-4AAA-8888-0123456789AB"), uuid.UUID("00112233-4455-6677-8899-AABBCCDDEEFF")
CONFIGURATION = {
    "regions": [
        {
            "identifier": "home",
            "uuid": str(HOME).upper(),
            "major": 100,
            "minor": 100,
            "exitAfter": 4,
            "ranging": True,
            "wifi": {"ssid": "HomeNet", "join": "prompt"},
        },
        {"identifier": "cat", "uuid": str(CAT).upper(), "enterRSSI": -82, "exitRSSI": -90, "ranging": True},
        {
            "identifier": "shed",
            "uuid": str(SHED),
            "major": 2,
            "minor": 8,
            "enterRSSI": -75,
            "exitRSSI": -110,
            "exitAfter": 20.5,
            "sensitivity": "patient",
            "measuredPower": -60,
            "pathLossExponent": 2.5,
            "notifyOnEntry": True,
            "notifyOnExit": True,
            "ranging": False,
            "scope": "node",
            "wifi": {
                "ssid": "ShedNet",
                "join": "prompt",
                "passphraseFile": "/etc/okaeri/ShedNet.psk",
                "security": "wpa3",
            },
            "onEnter": ["/bin/true", "--token=abc"],
            "onExit": ["/bin/true", "--token=abc"],
            "onPrompt": ["/bin/true", "--token=abc"],
        },
    ]
}
LIVE = 1200.0
ARRIVED, CYCLE, PRESENT = 60.0, 16.0, 8.0


def made(name, ad, level, begin, end, interval, present=lambda time: True, address=None):
    """Returns the packets of a beacon. `address`: 6 bytes, the least significant one first; by default one of its name."""
    dice = random.Random(name)
    address = address or bytes(int(dice.random() * 256) for _ in range(5)) + b"\xc0"
    report = captures.Report(address, ad)
    now, fading = begin, 0.0
    while now < end:
        fading += -0.2 * fading + dice.gauss(0, 0.8)
        if present(now):
            yield round(now * 1e6), report.packet(round(level(now - begin) + fading + dice.gauss(0, 0.7)))
        now += interval + dice.random() * 0.01


def house(begin, end, interval, home, folder, file):
    cat = lambda passed: -66 + 7 * math.sin(passed / 900) + 3 * math.sin(passed / 37)
    packets = [
        *made(
            "tag",
            captures.ibeacon(HOME, 100, 100, -71),
            lambda passed: -61 + 3 * math.sin(passed / 300),
            begin,
            end,
            interval,
            home,
        ),
        *made("cat", captures.ibeacon(CAT, 7, 1, -63), cat, begin, end, interval),
        *made("new", captures.ibeacon(NEW, 3, 14, -59), lambda passed: -52.0, end - LIVE, end, interval),
        *made("neighbour", captures.ibeacon(NEIGHBOUR, 1, 1), lambda passed: -88.0, begin, end, interval * 2),
    ]
    captures.write(folder / file, sorted(packets))


def main():
    folder = pathlib.Path(sys.argv[1])
    web = {"web": {"listen": sys.argv[2], "backup": True}} if len(sys.argv) > 2 else {}
    (folder / "beacons.json").write_text(json.dumps({**CONFIGURATION, **web}, indent=2) + "\n")
    now = time.time()
    away = [(20.2, 18.4), (13.6, 11.9), (6.0, 4.2), (0.5, 0.0)]  # hours before now
    home = lambda time: not any(now - begin * 3600 < time < now - end * 3600 for begin, end in away)
    house(now - 23 * 3600, now - 60, 2.0, home, folder, "past.btsnoop")
    house(
        now,
        now + LIVE,
        0.4,
        lambda time: time < now + ARRIVED or (time - now) % CYCLE > CYCLE - PRESENT,
        folder,
        "live.btsnoop",
    )


if __name__ == "__main__":
    main()
