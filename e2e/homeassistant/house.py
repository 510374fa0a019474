"""A broker, a Home Assistant and some nodes on this machine, for the steps of play.py."""

import datetime
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
    """An expectation was not met."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, is_so, within):
    """Waits until the condition holds; the last result of `is_so` gives the reason why it does not."""
    end = time.monotonic() + within
    while True:
        reason = is_so()
        if reason is None:
            return
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {within} s: {reason}")
        time.sleep(0.1)


class House:
    """All programs. `root` is the folder with Home Assistant, `program` is okaeri, `folder` is for their output."""

    keys = {
        "identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 100, "minor": 100, "exitAfter": 4}

    def __init__(self, root, program, folder):
        self.root, self.program, self.folder = root, program, pathlib.Path(folder)
        self.http, self.mqtt = free_port(), free_port()
        self.running = {}

    def inside(self, name, *command):
        """Runs a command in the folder's Debian."""
        with open(self.folder / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen(
                [HERE / "root", "--run", self.root, *command], stdout=log, stderr=log, start_new_session=True)

    def broker(self):
        """A broker that keeps nothing over a restart, and accepts every client."""
        settings = self.folder / "mosquitto.conf"
        settings.write_text(
            f"listener {self.mqtt} 127.0.0.1\nallow_anonymous true\nmax_packet_size 20000000\n", encoding="ascii")
        self.inside("mosquitto", "mosquitto", "-c", str(settings))
        wait_for("the broker", lambda: None if self.answers() else "no answer", 10)

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.mqtt), 1).close()
        except OSError:
            return False
        return True

    def listen(self):
        """Subscribes to the events of the house, and to what the radios report."""
        self.inside("events", "mosquitto_sub", "-p", str(self.mqtt), "-V", "5", "-t", "okaeri/home/region/+/event")
        self.inside("heard", "mosquitto_sub", "-p", str(self.mqtt), "-V", "5", "-F", "%t %p", "-t", "okaeri/home/node/+/heard")

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
        """Returns the state of each entity; nothing while Home Assistant does not answer."""
        try:
            if self.ask("config")["state"] != "RUNNING":
                return {}
            return {entity["entity_id"]: entity["state"] for entity in self.ask("states")}
        except (OSError, urllib.error.URLError, ValueError):
            return {}

    def expect(self, within=20, **wanted):
        """Waits until the entities have these states, `gone` if they do not exist; two underscores stand for the point."""
        wanted = {name.replace("__", "."): state for name, state in wanted.items()}

        def difference():
            states = self.states()
            other = {name: states.get(name, "gone") for name in wanted if states.get(name, "gone") != wanted[name]}
            return f"{other} in place of {wanted}" if other else None

        wait_for("Home Assistant", difference, within)

    def node(self, name, **members):
        """Starts a node; `members` are added to its configuration."""
        configuration = {
            "regions": [{**self.keys, "wifi": {"ssid": "HomeNet"}}], "node": {"name": name, "room": name}, "mqtt": {"host": "127.0.0.1", "port": self.mqtt}}
        (self.folder / f"{name}.json").write_text(json.dumps({**configuration, **members}), encoding="utf-8")
        with open(self.folder / f"{name}.log", "ab") as log:
            air = subprocess.Popen(
                ["python3", HERE / "air.py", self.folder / f"{name}.rssi"], stdout=subprocess.PIPE, stderr=log)
            self.running[name] = subprocess.Popen(
                [self.program, "monitor", "--capture", "-", "--config", f"{name}.json", "--wifi", "simulated", "--socket",
                 f"{name}.sock", "--state-dir", f"{name}.state", "--json"], stdin=air.stdout, stdout=log, stderr=log, cwd=self.folder)
            air.stdout.close()

    def receiver(self, name):
        """Starts a node without regions."""
        self.node(name, regions=[], receiver=True)

    def okaeri(self, node, *arguments):
        """Sends a request to a node."""
        return subprocess.run(
            [self.program, *arguments, "--socket", f"{node}.sock"], cwd=self.folder, capture_output=True, text=True,
            check=False, timeout=30)

    def report(self, node):
        """Returns the regions of the house, as a node reports them."""
        return json.loads(self.okaeri(node, "nodes", "--json").stdout)

    def publish(self, *arguments):
        """Publishes any message."""
        subprocess.run(
            [HERE / "root", "--run", self.root, "mosquitto_pub", "-p", str(self.mqtt), "-V", "5", *arguments], check=True,
            timeout=30)

    def own_events(self, node):
        """Returns the node's own events so far."""
        lines = (self.folder / f"{node}.log").read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["event"] for line in lines if line.startswith("{") and '"scope"' not in line]

    def saved(self, node):
        """Waits until the node has written its state since its last enter or exit: a crash before that loses it."""
        def late():
            lines = (self.folder / f"{node}.log").read_text(encoding="utf-8").splitlines()
            moved = [json.loads(line)["time"] for line in lines if '"didEnterRegion"' in line or '"didExitRegion"' in line]
            last = datetime.datetime.fromisoformat(moved[-1].replace("Z", "+00:00")).timestamp() if moved else 0
            written = (self.folder / f"{node}.state" / "state.json").stat().st_mtime
            return None if written >= last else f"written {last - written:.1f} s before the last event"

        wait_for("the state on the disk", late, 20)

    def mqtt_state(self, node):
        """Returns the node's state of the connection to the broker."""
        report = json.loads(self.okaeri(node, "status", "--json").stdout or "{}")
        state = report.get("mqtt", {})
        return "connected" if state.get("connected") else state.get("reason", "no answer")

    def private_memory(self, node):
        """Returns the private memory, in kB."""
        status = pathlib.Path(f"/proc/{self.running[node].pid}/status").read_text(encoding="ascii")
        return int(next(line for line in status.splitlines() if line.startswith("RssAnon")).split()[1])

    def reports(self, node):
        """Returns the number of reports of a radio with the beacon."""
        lines = (self.folder / "heard.log").read_text(encoding="utf-8").splitlines()
        return sum(line.startswith(f"okaeri/home/node/{node}/") and ":100:100" in line for line in lines)

    def hear(self, **signals):
        """Sets the strength of the beacon at each node, in dBm; None: not in range."""
        for name, rssi in signals.items():
            (self.folder / f"{name}.rssi").write_text("" if rssi is None else str(rssi), encoding="ascii")

    def send(self, name, number):
        """Sends a signal to a program and its children."""
        process = self.running[name]
        try:
            os.killpg(process.pid, number) if os.getpgid(process.pid) == process.pid else process.send_signal(number)
        except ProcessLookupError:
            pass

    def end(self, name, number=signal.SIGKILL):
        """Ends a program and its children."""
        self.send(name, number)
        self.running.pop(name).wait()

    def events(self):
        """Returns the events of the house so far: `enter`, `exit`."""
        lines = (self.folder / "events.log").read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["event_type"] for line in lines if line.startswith("{")]

    def close(self):
        for name in list(self.running):
            self.end(name)
