"""The programs that Benchmarks/Site/measure starts: a broker, a hub, its receivers, and a subscriber of what the hub publishes."""

import collections
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time

import mqtt
from crowd import SITE, UUID

ROOT = pathlib.Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")


def allow_many_files():
    """Allows a descriptor for each receiver; child processes inherit the limit."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def processor_time(process):
    """Returns the processor time of a process in seconds, user and system."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(process, key):
    """Returns a size in MB, of /proc/PROCESS/status or smaps_rollup."""
    for name in ("status", "smaps_rollup"):
        found = re.search(rf"^{key}:\s+(\d+)", pathlib.Path(f"/proc/{process}/{name}").read_text(), re.MULTILINE)
        if found:
            return int(found[1]) * 1024 / 1e6
    return float("nan")


class Mosquitto:
    """A broker with its data in a folder; `lines` are for its configuration."""

    def __init__(self, folder, lines=()):
        self.port = free_port()
        folder.mkdir()
        user = "root" if os.geteuid() == 0 else "mosquitto"
        text = [f"user {user}", f"listener {self.port} 127.0.0.1", "allow_anonymous true",
                # The hub receives three retained messages of every receiver at once; by default mosquitto queues a thousand.
                "max_queued_messages 0",
                "log_type error", "log_type warning", f"log_dest file {folder}/log", *lines]
        (folder / "conf").write_text("\n".join(text) + "\n")
        # Debian installs it in a folder outside a user's path.
        self.process = subprocess.Popen(["/usr/sbin/mosquitto", "-c", folder / "conf"])
        while True:
            try:
                mqtt.connection(self.port).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit(f"mosquitto ends: {(folder / 'log').read_text()}") from None
                time.sleep(0.01)

    def end(self):
        end(self.process)


class Crowd:
    """The process of all receivers."""

    def __init__(self, port, receivers, regions, all_topics):
        command = [sys.executable, pathlib.Path(__file__).with_name("crowd.py"), port, receivers, regions]
        self.process = subprocess.Popen(
            [str(word) for word in command + ["--all-topics"] * all_topics], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        if self.read() != ["ready"]:
            raise SystemExit("the receivers do not start")

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the receivers have ended with {self.process.wait()}")
        return line.split()

    def hear(self, region):
        """A beacon begins to advertise. Returns the time of the first receiver's message."""
        self.say("hear", region)
        number, moment = self.read()
        assert int(number) == region
        return float(moment)

    def say(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def finish(self):
        """Ends it. Returns the number of messages a second, and how late 99 of 100 were at most, in seconds."""
        self.process.stdin.close()
        return map(float, self.read())

    def end(self):
        end(self.process)


class Hub:
    """`okaeri monitor` over a live capture, in which another device advertises."""

    def __init__(self, okaeri, folder, port, regions, discovery, further=None):
        """- further: more keys of the configuration."""
        folder.mkdir()
        configuration = {
            "regions": [{"identifier": f"r{region:04}", "uuid": UUID, "major": region // 256, "minor": region % 256}
                        for region in range(regions)],
            "node": {"name": "hub", "room": "office"},
            "mqtt": {"host": "127.0.0.1", "port": port, "site": SITE.split("/")[1], "discovery": "homeassistant" if discovery else False}} | (further or {})
        (folder / "beacons.json").write_text(json.dumps(configuration))
        self.log = folder / "log"
        environment = dict(os.environ, HOME=str(folder), XDG_RUNTIME_DIR=str(folder), OKAERI_SOCKET=str(folder / "socket"))
        with self.log.open("wb") as log:
            self.air = subprocess.Popen(
                [sys.executable, ROOT / "e2e/homeassistant/air.py", folder / "rssi"], stdout=subprocess.PIPE, stderr=log)
            self.process = subprocess.Popen(
                [okaeri, "monitor", "--capture", "-", "--state-dir", folder / "state", "--config", folder / "beacons.json",
                 "--wifi", "simulated", "--json"],
                stdin=self.air.stdout, stdout=log, stderr=log, env=environment, cwd=folder)
        self.air.stdout.close()

    def check(self):
        if self.process.poll() is not None:
            raise SystemExit(f"okaeri has ended with {self.process.returncode}: {self.log.read_text()[-2000:]}")

    def end(self):
        end(self.process)
        end(self.air)


class Subscriber:
    """Receives the states and events of the regions, on a thread."""

    def __init__(self, port):
        self.states, self.events = {}, collections.Counter()
        self._changed, self._arrivals = threading.Condition(), {}
        self._stream = mqtt.connection(port)
        self._stream.sendall(
            mqtt.connect("subscriber", keep_alive=0) + mqtt.subscribe([f"{SITE}/region/+", f"{SITE}/region/+/event"]))
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for topic, payload in mqtt.messages(self._stream):
            now = time.monotonic()
            level = topic.split("/")[3]
            message = json.loads(payload) if payload else {}
            region = int(level.lstrip("r"))
            with self._changed:
                if topic.endswith("/event"):
                    self.events[region, message["event_type"]] += 1
                    self._arrivals[region, message["event_type"]] = now
                elif self.states.get(region) != message.get("state"):
                    self.states[region] = message.get("state")
                    self._arrivals[region, message.get("state")] = now
                self._changed.notify_all()

    def wait(self, region, what, since, limit):
        """Returns the time of the last state or event of a kind, if it is after `since`."""
        with self._changed:
            self._changed.wait_for(lambda: self._arrivals.get((region, what), 0) >= since, limit)
            moment = self._arrivals.get((region, what), 0)
            return moment if moment >= since else None

    def wrong(self, inside, regions):
        """Returns the regions whose state is not the truth."""
        with self._changed:
            return [region for region in range(regions)
                    if self.states.get(region) != ("inside" if region in inside else "outside")]

    def end(self):
        self._stream.close()


def end(process):
    process.send_signal(signal.SIGKILL)
    process.wait()
