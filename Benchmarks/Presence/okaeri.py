"""The product itself: a trace becomes a capture, `okaeri replay` decides, its events are read."""

import datetime
import json
import pathlib
import struct
import subprocess
import tempfile

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
NEIGHBOUR = "00112233-4455-6677-8899-AABBCCDDEEFF"

# When the captures begin, in seconds since 1970; and 1970 in btsnoop's own time, in microseconds.
EPOCH = 1_700_000_000
BTSNOOP_1970 = 0x00DCDDB30F2F8000


class Okaeri:
    name = "okaeri"

    def __init__(self, binary):
        self.binary = binary

    def events(self, trace, until):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "beacons.json").write_text(json.dumps(_configuration(trace)))
            (folder / "trace.btsnoop").write_bytes(_capture(trace, until))
            result = subprocess.run(
                [self.binary, "replay", "--config", folder / "beacons.json", "--json", folder / "trace.btsnoop"],
                capture_output=True, text=True)
        if result.returncode:
            raise SystemExit(f"{self.binary} replay failed on {trace.name}:\n{result.stderr.strip()}")
        events = map(json.loads, result.stdout.splitlines())
        return [
            (_seconds(event["time"]), event["event"] == "didEnterRegion")
            for event in events
            if event["event"] in ("didEnterRegion", "didExitRegion")
        ]


def _configuration(trace):
    region = {"identifier": "home", "uuid": UUID, "major": 100, "minor": 100}
    if trace.thresholds:
        region["enterRSSI"], region["exitRSSI"] = trace.thresholds
    return {"regions": [region]}


def _seconds(time):
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp() - EPOCH


def _capture(trace, until):
    """The trace and, every half second, somebody else's beacon: time goes on when the trace's falls silent."""
    target, neighbour = _advertisement(UUID, 100, 100), _advertisement(NEIGHBOUR, 1, 1)
    packets = [(time, _report(b"\x55\x44\x33\x22\x11\xc0", target, rssi)) for time, rssi in trace.sightings]
    packets += [
        (step / 2, _report(b"\x55\x66\x77\x88\x99\xc0", neighbour, -70)) for step in range(int(until * 2) + 1)
    ]
    records = [b"btsnoop\0" + struct.pack(">II", 1, 1002)]
    for time, packet in sorted(packets, key=lambda pair: pair[0]):
        stamp = BTSNOOP_1970 + EPOCH * 1_000_000 + int(time * 1e6)
        records.append(struct.pack(">IIIIq", len(packet), len(packet), 3, 0, stamp) + packet)
    return b"".join(records)


def _advertisement(uuid, major, minor):
    uuid = bytes.fromhex(uuid.replace("-", ""))
    return bytes.fromhex("0201061aff4c000215") + uuid + struct.pack(">HHb", major, minor, -59)


def _report(address, data, rssi):
    """An H4 packet: LE Advertising Report, ADV_NONCONN_IND, random address."""
    body = b"\x02\x01\x03\x01" + address + bytes([len(data)]) + data + struct.pack("b", max(-127, min(20, rssi)))
    return b"\x04\x3e" + bytes([len(body)]) + body
