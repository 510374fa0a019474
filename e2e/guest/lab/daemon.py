"""`okaeri monitor` under test, and its events."""

import datetime
import json
import os
import shutil
import signal

from . import pace
from .processes import Process, finish, run
from .waiting import Failure, check, wait_for

PROGRAM = "/usr/local/bin/okaeri"
# The state that is kept from one start to the next, within a scenario.
STATE = "/run/okaeri-state"
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"


def exit_after(seconds=5):
    """An exit time for beacons that must not leave on a machine as slow as this, which may stop and receive nothing for a
    while."""
    return round(seconds * pace.pace())


def region(wifi=None, **settings):
    """The region `home`, as beacons.json has it, with a short exit time, so that scenarios need not wait for the default."""
    described = {"identifier": "home", "uuid": UUID, "major": 100, "minor": 100, "exitAfter": 5, **settings}
    if wifi:
        described["wifi"] = wifi
    return described


def seconds(event):
    """Returns the time of an event, in seconds since the epoch."""
    return datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00")).timestamp()


class Daemon(Process):
    """The daemon with its own configuration and socket in the scenario's folder."""

    def __init__(self, folder, *regions, adapter=None, name="okaeri", as_user=None, boot=None, options=(),
                 services=(), house=None, more=None):
        """`house`: the keys `mqtt` and `node`, which make it a node of a house, with a socket and a state of its own.

        `more`: further keys of the configuration.
        """
        place = f"-{house['node']['name']}" if house else ""
        self.socket = f"/run/okaeri{place}.sock"
        self.state = f"{STATE}{place}"
        os.makedirs(self.state, exist_ok=True)
        self.configuration = f"/run/okaeri{place}.json"
        self.configure(
            *regions, services=services, **({"adapter": adapter} if adapter else {}), **(house or {}), **(more or {}))
        command = [PROGRAM, "monitor", "--json", "--verbose", "--config", self.configuration, "--socket", self.socket,
                   "--state-dir", self.state, *options]
        if as_user:
            shutil.chown(STATE, int(as_user))
            command = ["setpriv", "--reuid", as_user, "--clear-groups", *command]
        # Identifies the boot of the machine to the daemon.
        environment = {**os.environ, "OKAERI_BOOT_ID": boot} if boot else None
        super().__init__(folder, name, command, environment)

    def configure(self, *regions, **keys):
        with open(self.configuration, "w", encoding="utf-8") as file:
            json.dump({"regions": regions, **keys}, file)

    def reload(self, *regions, **keys):
        """Has the daemon read another configuration."""
        self.configure(*regions, **keys)
        past = self.warnings("the configuration was read again")
        self.process.send_signal(signal.SIGHUP)
        wait_for("the reload", lambda: self.warnings("the configuration was read again") > past, within=20)

    def events(self, kind=None, **fields):
        """Returns the events so far, or those of one kind and with these fields."""
        with open(self.output, encoding="utf-8") as file:
            lines = [line for line in file.read().splitlines(keepends=True) if line.endswith("\n")]
        events = [json.loads(line) for line in lines]
        return [
            event for event in events
            if kind in (None, event["event"]) and all(event.get(key) == value for key, value in fields.items())
        ]

    def expect(self, kind, within, past=0, **fields):
        """Waits for the next event of that kind and with these fields, after the first `past` ones."""
        def probe():
            check(self.is_running, f"okaeri has ended while {kind} was expected: {self.said()[-500:]}")
            return self.events(kind, **fields)[past:]
        described = " ".join([kind, *(f"{key}={value}" for key, value in fields.items())])
        return wait_for(described, probe, within)[0]

    def expect_bluetooth(self, state, within, past=0):
        return self.expect("bluetoothStateDidUpdate", within, past, state=state)

    def ask(self, *arguments):
        """Runs a command that sends a request to the daemon; returns its exit status and its output."""
        return finish([PROGRAM, *arguments, "--socket", self.socket], within=30)

    def warnings(self, words):
        """Returns the number of occurrences of these words in the daemon's log."""
        with open(self.errors, encoding="utf-8") as file:
            return file.read().count(words)

    def history(self):
        """Returns the events of `okaeri history`, without the daemon's own lines."""
        text = run(PROGRAM, "history", "--json", "--state-dir", self.state)
        return [json.loads(line) for line in text.splitlines()]

    def keeps(self, state):
        """Whether `state.json` has that state of a region. The daemon writes it some time after the event."""
        try:
            with open(f"{self.state}/state.json", encoding="utf-8") as file:
                return f'"{state}"' in file.read()
        except FileNotFoundError:
            return False

    def status(self):
        """Returns the output of `okaeri status --json`."""
        code, text = self.ask("status", "--json")
        try:
            return json.loads(text)
        except ValueError:
            raise Failure(f"okaeri status ended with {code}: {text}") from None

    def answer(self, prompt, answer):
        code, text = self.ask("answer", prompt, answer)
        check(code == 0, f"okaeri answer {prompt} {answer} ended with {code}: {text}")

    def sightings(self):
        """Returns the number of received iBeacons."""
        return self.status()["counters"]["iBeacons"]

    def expect_sightings(self, what, within):
        """Fails unless the daemon receives more iBeacons within so many seconds."""
        before = self.sightings()
        wait_for(f"sightings {what}", lambda: self.sightings() > before, within)
