#!/usr/bin/env python3
"""Makes the household of the pictures: a configuration, a capture of the day until the pictures, and the beacons of the moment.

    household.py FOLDER LANGUAGE

LANGUAGE is en or ja: the names of the regions and the time zone. FOLDER/beacons.json has the regions of Anna (her phone), the keys,
the bag and the cat. FOLDER/NAME.irk is the key of her phone. FOLDER/day.btsnoop is the air from the evening before until a few
seconds before the pictures, for a fast replay into the history. FOLDER/air has the instructions for virtual-controller from then on.
FOLDER/moment has the time of the pictures, in seconds since 1970, and FOLDER/zone the time zone.
"""

import datetime
import json
import math
import pathlib
import sys
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "Benchmarks"), str(HERE.parent / "browser"), str(HERE.parent / "guest")]
import captures
from house import made
from lab.phone import ADDRESSES, KEY, LOCKED

# The names of the regions, the POSIX time zone, and its difference from UTC in hours.
LANGUAGES = {
    "en": ("Anna", "keys", "bag", "cat", "CET-1CEST,M3.5.0,M10.5.0/3", 1),
    "ja": ("さくら", "鍵", "かばん", "猫", "JST-9", 9),
}

# The folder of the key in the machine of the pictures. The page shows the name of the file.
KEYS_FOLDER = "/run"

UUID = uuid.UUID("5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34")
KEYS, BAG, CAT = 2, 3, 4

# A Friday, and the time of the pictures on it in hours. The capture ends so many seconds before.
DAY, NOW, REST = datetime.date(2026, 11, 20), 18 + 41 / 60, 20
BEGIN = -0.5

# The absences of each, in hours of the day.
AWAY = {
    "phone": [(8.2, 17.55)],
    "keys": [(7.3, 7.75), (9.6, 11.15), (14.3, 16.4)],
    "bag": [(8.2, 15.8), (17.1, 99)],
    "cat": [(6.9, 7.6), (10.2, 10.9), (13.1, 14.2)],
}

# The signal of each from an hour on, in dBm: it lies in one room after the other.
PLACES = {
    "phone": [(-9, -62), (-1.2, -74), (6.6, -66), (7.1, -59), (17.6, -57), (18.1, -63)],
    "keys": [(-9, -61), (7.75, -63), (11.2, -60), (16.4, -62)],
    "bag": [(-9, -70), (15.8, -66)],
    "cat": [(-9, -70), (1.5, -76), (4.0, -68), (7.7, -64), (10.9, -77), (12.1, -93), (12.7, -70), (14.2, -66), (16.2, -75), (17.6, -60)],
}

# A phone changes its address after this time, in hours.
ROTATION = 0.25


def is_present(name, hour):
    return not any(begin < hour < end for begin, end in AWAY[name])


def level(name, hour):
    """Returns the mean signal: that of the place, weaker for a minute beside the door, and never at rest."""
    place = [dBm for begin, dBm in PLACES[name] if begin <= hour][-1]
    door = any(begin - 0.02 < hour < begin or end < hour < end + 0.02 for begin, end in AWAY[name])
    return (place - 14 if door else place) + 2 * math.sin(hour * 2.3 + len(name)) + 1.5 * math.sin(hour * 11)


def beacon(minor):
    return captures.ibeacon(UUID, 1, minor)


def address_at(slot):
    """The address of the phone, with the least significant byte first."""
    return bytes.fromhex(ADDRESSES[slot % len(ADDRESSES)].replace(":", ""))[::-1]


def air(midnight):
    """Returns the packets of the day."""
    packets = []
    end = NOW - REST / 3600

    def add(name, ad, interval, begin=BEGIN, end=end, **address):
        first = midnight + begin * 3600
        packets.extend(
            made(
                f"{name} {begin}", ad, lambda passed: level(name, begin + passed / 3600), first, midnight + end * 3600, interval,
                lambda time: is_present(name, (time - midnight) / 3600), **address,
            )
        )

    slots = math.ceil((end - BEGIN) / ROTATION)
    for slot in range(slots):
        begin = BEGIN + slot * ROTATION
        add("phone", bytes.fromhex(LOCKED), 5.0, begin, min(begin + ROTATION, end), address=address_at(slot))
    for name, minor in (("keys", KEYS), ("bag", BAG), ("cat", CAT)):
        add(name, beacon(minor), 3.0)
    return sorted(packets), ADDRESSES[(slots - 1) % len(ADDRESSES)]


def instructions(address):
    """Returns what virtual-controller sends from the moment on: the phone, the keys and the cat move a little."""
    def around(name):
        return " ".join(str(round(level(name, NOW + step / 40) + 2 * math.sin(step * 2.1))) for step in range(40))

    lines = [f"raw phone data={LOCKED} address={address} interval=300ms rssi=-62"]
    lines += [f"beacon {name} uuid={UUID} major=1 minor={minor} rssi=-62 interval=500ms" for name, minor in (("keys", KEYS), ("cat", CAT))]
    lines += [f"rssi {name} {around(name)} every=3s" for name in ("phone", "keys", "cat")]
    return [*lines, "start phone keys cat"]


def main():
    folder, language = pathlib.Path(sys.argv[1]), sys.argv[2]
    anna, keys, bag, cat, zone, offset = LANGUAGES[language]
    midnight = datetime.datetime.combine(DAY, datetime.time(), datetime.timezone(datetime.timedelta(hours=offset))).timestamp()
    sign = {"uuid": str(UUID), "major": 1}
    regions = [
        {"identifier": anna, "phone": f"{KEYS_FOLDER}/{anna}.irk"},
        {"identifier": keys, **sign, "minor": KEYS},
        {"identifier": cat, **sign, "minor": CAT, "enterRSSI": -82, "exitRSSI": -88},
        {"identifier": bag, **sign, "minor": BAG},
    ]
    # Names as they are, so that a reader of the file can read them.
    (folder / "beacons.json").write_text(json.dumps({"regions": regions}, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    (folder / f"{anna}.irk").write_text(KEY + "\n", encoding="ascii")
    packets, address = air(midnight)
    captures.write(folder / "day.btsnoop", packets)
    (folder / "air").write_text("\n".join(instructions(address)) + "\n", encoding="ascii")
    (folder / "moment").write_text(f"{midnight + NOW * 3600:.0f}\n", encoding="ascii")
    (folder / "zone").write_text(zone + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
