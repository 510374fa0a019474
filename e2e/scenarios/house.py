"""A house of three nodes, each with a controller of its own, at Debian's own MQTT broker."""

import json

from lab.controller import Controller
from lab.daemon import PROGRAM, Daemon, region
from lab.processes import Process, run
from lab.registry import scenario
from lab.waiting import check, wait_for

ROOMS = ("hall", "kitchen", "attic")
NEAR, FAR = -55, -85


class Node:
    """A controller, and a daemon that receives with it alone. The hall has the hub; the other rooms have receivers, or a standby."""

    def __init__(self, folder, number, room, host="127.0.0.1", kind="receiver"):
        self.room = room
        self.controller = Controller(folder, number=number)
        self.controller.tell(f"rssi home {FAR}")
        regions = [region()] if room == "hall" else []
        self.daemon = Daemon(
            folder, *regions, adapter=self.controller.adapter, name=f"okaeri-{room}",
            house={"node": {"name": room, "room": room}, "mqtt": {"host": host}, **({} if regions else {kind: True})})

    def house_events(self):
        """Returns the node's events of the house, a word each, without those of the start."""
        words = []
        for event in self.daemon.events(scope="house"):
            if event["event"] == "didDetermineRoom":
                words.append(event["room"])
            elif event["event"] != "didDetermineState":
                words.append(event["event"])
        return words[words.index("didEnterRegion"):] if "didEnterRegion" in words else []


class Broker(Process):
    """Debian's mosquitto, for this machine alone unless there is an `address` for other machines."""

    def __init__(self, folder, address=None):
        self.folder = folder
        run("ip", "link", "set", "lo", "up")
        listeners = "".join(f"listener 1883 {each}\n" for each in ("127.0.0.1", address) if each)
        with open(f"{folder}/mosquitto.conf", "w", encoding="ascii") as file:
            file.write(f"{listeners}allow_anonymous true\n")
        super().__init__(folder, "mosquitto", ["mosquitto", "-c", f"{folder}/mosquitto.conf", "-v"])
        self.expect_said(" running\n", within=20)

    def follow(self, name, topic):
        """Starts a subscriber that prints all messages on a topic from now on."""
        past = self.said().count("Sending SUBACK")
        listen = Process(self.folder, name, ["mosquitto_sub", "-h", "127.0.0.1", "-V", "5", "-t", topic])
        self.expect_said("Sending SUBACK", within=20, past=past)
        return listen

    def events(self):
        """Starts a subscriber that prints the events of the house."""
        return self.follow("events", "okaeri/home/region/home/event")


def event_types(listen):
    return [json.loads(line)["event_type"] for line in listen.said().splitlines() if line.startswith("{")]


def walk(nodes, tell):
    """Moves the beacon through three rooms and away, and checks the events of these nodes meanwhile.

    `tell` sends an instruction to the controller of a room.
    """
    def all_there(node):
        report = json.loads(node.daemon.ask("nodes", "--json")[1] or "{}")
        said = [each["name"] for each in report.get("nodes", []) if each["online"]]
        return said == sorted(ROOMS) and report.get("hub") == "hall"

    wait_for("three nodes and their hub", lambda: all(all_there(node) for node in nodes), within=60)
    # A beacon that is inside at the start causes no enter event.
    for node in nodes:
        node.daemon.expect("didDetermineState", within=60, scope="house", state="outside")
    for here in ROOMS:
        for room in ROOMS:
            tell(room, f"rssi home {NEAR if room == here else FAR}")
        tell(here, "start home")
        wait_for(f"the room, {here}", lambda: all(node.house_events()[-1:] == [here] for node in nodes), within=40)
    for room in ROOMS:
        tell(room, "stop home")
    wait_for("the exit", lambda: all("didExitRegion" in node.house_events() for node in nodes), within=40)


def check_walk(node):
    """Checks that the node has published one enter, the rooms in their order, and one exit."""
    enters = [word for word in node.house_events() if word and word.startswith("did")]
    rooms = [word for word in node.house_events() if word and not word.startswith("did")]
    check(enters == ["didEnterRegion", "didExitRegion"], f"{node.room} published {enters}")
    check(rooms == list(ROOMS), f"{node.room} published {rooms}")
    code, text = node.daemon.ask("status", "--house")
    check(code == 1, f"status --house ended with {code}: {text}")
    check(node.daemon.stop() == 0, f"the node of the {node.room} did not end well")


