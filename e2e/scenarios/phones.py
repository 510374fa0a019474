"""Phones under changing addresses: one as a sign beside a beacon, the key from a broker, and the commands of the whole home."""

import json
import os
import signal

from house import Broker
from lab.controller import Controller
from lab.daemon import PROGRAM, UUID, Daemon, exit_after, region
from lab.phone import ADDRESSES, KEY, LOCKED
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check, holds, wait_for

STRANGER = "40:13:57:4D:06:88"
IDENTITY = "C0:11:22:33:44:55"


def key_file(name="anna", identity=""):
    path = f"/run/{name}.irk"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
        file.write(f"{KEY} {identity}\n")
    return path


def resolved_report(identity, kind=0x03):
    """Returns the report of a controller that resolves addresses itself, as an instruction."""
    address = bytes(reversed(bytes.fromhex(identity.replace(":", ""))))
    body = bytes([0x02, 0x01, 0x03, kind]) + address + bytes([len(LOCKED) // 2]) + bytes.fromhex(LOCKED) + bytes([0xC0])
    return "packet " + (b"\x04\x3e" + bytes([len(body)]) + body).hex().upper()


def state_of(daemon, name="anna"):
    return next(region["state"] for region in daemon.status()["regions"] if region["identifier"] == name)


def receptions(daemon):
    """Returns the number of received advertisements of the device that keeps the region inside."""
    return daemon.status()["regions"][0].get("beacon", {}).get("count", 0)


def signs(daemon):
    return [sign["state"] for sign in daemon.status()["regions"][0]["signs"]]


@scenario(within=240)
def phone_and_beacon(folder):
    """A region of a beacon and a phone: entered by the phone, kept while its addresses change, across a restart, by each sign alone;
    left when both are silent."""
    controller = Controller(folder)
    controller.tell(f"raw phone data={LOCKED} address={STRANGER} interval=200ms rssi=-70")
    beacon_exit, phone_exit = exit_after(5), exit_after(12)
    anna = {"identifier": "anna", "anyOf": [
        {"uuid": UUID, "major": 100, "minor": 100, "exitAfter": beacon_exit},
        {"phone": key_file(identity=IDENTITY), "exitAfter": phone_exit}]}
    daemon = Daemon(folder, anna)
    daemon.expect_bluetooth("poweredOn", within=10)
    controller.tell("start phone")
    controller.expect("first advert phone", within=20)
    wait_for("other devices", lambda: daemon.status()["counters"]["reports"] > 0, within=10)
    check(not daemon.events("didEnterRegion"), "a foreign phone has entered")

    for address in ADDRESSES:
        before = receptions(daemon)
        controller.tell(f"address phone {address}")
        # The last report under the former address may be on its way.
        wait_for("reports of the phone", lambda: receptions(daemon) > before + 3, within=20)
    check(len(daemon.events("didEnterRegion")) == 1 and not daemon.events("didExitRegion"), "an address caused an event")
    check(signs(daemon)[1] == "inside" != signs(daemon)[0], f"the signs are {signs(daemon)}")

    wait_for("the kept arrival", lambda: daemon.keeps("inside"), within=10)
    check(daemon.stop() == 0, "it did not end well")
    first = daemon.said()
    daemon = Daemon(folder, anna, name="again")
    daemon.expect("didDetermineState", within=20, state="inside")

    # The beacon keeps the region while the phone is silent, and a controller that resolves addresses itself reports the phone.
    controller.tell("start home")
    wait_for("both signs", lambda: signs(daemon) == ["inside", "inside"], within=20)
    controller.tell("stop phone")
    wait_for("the phone's silence", lambda: signs(daemon) == ["inside", "outside"], within=phone_exit + 20)
    controller.tell(resolved_report(IDENTITY))
    wait_for("the phone by its identity", lambda: signs(daemon) == ["inside", "inside"], within=20)
    controller.tell("stop home")
    controller.tell("start phone")
    wait_for("the beacon's silence", lambda: signs(daemon) == ["outside", "inside"], within=beacon_exit + 20)
    holds("inside by the phone", lambda: state_of(daemon) == "inside", during=2)
    check(not daemon.events("didExitRegion") and not daemon.events("didEnterRegion"), "a sign has caused an event")

    status, text = daemon.ask("explain", "anna")
    check(status == 0 and "phone" in text, f"explain ended with {status}: {text}")
    controller.tell("stop phone")
    departure = daemon.expect("didExitRegion", within=phone_exit + 20)
    check(departure["region"] == "anna", f"the departure is {departure}")
    check(state_of(daemon) == "outside", "it is inside still")

    said = first + daemon.said() + text + daemon.ask("status", "--json")[1] + "".join(map(str, daemon.history()))
    check(KEY not in said.lower(), "the key is shown")


@scenario(within=120)
def phone_key_from_broker(folder):
    """`okaeri enroll --from-broker` takes the key that ESPresense has published, and the phone enters."""
    Broker(folder)
    topic = f"espresense/settings/irk:{KEY}/config"
    run("mosquitto_pub", "-h", "127.0.0.1", "-r", "-t", topic, "-m", '{"id": "phone:anna", "name": "Anna"}')
    controller = Controller(folder)
    daemon = Daemon(folder, region(), house={"node": {"name": "hall"}, "mqtt": {"host": "127.0.0.1"}})
    daemon.expect_bluetooth("poweredOn", within=10)
    said = run(PROGRAM, "enroll", "Anna", "--from-broker", "--yes", "--config", daemon.configuration, may_fail=True)
    file = "/run/Anna.irk"
    check(os.path.exists(file), f"there is no key: {said}")
    with open(file, encoding="ascii") as content:
        check(content.read().strip().lower() == KEY, "the key is another one")
    check(os.stat(file).st_mode & 0o777 == 0o600, "others have access to the key")
    check(KEY not in said.lower(), "the key is shown")
    with open(daemon.configuration, encoding="utf-8") as content:
        check('"Anna"' in content.read(), f"there is no region: {said}")

    past = daemon.warnings("the configuration was read again")
    daemon.process.send_signal(signal.SIGHUP)
    wait_for("the reload", lambda: daemon.warnings("the configuration was read again") > past, within=20)
    controller.tell(f"raw phone data={LOCKED} address={ADDRESSES[1]} interval=200ms rssi=-70")
    controller.tell("start phone")
    daemon.expect("didEnterRegion", within=20, region="Anna")
    check(KEY not in daemon.said().lower(), "the key is shown")


def lines(path):
    if not os.path.exists(path):
        return 0
    with open(path, encoding="ascii") as file:
        return len(file.readlines())


@scenario(within=240)
def home_hooks_once(folder):
    """The hub of two nodes runs the commands of the home: at the first arrival and at the last departure, once each."""
    Broker(folder)
    regions = [region(), region(identifier="anna", minor=7)]
    occupied, empty = (f"/run/home-{word}" for word in ("occupied", "empty"))
    house = {"onOccupied": ["sh", "-c", f"echo {UUID} >>{occupied}"], "onEmpty": ["sh", "-c", f"echo {UUID} >>{empty}"]}
    nodes = []
    for number, room in enumerate(("hall", "kitchen")):
        controller = Controller(folder, number=number)
        controller.tell(f"beacon anna uuid={UUID} major=100 minor=7 rssi=-60 interval=100ms")
        is_hub = room == "hall"
        nodes.append((controller, Daemon(
            folder, *(regions if is_hub else []), adapter=controller.adapter, name=f"okaeri-{room}", more={"house": house},
            house={"node": {"name": room, "room": room}, "mqtt": {"host": "127.0.0.1"}, **({} if is_hub else {"receiver": True})})))

    def is_outside(daemon):
        states = {event["region"]: event["state"] for event in daemon.events("didDetermineState", scope="house")}
        return all(states.get(identifier) == "outside" for identifier in ("home", "anna"))

    wait_for("both nodes outside", lambda: all(is_outside(daemon) for _, daemon in nodes), within=120)

    def hub(daemon):
        return json.loads(daemon.ask("nodes", "--json")[1] or "{}").get("hub")

    wait_for("the hub", lambda: all(hub(daemon) == "hall" for _, daemon in nodes), within=60)
    # The hub may have found the home empty that it knew as occupied before.
    for path in (occupied, empty):
        if os.path.exists(path):
            os.remove(path)

    def tell(instruction):
        for controller, _ in nodes:
            controller.tell(instruction)

    def expect_house(event, identifier):
        for _, daemon in nodes:
            daemon.expect(event, within=60, scope="house", region=identifier)

    tell("start home")
    expect_house("didEnterRegion", "home")
    tell("start anna")
    expect_house("didEnterRegion", "anna")
    wait_for("the command of the arrival", lambda: lines(occupied) > 0, within=20)
    tell("stop home")
    expect_house("didExitRegion", "home")
    check(lines(empty) == 0, "the home is called empty with a region inside")
    tell("stop anna")
    expect_house("didExitRegion", "anna")
    wait_for("the command of the departure", lambda: lines(empty) > 0, within=20)
    for _, daemon in nodes:
        check(daemon.stop() == 0, "a node did not end well")
    check((lines(occupied), lines(empty)) == (1, 1), f"the commands ran {lines(occupied)} and {lines(empty)} times")
