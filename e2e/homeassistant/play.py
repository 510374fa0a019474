"""Okaeri's daemon, a real broker and a real Home Assistant: play.py ROOT PROGRAM FOLDER. Says each step as it passes."""

import signal
import sys

from house import Failure, House, wait_for


def expect_events(house, *events):
    wait_for("the house's events", lambda: None if house.events() == list(events) else f"{house.events()}", 10)


def distance_problem(house):
    state = house.states().get("sensor.okaeri_keys_hall_distance", "gone")
    return None if state.replace(".", "").isdigit() else state


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
    yield "somebody comes home"
    wait_for("a distance", lambda: distance_problem(house), 20)
    yield "the distance is told"
    house.ask("services/button/press", {"entity_id": "button.okaeri_hall_join"})
    house.expect(sensor__okaeri_hall_wifi_asked="unknown", button__okaeri_hall_join="unavailable")
    yield "a prompt is answered by a button"
    house.hear(hall=None)
    house.expect(device_tracker__okaeri_keys="not_home", binary_sensor__okaeri_keys_presence="off")
    expect_events(house, "enter", "exit")
    yield "somebody leaves"
    house.hear(hall=-60)
    house.expect(device_tracker__okaeri_keys="home")
    house.end("hall")
    house.expect(device_tracker__okaeri_keys="unavailable", binary_sensor__okaeri_hall_connected="off")
    yield "the node is killed"
    house.node("hall")
    house.expect(30, device_tracker__okaeri_keys="home", binary_sensor__okaeri_hall_connected="on")
    expect_events(house, "enter", "exit", "enter")
    yield "it returns, and nobody has come or gone"
    house.end("homeassistant")
    house.home_assistant()
    house.expect(30, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="hall")
    yield "Home Assistant is restarted"
    house.end("events")
    house.end("mosquitto")
    house.expect(30, device_tracker__okaeri_keys="unavailable")
    house.broker()
    house.listen()
    house.expect(60, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="hall")
    yield "the broker is killed, and returns without its data"


def removed(house):
    """What is removed while the daemon is off is gone when it is back."""
    more = {"identifier": "お帰り", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E1"}
    keys = {"identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "exitAfter": 4}
    house.end("hall", signal.SIGTERM)
    house.node("hall", regions=[keys, more])
    house.expect(40, device_tracker__okaeri_x95546acdd3e8="unknown")
    yield "a region of another script"
    house.end("hall", signal.SIGTERM)
    house.expect(device_tracker__okaeri_keys="unavailable")
    house.node("hall")
    house.expect(60, device_tracker__okaeri_keys="home", device_tracker__okaeri_x95546acdd3e8="gone")
    yield "a region is removed while the daemon is off"


def several_nodes(house):
    """Nodes that die, freeze and return send nobody away, and nobody arrives by them."""
    house.hear(hall=None)
    house.expect(device_tracker__okaeri_keys="not_home")
    before = house.events()
    house.node("kitchen")
    house.node("attic")
    house.expect(40, sensor__okaeri_nodes="3")
    yield "three nodes"
    house.hear(kitchen=-60, hall=-85)
    house.expect(30, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="kitchen")
    house.hear(kitchen=-85, hall=-60)
    house.expect(30, sensor__okaeri_keys_room="hall")
    house.hear(kitchen=None, hall=-60)
    expect_events(house, *before, "enter")
    yield "a beacon goes from room to room"
    house.end("hall")
    house.expect(40, device_tracker__okaeri_keys="unknown", sensor__okaeri_nodes="2")
    house.node("hall")
    house.expect(40, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="hall", sensor__okaeri_nodes="3")
    expect_events(house, *before, "enter")
    yield "the node where somebody is dies and returns"
    house.running["hall"].send_signal(signal.SIGSTOP)
    house.expect(90, device_tracker__okaeri_keys="unknown", sensor__okaeri_nodes="2")
    house.running["hall"].send_signal(signal.SIGCONT)
    house.expect(90, device_tracker__okaeri_keys="home", sensor__okaeri_keys_room="hall", sensor__okaeri_nodes="3")
    expect_events(house, *before, "enter")
    yield "it freezes and thaws"
    house.hear(hall=None)
    house.expect(40, device_tracker__okaeri_keys="not_home")
    expect_events(house, *before, "enter", "exit")
    yield "somebody leaves them all"


def main():
    house = House(*sys.argv[1:])
    try:
        house.broker()
        house.listen()
        house.home_assistant()
        for part in (one_node, removed, several_nodes):
            for step in part(house):
                print(f"ok    {step}", flush=True)
        log = (house.folder / "homeassistant" / "home-assistant.log").read_text(encoding="utf-8")
        ours = [line for line in log.splitlines() if "okaeri" in line.lower() and ("WARN" in line or "ERROR" in line)]
        if ours:
            raise Failure(f"Home Assistant complains: {ours[0]}")
        print("ok    Home Assistant has nothing to complain of", flush=True)
    except Failure as failure:
        print(f"FAIL  {failure}", flush=True)
        return 1
    finally:
        house.close()
    return 0


sys.exit(main())