@scenario(within=240)
def three_rooms(folder):
    """The beacon moves through three rooms: all nodes publish the same events: one enter, the rooms in their order, one
    exit."""
    listen = Broker(folder).events()
    nodes = {room: Node(folder, number, room) for number, room in enumerate(ROOMS)}
    for node in nodes.values():
        node.daemon.expect_bluetooth("poweredOn", within=20)
    walk(nodes.values(), lambda room, line: nodes[room].controller.tell(line))
    # The hub last: without it the others do not know the states.
    for room in reversed(ROOMS):
        check_walk(nodes[room])
    events = event_types(listen)
    check(events == ["enter", "exit"], f"the broker delivered {events}")


@scenario(within=300)
def house_joined(folder):
    """A further machine joins the house as a standby, needs no region, and decides while the hub is away."""
    broker = Broker(folder)
    listen = broker.events()
    word = broker.follow("word", "okaeri/home/region/home")
    hall = Node(folder, 0, "hall")
    hall.daemon.expect("didDetermineState", within=60, scope="house", state="outside")
    file = f"{folder}/joined.json"
    said = run(PROGRAM, "join", "127.0.0.1", "--username", "", "--room", "attic", "--name", "attic", "--standby", "--yes", "--config", file)
    check('House "home", 1 Pi: hall' in said, f"another house: {said}")
    with open(file, encoding="utf-8") as text:
        joined = json.load(text)
    check(joined["node"] == {"name": "attic", "room": "attic"} and joined["mqtt"]["host"] == "127.0.0.1", f"{joined}")
    check("hub: hall" in said, f"another hub: {said}")
    check(joined["standby"] is True and not joined.get("regions"), f"no standby: {joined}")
    check(run(PROGRAM, "config", "check", "--config", file) is not None, "the file has mistakes")
    attic = Node(folder, 1, "attic", kind="standby")
    attic.daemon.expect_bluetooth("poweredOn", within=20)
    wait_for("the regions of the hub", lambda: "inside" in attic.daemon.ask("status")[1], within=40)
    attic.controller.tell(f"rssi home {NEAR}")
    attic.controller.tell("start home")
    hall.daemon.expect("didEnterRegion", within=20, scope="house")
    check(not attic.daemon.events("didEnterRegion", scope=None), "the standby is not silent")
    hall.daemon.process.kill()
    hall.daemon.process.wait()
    wait_for("the takeover", lambda: '"node":"attic"' in word.said(), within=90)
    check(event_types(listen) == ["enter"], f"the takeover announced {event_types(listen)}")
    attic.controller.tell("stop home")
    wait_for("the exit", lambda: event_types(listen) == ["enter", "exit"], within=40)
    attic.daemon.expect("didExitRegion", within=20, scope="house")
    hall = Node(folder, 2, "hall")
    wait_for("the hub", lambda: word.said().strip().endswith('"number":3,"node":"hall"}'), within=60)
    check(event_types(listen) == ["enter", "exit"], f"the return of the hub announced {event_types(listen)}")
    for node in (hall, attic):
        check(node.daemon.stop() == 0, f"the node of the {node.room} did not end well")


@scenario(within=180)
def house_adapter_lost(folder):
    """A node that loses its adapter reports it; there is no exit, and no enter when the adapter is back."""
    broker = Broker(folder)
    listen = broker.events()
    says = broker.follow("scanner", "okaeri/home/node/hall/scanner")
    hall = Node(folder, 0, "hall")
    hall.daemon.expect_bluetooth("poweredOn", within=20)
    says.expect_said('"ok":true', within=20)
    # A beacon that is inside at the start causes no enter event.
    hall.daemon.expect("didDetermineState", within=30, scope="house", state="outside")
    hall.controller.tell("start home")
    hall.daemon.expect("didEnterRegion", within=20, scope="house")
    # The node has also reported it at its start.
    past = says.said().count('"ok":false')
    run("hciconfig", "hci0", "down")
    says.expect_said('"ok":false', within=20, past=past)
    check("hci0 is switched off" in says.said(), f"it does not say why: {says.said()}")
    hall.daemon.expect("didDetermineState", within=30, scope="house", state="unknown")
    hall.controller.switch_on()
    says.expect_said('"ok":true', within=20, past=1)
    hall.daemon.expect("didDetermineState", within=30, past=1, scope="house", state="inside")
    check(hall.daemon.stop() == 0, "okaeri did not end well on SIGTERM")
    events = event_types(listen)
    check(events == ["enter"], f"the broker delivered {events}")
