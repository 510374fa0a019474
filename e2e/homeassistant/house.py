"""A broker, a Home Assistant and some nodes on this machine, for the steps of play.py."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent


class Failure(Exception):
    """What was expected did not come."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, is_so, within):
    """Waits until it is so; what `is_so` returned last says why it is not."""
    end = time.monotonic() + within
    while True:
        reason = is_so()
        if reason is None:
            return
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {within} s: {reason}")
        time.sleep(0.1)


class House:
    """All of it. `root` is the folder with Home Assistant, `program` is okaeri, `folder` is for what they write."""

    def __init__(self, root, program, folder):
        self.root, self.program, self.folder = root, program, pathlib.Path(folder)
        self.http, self.mqtt = free_port(), free_port()
        self.running = {}

    def inside(self, name, *command):
        """Runs something in the folder's Debian."""
        with open(self.folder / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen(
                [HERE / "root", "--run", self.root, *command], stdout=log, stderr=log, start_new_session=True)

    def broker(self):
        """A broker that keeps nothing over a restart."""
        self.inside("mosquitto", "mosquitto", "-p", str(self.mqtt))
        wait_for("the broker", lambda: None if self.answers() else "no answer", 10)

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.mqtt), 1).close()
        except OSError:
            return False
        return True

    def listen(self):
        """Writes down the house's events."""
        self.inside("events", "mosquitto_sub", "-p", str(self.mqtt), "-V", "5", "-t", "okaeri/home/region/+/event")

    def home_assistant(self):
        folder = self.folder / "homeassistant"
        if not folder.exists():
            subprocess.run(["python3", HERE / "configure.py", folder, str(self.http), str(self.mqtt)], check=True)
        self.inside("homeassistant", "python3", "-m", "homeassistant", "-c", str(folder), "--skip-pip")
        wait_for("Home Assistant", lambda: None if self.states() else "no answer", 240)

    def ask(self, path, body=None):
        token = (self.folder / "homeassistant" / "token").read_text(encoding="ascii")
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.http}/api/{path}", None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def states(self):
        """What each entity says; nothing while Home Assistant does not answer."""
        try:
            if self.ask("config")["state"] != "RUNNING":
                return {}
            return {entity["entity_id"]: entity["state"] for entity in self.ask("states")}
        except (OSError, urllib.error.URLError, ValueError):
            return {}

    def expect(self, within=20, **wanted):
        """These entities say so, `gone` if they are not there; two underscores stand for the point."""
        wanted = {name.replace("__", "."): state for name, state in wanted.items()}

        def difference():
            states = self.states()
            other = {name: states.get(name, "gone") for name in wanted if states.get(name, "gone") != wanted[name]}
            return f"{other} in place of {wanted}" if other else None

        wait_for("Home Assistant", difference, within)

    def node(self, name, **members):
        """Starts a node; `members` go into its configuration."""
        region = {
            "identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 100, "minor": 100,
            "exitAfter": 4, "wifi": {"ssid": "HomeNet"}}
        configuration = {
            "regions": [region], "node": {"name": name, "room": name}, "mqtt": {"host": "127.0.0.1", "port": self.mqtt}}
        (self.folder / f"{name}.json").write_text(json.dumps({**configuration, **members}), encoding="utf-8")
        with open(self.folder / f"{name}.log", "ab") as log:
            air = subprocess.Popen(
                ["python3", HERE / "air.py", self.folder / f"{name}.rssi"], stdout=subprocess.PIPE, stderr=log)
            self.running[name] = subprocess.Popen(
                [self.program, "monitor", "--capture", "-", "--config", f"{name}.json", "--wifi", "simulated", "--socket",
                 f"{name}.sock", "--json"], stdin=air.stdout, stdout=log, stderr=log, cwd=self.folder)
            air.stdout.close()

    def hear(self, **signals):
        """How strong the beacon is at each node, in dBm; None: not there."""
        for name, rssi in signals.items():
            (self.folder / f"{name}.rssi").write_text("" if rssi is None else str(rssi), encoding="ascii")

    def end(self, name, number=signal.SIGKILL):
        """Ends a program and all that belongs to it."""
        process = self.running.pop(name)
        try:
            os.killpg(process.pid, number) if os.getpgid(process.pid) == process.pid else process.send_signal(number)
        except ProcessLookupError:
            pass
        process.wait()

    def events(self):
        """The house's events so far: `enter`, `exit`."""
        lines = (self.folder / "events.log").read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["event_type"] for line in lines if line.startswith("{")]

    def close(self):
        for name in list(self.running):
            self.end(name)
