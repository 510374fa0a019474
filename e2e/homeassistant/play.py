"""Tests Okaeri's daemon with a real broker and a real Home Assistant: play.py ROOT PROGRAM FOLDER. Prints each step when it
has passed."""

import random
import re
import signal
import sys
import time

from house import Failure, House, wait_for
from makes import Beacon, ESPresense


# The limit in seconds until all states are right after a part is back.
RECOVERY = 5


def expect_events(house, *events):
    wait_for("the house's events", lambda: None if house.events() == list(events) else f"{house.events()}", 10)


def events_up_to(house, last):
    """Returns the house's events when the last one is `last`: the state is published before the event."""
    wait_for(f"the {last}", lambda: None if house.events()[-1:] == [last] else f"{house.events()}", 10)
    return house.events()


def distance_problem(house):
    state = house.states().get("sensor.okaeri_keys_hall_distance", "gone")
    return None if state.replace(".", "").isdigit() else state


def recovers(house, within, back, **right):
    """Checks that all states are right within that time after a part is back, and still five seconds later; returns the
    time."""
    house.expect(within, **back)
    began = time.monotonic()
    house.expect(RECOVERY, **right)
    return f"right {time.monotonic() - began:.1f} s later"


def one_node(house):
    """The life of a house with one node."""
    house.node("hall")
    house.expect(30, device_tracker__okaeri_keys="not_home", binary_sensor__okaeri_hall_connected="on", sensor__okaeri_nodes="1")
    yield "a node appears"
    house.hear(hall=-60)
    house.expect(
        device_tracker__okaeri_keys="home", binary_sensor__okaeri_keys_presence="on", sensor__okaeri_keys_room="hall",
        sensor__okaeri_hall_wifi_asked="HomeNet")
    expect_events(house, "enter")
    yield "the beacon arrives"
    wait_for("a distance", lambda: distance_problem(house), 20)
    yield "the distance is published"
    house.ask("services/button/press", {"entity_id": "button.okaeri_hall_join"})
    house.expect(sensor__okaeri_hall_wifi_asked="unknown", button__okaeri_hall_join="unavailable")
    yield "a prompt is answered by a button"
    house.hear(hall=None)
    house.expect(device_tracker__okaeri_keys="not_home", binary_sensor__okaeri_keys_presence="off")
    expect_events(house, "enter", "exit")
    yield "the beacon leaves"
    house.hear(hall=-60)
    house.expect(device_tracker__okaeri_keys="home")
    house.saved("hall")
    house.end("hall")
    house.expect(device_tracker__okaeri_keys="unavailable", binary_sensor__okaeri_hall_connected="off")
    yield "the node is killed"
    house.node("hall")
    soon = recovers(house, 30, {"binary_sensor__okaeri_hall_connected": "on"}, device_tracker__okaeri_keys="home")
    expect_events(house, "enter", "exit", "enter")
    yield f"it returns, without an enter or exit: {soon}"
    house.end("homeassistant")
    house.home_assistant()
    house.expect(RECOVERY, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="hall")
    yield "Home Assistant is restarted"
    house.end("events")
    house.end("heard")
    house.end("mosquitto")
    house.expect(30, device_tracker__okaeri_keys="unavailable")
    house.broker()
    house.listen()
    soon = recovers(
        house, 60, {"binary_sensor__okaeri_hall_connected": "on"}, device_tracker__okaeri_keys="home",
        sensor__okaeri_keys_room="hall")
    yield f"the broker is killed, and returns without its data: {soon}"


