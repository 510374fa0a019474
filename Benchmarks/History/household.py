"""A history of 90 days, written with SQL: the same for each run. Each region is inside for two thirds of a day."""

import datetime
import json
import sqlite3

MINUTE = 60 * 10**9
HOUR = 60 * MINUTE
DAY = 24 * HOUR

# The changes of a day, in hours after midnight, each moved by up to an hour; the state is outside until the next one, and so on.
CHANGES = (8, 12, 13, 17)


def noise(seed, most):
    """Returns an SQL expression for a number from 0 up to `most`, the same for each run."""
    # The square modulo a prime; without it, the numbers would repeat, and gzip would find them.
    number = f"((({seed}) * 2654435761) & 0x7fffffff)"
    return f"({number} * {number} % 2147483647 / 7919 % {most})"


def midnight(days_ago=0):
    day = datetime.datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return int((day - datetime.timedelta(days=days_ago)).timestamp()) * 10**9


def names(count):
    return [f"region {number:03}" for number in range(count)]


def configuration(count):
    uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    return {"regions": [{"identifier": name, "uuid": uuid, "major": 7, "minor": number} for number, name in enumerate(names(count))],
            "history": {"keep": 365}}


def change(region, day, index):
    jitter = (region * 7919 + day * 104_729 + index * 1_299_709) * 2_654_435_761 % 2**31 % 3600
    return CHANGES[index] * HOUR + jitter * 10**9


def fill(file, count, days=90):
    """Adds runs of a week each, the events and the minutes, until the last midnight."""
    database = sqlite3.connect(file, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("BEGIN")
    first = midnight(days)
    stays = []
    for day in range(days):
        start = first + day * DAY
        if day % 7 == 0:
            if day:
                database.execute("UPDATE runs SET ended = ?, seen = ? WHERE id = ?", (start - MINUTE, start - MINUTE, run))
            run = database.execute("INSERT INTO runs (began, seen, has_silences) VALUES (?, ?, 1)", (start, start)).lastrowid
            write(database, run, start, "bluetoothStateDidUpdate", None, {"state": "poweredOn", "adapter": "hci0", "reason": ""})
            for name in names(count):
                write(database, run, start, "didDetermineState", name, {"state": "inside"})
        changes = []
        for number, name in enumerate(names(count)):
            times = [start + change(number, day, index) for index in range(len(CHANGES))]
            changes += [(time, name, ("outside", "inside")[index % 2]) for index, time in enumerate(times)]
            bounds = [start, *times, start + DAY]
            stays += [(number, name, bounds[index], bounds[index + 1]) for index in (0, 2, 4)]
        for time, name, state in sorted(changes):
            write(database, run, time, "didDetermineState", name, {"state": state})
            event = {"inside": "didEnterRegion", "outside": "didExitRegion"}[state]
            beacon = {"uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 7, "minor": 1, "rssi": -70, "accuracy": 2.5}
            write(database, run, time, event, name, {"state": state, "beacon": beacon})
    database.execute("UPDATE runs SET ended = ?1, seen = ?1 WHERE id = ?2", (first + days * DAY, run))
    write_minutes(database, stays, first, days)
    database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def write(database, run, time, name, region, members):
    moment = datetime.datetime.fromtimestamp(time / 1e9, datetime.timezone.utc).isoformat(timespec="milliseconds")
    event = {"time": moment, "event": name, "node": "pi", **({"region": region} if region else {}), **members}
    database.execute("INSERT INTO events (run, time, name, region, json) VALUES (?, ?, ?, ?, ?)",
                     (run, time, name, region, json.dumps(event)))


def write_minutes(database, stays, first, days):
    database.execute("CREATE TEMP TABLE stays (number INTEGER, region TEXT, began INTEGER, ended INTEGER)")
    database.executemany("INSERT INTO stays VALUES (?, ?, ?, ?)", stays)
    database.execute("CREATE INDEX temp.stays_by_time ON stays (began)")
    seed = "n.m * 1009 + number * 131071"
    for day in range(days):
        start = first + day * DAY
        database.execute(
            f"""
            WITH RECURSIVE n(m) AS (SELECT {day * 1440} UNION ALL SELECT m + 1 FROM n WHERE m < {day * 1440 + 1439})
            INSERT INTO minutes
            SELECT {first} + n.m * {MINUTE} AS time, region, 55, 50 + {noise(seed, 6)},
                -60 - number % 20 - {noise('n.m / 20 + number', 8)} - {noise(seed + ' + 1', 300)} / 100.0,
                -60 - number % 20 - {noise('n.m / 20 + number', 8)} - 5 - {noise(seed + ' + 2', 6)},
                -60 - number % 20 - {noise('n.m / 20 + number', 8)} + 1 + {noise(seed + ' + 3', 5)}, 2.5
            FROM n JOIN stays ON began >= {start} AND began < {start + DAY}
                AND {first} + n.m * {MINUTE} >= began AND {first} + n.m * {MINUTE} < ended
            ORDER BY time, region
            """)
