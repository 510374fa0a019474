"""The product itself: each trace becomes a capture, `okaeri replay` decides, and its events are read."""

import datetime
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import captures

UUID = uuid.UUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")

# The begin of the captures, in seconds since 1970.
EPOCH = 1_700_000_000

# The second one is the program's default.
SENSITIVITIES = ("quick", "balanced", "patient")
DEFAULT = "balanced"


class Okaeri:
    def __init__(self, binary, sensitivity, via=None):
        """- via: the make of the receiver whose reports the traces are; None for each reception."""
        self.name = f"okaeri {sensitivity}"
        self.binary, self.sensitivity, self.via = binary, sensitivity, via

    def events(self, trace, until):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "beacons.json").write_text(json.dumps(self._configuration(trace)))
            captures.write(folder / "trace.btsnoop", _packets(trace, until))
            node = f"{self.via}-here=" if self.via else ""
            result = subprocess.run(
                [self.binary, "replay", "--config", folder / "beacons.json", "--json", f"{node}{folder}/trace.btsnoop"],
                capture_output=True, text=True)
        if result.returncode:
            raise SystemExit(f"{self.binary} replay failed on {trace.name}, {self.name}:\n{result.stderr.strip()}")
        events = map(json.loads, result.stdout.splitlines())
        return [
            (_seconds(event["time"]), event["event"] == "didEnterRegion")
            for event in events
            if event["event"] in ("didEnterRegion", "didExitRegion")
        ]

    def _configuration(self, trace):
        region = {"identifier": "home", "uuid": str(UUID), "major": 100, "minor": 100}
        if trace.thresholds:
            region["enterRSSI"], region["exitRSSI"] = trace.thresholds
        if trace.exit_after:
            region["exitAfter"] = trace.exit_after
        # The default is scored without the key, as most configurations are.
        settings = {} if self.sensitivity == DEFAULT else {"sensitivity": self.sensitivity}
        if self.via:
            settings |= {"mqtt": {"host": "localhost"}, "receivers": [{"type": self.via}]}
        return settings | {"regions": [region]}


def _seconds(time):
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp() - EPOCH


def _packets(trace, until):
    """Returns the trace and the other devices, or a neighbour every half second, so that time goes on in a silence of the
    trace's beacon."""
    others = trace.others or {"neighbour": [(step / 2, -70) for step in range(math.ceil(until * 2))]}
    heard = []
    for number, (device, sightings) in enumerate(sorted({**others, trace.device: trace.sightings}.items())):
        own = device == trace.device
        beacon = captures.ibeacon(UUID, 100, 100) if own else captures.ibeacon(uuid.UUID(int=number), 1, 1)
        report = captures.Report(struct.pack("<IH", number, 0xC000), beacon)
        heard += [(time, report.packet(rssi)) for time, rssi in sightings]
    heard.sort(key=lambda pair: pair[0])
    return ((EPOCH * 1_000_000 + int(time * 1e6), packet) for time, packet in heard)