def removed(house):
    """A region that is removed while the daemon is off disappears when it is back."""
    more = {"identifier": "お帰り", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E1"}
    house.end("hall", signal.SIGTERM)
    house.node("hall", regions=[house.keys, more])
    house.expect(40, device_tracker__okaeri_x95546acdd3e8="unknown")
    yield "a region of another script"
    house.end("hall", signal.SIGTERM)
    house.expect(device_tracker__okaeri_keys="unavailable")
    house.node("hall")
    house.expect(60, device_tracker__okaeri_keys="home", device_tracker__okaeri_x95546acdd3e8="gone")
    yield "a region is removed while the daemon is off"


def several_nodes(house):
    """Radios that crash, freeze and return cause no exit and no enter, and neither does the hub."""
    house.hear(hall=None)
    house.expect(device_tracker__okaeri_keys="not_home", sensor__okaeri_keys_room="not_home")
    before = events_up_to(house, "exit")
    house.receiver("kitchen")
    house.receiver("attic")
    house.expect(40, sensor__okaeri_nodes="3")
    yield "three nodes"
    house.hear(kitchen=-60, hall=-85)
    house.expect(30, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="kitchen")
    house.hear(kitchen=-85, hall=-60)
    house.expect(30, sensor__okaeri_keys_room="hall")
    house.hear(kitchen=-60, hall=None)
    house.expect(30, sensor__okaeri_keys_room="kitchen")
    expect_events(house, *before, "enter")
    yield "a beacon goes from room to room"
    house.end("kitchen")
    house.expect(60, device_tracker__okaeri_keys="unknown", sensor__okaeri_nodes="2")
    house.receiver("kitchen")
    soon = recovers(
        house, 40, {"sensor__okaeri_nodes": "3"}, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="kitchen")
    expect_events(house, *before, "enter")
    yield f"the radio with the beacon crashes and returns: {soon}"
    house.send("kitchen", signal.SIGSTOP)
    house.expect(90, device_tracker__okaeri_keys="unknown", sensor__okaeri_nodes="2")
    house.send("kitchen", signal.SIGCONT)
    soon = recovers(
        house, 90, {"sensor__okaeri_nodes": "3"}, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="kitchen")
    expect_events(house, *before, "enter")
    yield f"it freezes and thaws: {soon}"
    house.end("hall")
    house.expect(60, device_tracker__okaeri_keys="unavailable")
    house.node("hall")
    soon = recovers(
        house, 40, {"sensor__okaeri_nodes": "3"}, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="kitchen")
    expect_events(house, *before, "enter")
    yield f"the hub crashes and returns: {soon}"
    house.hear(kitchen=None)
    house.expect(40, device_tracker__okaeri_keys="not_home")
    expect_events(house, *before, "enter", "exit")
    yield "the beacon leaves all nodes"


def asked(house):
    """Every node answers requests about all nodes."""
    for node in ("attic", "hall", "kitchen"):
        report = house.report(node)
        online = {each["name"]: each["online"] for each in report["nodes"]}
        if online != {"attic": True, "hall": True, "kitchen": True} or report.get("hub") != "hall":
            raise Failure(f"{node} takes these for the nodes: {online}, and for the hub {report.get('hub')}")
        status = house.okaeri(node, "status", "--region", "keys").returncode
        if status != 1:
            raise Failure(f"status --region keys at {node} ends with {status}")
    radios = {each["name"]: each["radio"]["away"] for each in house.report("hall")["nodes"] if "radio" in each}
    if radios != {"attic": False, "hall": False, "kitchen": False}:
        raise Failure(f"the hub takes these for its radios: {radios}")
    yield "each node knows the others and the hub's word"


def broker_lost(house):
    """A broker loses all its data, for a moment and for longer: the nodes come back one after another, and the first of them
    have received the beacon some time ago, too."""
    house.hear(hall=-60)
    house.expect(30, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="hall")
    before = events_up_to(house, "enter")
    for away in (2, 40):
        for name in ("events", "heard", "mosquitto"):
            house.end(name)
        house.expect(30, device_tracker__okaeri_keys="unavailable")
        time.sleep(away)
        house.broker()
        house.listen()
        for node in ("attic", "hall", "kitchen"):
            wait_for(f"all nodes at {node}", lambda: absent_nodes(house, node), 90)
        soon = recovers(
            house, 20, {"sensor__okaeri_nodes": "3"}, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="hall")
        expect_events(house, *before)
        yield f"the broker is killed under three nodes, and returns without its data after {away} s: {soon}"
    house.hear(hall=None)
    house.expect(40, device_tracker__okaeri_keys="not_home")
    expect_events(house, *before, "exit")
    yield "the beacon leaves after that"


def absent_nodes(house, node):
    """Returns the nodes that are not online, as a node reports them."""
    nodes = house.report(node).get("nodes", [])
    return ", ".join(each["name"] for each in nodes if not each["online"]) or (None if len(nodes) == 3 else "not all known")


def hooks(house):
    """Returns the output of a hook of the house: a line each time it runs."""
    log = house.folder / "hooks.log"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def hub_killed(house):
    """The hub crashes while the beacon arrives: there is one enter event, and the hook runs once."""
    command = ["/bin/sh", "-c", f"echo $OKAERI_EVENT $OKAERI_ROOM >> {house.folder}/hooks.log"]
    regions = [{**house.keys, "scope": "house", "onEnter": command, "onExit": command}]
    house.end("hall", signal.SIGTERM)
    house.node("hall", regions=regions)
    house.expect(40, device_tracker__okaeri_keys="not_home", sensor__okaeri_nodes="3")
    for room in ("kitchen", "attic"):
        before, run = house.events(), hooks(house)
        seen = house.reports(room)
        house.saved("hall")
        house.end("hall")
        house.hear(**{room: -60})
        wait_for("the first report", lambda: None if house.reports(room) > seen else "none", 15)
        house.node("hall", regions=regions)
        house.expect(40, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room=room, sensor__okaeri_nodes="3")
        expect_events(house, *before, "enter")
        house.hear(**{room: None})
        house.expect(40, device_tracker__okaeri_keys="not_home")
        expect_events(house, *before, "enter", "exit")
        wanted = [f"didEnterRegion {room}", "didExitRegion"]
        wait_for("the hooks", lambda: None if hooks(house)[len(run):] == wanted else f"{hooks(house)[len(run):]}", 10)
        yield f"the hub is away while the beacon arrives in the {room}"


def foreign(house):
    """A node of ESPresense: the tracker and the room follow it, and its death is not an exit."""
    house.end("hall", signal.SIGTERM)
    house.node("hall", receivers=[{"type": "espresense"}])
    house.expect(40, device_tracker__okaeri_keys="not_home", sensor__okaeri_nodes="3")
    before = events_up_to(house, "exit")
    porch = ESPresense(house.mqtt, "porch", Beacon(house.keys["uuid"], house.keys["major"], house.keys["minor"])).start()
    house.expect(
        40, binary_sensor__okaeri_espresense_porch_connected="on", device_tracker__okaeri_keys="home",
        binary_sensor__okaeri_keys_presence="on", sensor__okaeri_keys_room="porch")
    expect_events(house, *before, "enter")
    yield "a node of ESPresense receives the beacon"
    porch.signal = -90
    house.hear(hall=-55)
    house.expect(60, sensor__okaeri_keys_room="hall")
    porch.signal = -60
    house.hear(hall=None)
    house.expect(60, sensor__okaeri_keys_room="porch")
    yield "the beacon goes to the hall and back"
    house.end("homeassistant")
    house.home_assistant()
    house.expect(
        RECOVERY, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="porch",
        binary_sensor__okaeri_espresense_porch_connected="on")
    yield "Home Assistant is restarted, with the node of ESPresense"
    porch.cut()
    house.expect(
        30, device_tracker__okaeri_keys="unknown", binary_sensor__okaeri_keys_presence="unknown",
        binary_sensor__okaeri_espresense_porch_connected="off")
    # Longer than the exit time: the death is not an exit.
    time.sleep(20)
    house.expect(5, device_tracker__okaeri_keys="unknown")
    expect_events(house, *before, "enter")
    porch.start()
    soon = recovers(
        house, 30, {"binary_sensor.okaeri_espresense_porch_connected": "on"}, device_tracker__okaeri_keys="home",
        sensor__okaeri_keys_room="porch")
    expect_events(house, *before, "enter")
    yield f"its power is cut, and it returns, without an enter or exit: {soon}"
    porch.hears = False
    house.expect(60, device_tracker__okaeri_keys="not_home", binary_sensor__okaeri_keys_presence="off")
    expect_events(house, *before, "enter", "exit")
    yield "the beacon leaves the node of ESPresense"
    porch.cut()
    house.end("hall", signal.SIGTERM)
    house.node("hall")
    house.expect(60, binary_sensor__okaeri_espresense_porch_connected="gone", sensor__okaeri_nodes="3")
    yield "the node of ESPresense is not used any more"


def forgotten(house):
    """A node that will not come back."""
    if house.okaeri("hall", "nodes", "forget", "attic").returncode != 1:
        raise Failure("a node is forgotten while it is online")
    house.hear(attic=-60)
    house.expect(40, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="attic")
    before = events_up_to(house, "enter")
    house.end("attic")
    house.expect(60, device_tracker__okaeri_keys="unknown", binary_sensor__okaeri_attic_connected="off")
    if house.okaeri("hall", "nodes", "forget", "attic").returncode != 0:
        raise Failure("a node that is off is not forgotten")
    house.expect(40, device_tracker__okaeri_keys="not_home", binary_sensor__okaeri_attic_connected="gone")
    names = [each["name"] for each in house.report("kitchen")["nodes"]]
    if names != ["hall", "kitchen"]:
        raise Failure(f"kitchen knows {names}")
    # The beacon is not received by the radios that are left.
    expect_events(house, *before, "exit")
    yield "the last node with the beacon is deleted"


def hostile(house):
    """A broker with a malicious client, slow, full or away: the node publishes its own events all the same."""
    house.node("cellar", mqtt={"host": "127.0.0.1", "port": house.mqtt, "site": "else", "discovery": False})
    wait_for("the broker's answer", lambda: None if house.mqtt_state("cellar") == "connected" else "none", 20)
    before = house.private_memory("cellar")
    large = house.folder / "large"
    large.write_bytes(random.Random(1).randbytes(10_000_000))
    for topic in ("node/x/about", "node/x/status", "node/cellar/region/keys", "region/keys"):
        house.publish("-r", "-t", f"okaeri/else/{topic}", "-f", str(large))
    small = house.folder / "small"
    for seed in range(40):
        small.write_bytes(random.Random(seed).randbytes(seed * 50))
        for topic in ("node/うち/about", f"node/n{seed}/about", f"node/n{seed}/status", "region/keys", "node/cellar/status"):
            house.publish("-r", "-t", f"okaeri/else/{topic}", "-f", str(small))
    house.hear(cellar=-60)
    wait_for("enter at the node", lambda: None if "didEnterRegion" in house.own_events("cellar") else "none", 20)
    yield "a broker full of rubbish"
    house.send("mosquitto", signal.SIGSTOP)
    house.hear(cellar=None)
    wait_for("exit at the node", lambda: None if "didExitRegion" in house.own_events("cellar") else "none", 20)
    wait_for("the reason", lambda: None if house.mqtt_state("cellar") != "connected" else house.mqtt_state("cellar"), 60)
    house.send("mosquitto", signal.SIGCONT)
    wait_for("the broker again", lambda: None if house.mqtt_state("cellar") == "connected" else house.mqtt_state("cellar"), 90)
    yield "a broker that stands still"
    grown = house.private_memory("cellar") - before
    if grown > 2000:
        raise Failure(f"the node's private memory grew by {grown} kB")
    yield f"private memory grew by {grown} kB"


def end_well(house, *parts):
    """Plays the parts of a house, and returns the exit status."""
    try:
        house.broker()
        house.listen()
        house.home_assistant()
        for part in parts:
            for step in part(house):
                print(f"ok    {step}", flush=True)
        log = (house.folder / "homeassistant" / "home-assistant.log").read_text(encoding="utf-8")
        ours = [
            line for line in log.splitlines() if "okaeri" in line.lower() and ("WARN" in line or "ERROR" in line)
            # A warning about the speed of the machine.
            and not re.search(r" took [0-9.]+ seconds", line)]
        if ours:
            raise Failure(f"Home Assistant complains: {ours[0]}")
        print("ok    Home Assistant has nothing to complain of", flush=True)
    except Failure as failure:
        print(f"FAIL  {failure}", flush=True)
        return 1
    finally:
        house.close()
    return 0


if __name__ == "__main__":
    parts = (one_node, removed, several_nodes, asked, broker_lost, hub_killed, foreign, forgotten, hostile)
    sys.exit(end_well(House(*sys.argv[1:]), *parts))
