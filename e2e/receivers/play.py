"""Tests a hub with receivers of every other make at a real broker: play.py PROGRAM FOLDER. Each make has a receiver for each fault, and
each receiver a region with a beacon that it alone receives. All wait at the same time: the longest time is that of a gateway that is
quiet. Prints each step when it has passed."""

import datetime
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import mqtt
from makes import MAKES, Beacon, Receiver

HERE = pathlib.Path(__file__).resolve().parent
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
FAULTS = ("reboot", "former", "quiet", "double", "clock")
EXIT_AFTER = 12
# Seconds until a receiver that is quiet is away (docs/receivers.md).
PATIENCE = {"espresense": 45, "shelly": 60, "shelly2": 60, "esphome": 60, "openmqttgateway": 250, "theengs": 250}


class Failure(Exception):
    """An expectation was not met."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, within, differences):
    """Waits until there are no differences."""
    end = time.monotonic() + within
    while found := differences():
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {within} s: {found}")
        time.sleep(0.3)


class House:
    """A broker, a hub with a region for each make and fault, and the receivers by make and fault."""

    def __init__(self, program, folder):
        self.program, self.folder, self.port = program, pathlib.Path(folder), free_port()
        self.running = []
        self.receivers = {}
        for row, make in enumerate(MAKES):
            for column, fault in enumerate(FAULTS):
                beacon = Beacon(UUID, row, column)
                self.receivers[make.key, fault] = make(self.port, f"{fault}-{make.key}", beacon, has_clock=fault != "clock")

    def of(self, fault):
        return {make: receiver for (make, each), receiver in self.receivers.items() if each == fault}

    def broker(self):
        user = "root" if os.geteuid() == 0 else "mosquitto"
        (self.folder / "mosquitto.conf").write_text(
            f"user {user}\nlistener {self.port} 127.0.0.1\nallow_anonymous true\nlog_type all\n", encoding="ascii")
        self.run("mosquitto", ["/usr/sbin/mosquitto", "-c", self.folder / "mosquitto.conf"])

        def closed():
            try:
                mqtt.connection(self.port).close()
                return None
            except OSError as error:
                return error
        wait_for("the broker", 20, closed)

    def retain(self, messages):
        """Publishes messages that the broker retains, and waits for its acknowledgements."""
        with mqtt.connection(self.port) as stream:
            stream.sendall(mqtt.connect("former"))
            stream.recv(4)
            for number, (topic, payload) in enumerate(messages, 1):
                stream.sendall(mqtt.retained(topic, payload if isinstance(payload, str) else json.dumps(payload), number))
                stream.recv(4)

    def hub(self):
        regions = [
            {"identifier": f"{make}-{fault}", "uuid": UUID, "major": each.beacon.major, "minor": each.beacon.minor,
             "exitAfter": EXIT_AFTER}
            for (make, fault), each in self.receivers.items()]
        (self.folder / "beacons.json").write_text(json.dumps({
            "regions": regions, "node": {"name": "hub", "room": "office"}, "receivers": [make.entry for make in MAKES],
            "mqtt": {"host": "127.0.0.1", "port": self.port, "discovery": False}}), encoding="ascii")
        air = self.run("air", ["python3", HERE.parent / "homeassistant" / "air.py", self.folder / "rssi"], stdout=subprocess.PIPE)
        self.run(
            "okaeri", [self.program, "monitor", "--capture", "-", "--config", "beacons.json", "--socket", "okaeri.sock",
                       "--state-dir", "state", "--wifi", "simulated", "--json"], stdin=air.stdout)
        air.stdout.close()

    def run(self, name, command, **pipes):
        log = open(self.folder / f"{name}.log", "ab")
        process = subprocess.Popen(command, cwd=self.folder, **{"stdout": log, "stderr": log, **pipes})
        self.running.append(process)
        return process

    def close(self):
        for receiver in self.receivers.values():
            receiver.cut()
        for process in reversed(self.running):
            process.send_signal(signal.SIGKILL)
            process.wait()

    # What the program shows.

    def okaeri(self, *arguments):
        return subprocess.run(
            [self.program, *arguments, "--socket", "okaeri.sock"], cwd=self.folder, capture_output=True, text=True, check=False,
            timeout=60)

    def nodes(self):
        """Returns the receivers by their names, and the states and rooms of the regions."""
        report = json.loads(self.okaeri("nodes", "--json").stdout or "{}")
        return {each["name"]: each for each in report.get("nodes", [])}, {
            each["identifier"]: (each["house"]["state"], each["house"].get("room")) for each in report.get("regions", [])}

    def events(self, region):
        """Returns the enters and exits of a region so far, each with the seconds since the epoch."""
        found = []
        for line in (self.folder / "okaeri.log").read_text(encoding="utf-8").splitlines():
            event = json.loads(line) if line.startswith("{") else {}
            if event.get("region") == region and event["event"] in ("didEnterRegion", "didExitRegion") and event.get("scope") == "house":
                moment = datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00"))
                found.append((event["event"][3:-6].lower(), moment.timestamp()))
        return found

    def expect(self, what, within, fault, state, events, online=None, makes=None, in_room=True):
        """Waits until the regions of a fault have a state and these events, and their receivers are online or not."""
        chosen = {make: each for make, each in self.of(fault).items() if makes is None or make in makes}

        def differences():
            nodes, regions = self.nodes()
            for make, receiver in chosen.items():
                region, node = f"{make}-{fault}", nodes.get(f"{make}-{receiver.name}")
                if regions.get(region, (None, None))[0] != state:
                    return f"{region} is {regions.get(region)}"
                if state == "inside" and in_room and regions[region][1] != receiver.name:
                    return f"{region} is in {regions[region]}"
                if [name for name, _ in self.events(region)] != events:
                    return f"{region} had {self.events(region)}"
                if online is not None and (node or {}).get("online", False) != online:
                    return f"{region} has {node}"
            return None

        wait_for(what, within, differences)

    def rejected(self, fault):
        nodes, _ = self.nodes()
        return {make: nodes.get(f"{make}-{each.name}", {}).get("receiver", {}).get("rejected") for make, each in self.of(fault).items()}


def beginning(house):
    """All receivers appear, and each region is entered once, in the room of its receiver."""
    for fault in FAULTS:
        house.expect("the start", 60, fault, "outside", [])
    began = time.time()
    for fault in ("quiet", "reboot", "double", "clock"):
        for receiver in house.of(fault).values():
            receiver.start()
    for fault in ("quiet", "reboot", "double", "clock"):
        house.expect("the arrival", 60, fault, "inside", ["enter"], online=True)
        if any(count for count in house.rejected(fault).values()):
            raise Failure(f"messages are rejected: {house.rejected(fault)}")
    yield f"{len(MAKES)} makes appear, and each region is entered once"
    for make in house.of("clock"):
        (_, moment), = house.events(f"{make}-clock")
        if not began - 1 <= moment <= time.time() + 1:
            raise Failure(f"{make}-clock was entered at {moment}, and not after {began}")
    yield "the time of an event is the hub's, with receivers without a clock"


def former(house):
    """What the broker retains of receivers that are gone."""
    house.expect("the leftovers", 10, "former", "outside", [], online=False)
    for receiver in house.of("former").values():
        receiver.start()
    house.expect("those that come back", 60, "former", "inside", ["enter"], online=True)
    yield "what the broker retains of a receiver is not a reception, and it counts when it is back"


def reboot(house):
    """Receivers lose their power; then they restart before the broker notices."""
    for receiver in house.of("reboot").values():
        receiver.cut()
    house.expect("the last wills", 20, "reboot", "unknown", ["enter"], online=False)
    time.sleep(EXIT_AFTER + 8)
    house.expect("the silence after it", 5, "reboot", "unknown", ["enter"], online=False)
    for receiver in house.of("reboot").values():
        receiver.start()
    house.expect("the return", 60, "reboot", "inside", ["enter"], online=True)
    yield "a receiver loses its power and returns: no exit, no enter"
    before = {make: each.connections for make, each in house.of("reboot").items()}
    for receiver in house.of("reboot").values():
        receiver.restart()
    wait_for("the connections", 30, lambda: [make for make, each in house.of("reboot").items() if each.connections == before[make]])
    # The last will of the former connection may come after the status of the new one.
    house.expect("the restart", 60, "reboot", "inside", ["enter"], online=True)
    yield "it restarts while the broker has its connection: no exit, no enter"


def clock(house):
    """Beacons leave and return, at receivers without a clock."""
    for receiver in house.of("clock").values():
        receiver.hears = False
    left = time.time()
    house.expect("the exits", 90, "clock", "outside", ["enter", "exit"], online=True)
    for make in house.of("clock"):
        moment = house.events(f"{make}-clock")[1][1]
        if not left + EXIT_AFTER - 6 <= moment <= time.time() + 1:
            raise Failure(f"{make}-clock was left {moment - left:.1f} s after the beacon")
    for receiver in house.of("clock").values():
        receiver.hears = True
    house.expect("the return", 60, "clock", "inside", ["enter", "exit", "enter"], online=True)
    times = ", ".join(f"{make} {house.events(f'{make}-clock')[1][1] - left:.0f} s" for make in house.of("clock"))
    yield f"a beacon leaves and returns: the exits after {times}"


def double(house, twins):
    """A second receiver of the same name, which does not receive the beacon."""
    for make, receiver in house.of("double").items():
        twin = type(receiver)(house.port, receiver.name, receiver.beacon, host=2)
        twin.hears = False
        twins.append(twin.start())
    for twin in twins:
        wait_for("the second receivers", 30, lambda twin=twin: None if twin.connections else twin.name)
    named = {make for make, each in house.of("double").items() if each.is_client_name and each.has_address}
    wait_for("the kicks", 60, lambda: [
        make for make in named if min(house.receivers[make, "double"].connections, next(
            twin.connections for twin in twins if twin.key == make)) < 3])
    for make, receiver in house.of("double").items():
        events = [name for name, _ in house.events(f"{make}-double")]
        if events != ["enter"]:
            raise Failure(f"{make}-double had {events}")
    yield "two receivers of one name: no exit, no enter"
    quick = {"espresense"}
    wait_for("the count", 60, lambda: [make for make in quick if not (house.rejected("double")[make] or {}).get("name of two receivers")])
    yield "two nodes of ESPresense with one name are counted"


def doubles_counted(house, twins):
    wait_for("the count", 200, lambda: None if (house.rejected("double")["openmqttgateway"] or {}).get(
        "name of two receivers") else house.rejected("double"))
    yield "two gateways with one name are counted"
    for twin in twins:
        twin.cut()
    house.expect("the end of the second receivers", 60, "double", "inside", ["enter"], online=True)
    yield "one of them ends: no exit, no enter"


def quiet(house, since):
    """Receivers that publish nothing, with a connection."""
    for seconds in sorted(set(PATIENCE.values())):
        makes = {make for make, each in PATIENCE.items() if each == seconds}
        passed = time.monotonic() - since
        if passed < seconds - 15:
            house.expect("quiet, not yet away", 5, "quiet", "inside", ["enter"], online=True, makes=makes)
        house.expect("quiet", seconds - passed + 30, "quiet", "unknown", ["enter"], online=False, makes=makes)
        yield f"{', '.join(sorted(makes))}: away after {time.monotonic() - since:.0f} s without a message, no exit"
    for receiver in house.of("quiet").values():
        receiver.is_quiet = False
    house.expect("the return", 60, "quiet", "inside", ["enter"], online=True)
    yield "they publish again: no enter"


def leftovers(house):
    """Returns what a broker retains of receivers that are gone: a report of each, its status, and an alias."""
    for make, receiver in house.of("former").items():
        yield receiver.will(), receiver.online
        yield from receiver.hello().items()
        yield from receiver.reports()
        if make == "espresense":
            device = f"iBeacon:{UUID.lower()}-{receiver.beacon.major}-{receiver.beacon.minor}"
            yield f"espresense/settings/{device}/config", {"id": device, "name": "Keys"}


def play(house):
    house.broker()
    house.retain(leftovers(house))
    house.hub()
    yield from beginning(house)
    for receiver in house.of("quiet").values():
        receiver.is_quiet = True
    since, twins = time.monotonic(), []
    quieting = quiet(house, since)
    yield next(quieting)
    yield next(quieting)
    yield from former(house)
    yield from double(house, twins)
    yield from clock(house)
    yield from reboot(house)
    yield from quieting
    yield from doubles_counted(house, twins)
    for fault in FAULTS:
        wanted = ["enter", "exit", "enter"] if fault == "clock" else ["enter"]
        house.expect("the end", 30, fault, "inside", wanted, online=True)
        wrong = {make: found for make, found in house.rejected(fault).items() if set(found or {}) - {"name of two receivers"}}
        if wrong:
            raise Failure(f"messages are rejected: {wrong}")
    states = {region: house.okaeri("status", "--house", "--region", region).returncode for region in house.nodes()[1]}
    if set(states.values()) != {0}:
        raise Failure(f"status ends with {states}")
    yield "all receivers are present, and no message was rejected for another reason"


def main():
    house = House(*sys.argv[1:])
    began = time.monotonic()
    try:
        for step in play(house):
            print(f"ok    {step} ({time.monotonic() - began:.0f} s)", flush=True)
    except Failure as failure:
        print(f"FAIL  {failure}", flush=True)
        return 1
    finally:
        house.close()
    return 0


sys.exit(main())
