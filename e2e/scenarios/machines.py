"""The stages of scripts/three-machines: a machine in each room, and a network between them."""

import socket

from lab.processes import Process, run
from lab.registry import stage
from lab.waiting import check, wait_for

from house import ROOMS, Broker, Node, check_walk, event_types, walk

NETWORK = "10.9.0"
BROKER = f"{NETWORK}.1"


def connect(room):
    """Connects the machine to the network, under the room's address."""
    run("ip", "address", "replace", f"{NETWORK}.{ROOMS.index(room) + 1}/24", "dev", "eth0")
    run("ip", "link", "set", "eth0", "up")


def answers():
    try:
        socket.create_connection((BROKER, 1883), 1).close()
    except OSError:
        return False
    return True


def publish(topic, line):
    run("mosquitto_pub", "-h", BROKER, "-V", "5", "-q", "1", "-t", topic, "-m", line)


@stage(within=600)
def in_the_hall(folder):
    """The broker's machine. It sends the instructions for the other machines' controllers."""
    connect("hall")
    listen = Broker(folder, BROKER).events()
    node = Node(folder, 0, "hall", BROKER)
    node.daemon.expect_bluetooth("poweredOn", within=20)
    # The other machines boot at their own speed.
    wait_for("the other machines", lambda: '"kitchen"' in node.daemon.ask("nodes", "--json")[1], within=300)
    wait_for("the other machines", lambda: '"attic"' in node.daemon.ask("nodes", "--json")[1], within=300)

    def tell(room, line):
        if room == "hall":
            node.controller.tell(line)
        else:
            publish(f"air/{room}", line)

    walk([node], tell)
    for room in ROOMS[1:]:
        publish(f"air/{room}", "end")
    # The other machines check their own events, and report the result.
    done = Process(folder, "done", ["mosquitto_sub", "-h", BROKER, "-V", "5", "-t", "done/#"])
    for room in ROOMS[1:]:
        done.expect_said(f"{room} is fine", within=60)
    check_walk(node)
    events = event_types(listen)
    check(events == ["enter", "exit"], f"the broker delivered {events}")


@stage(within=600)
def in_the_kitchen(folder):
    """It receives the instructions of the hall's machine."""
    listens(folder, "kitchen")


@stage(within=600)
def in_the_attic(folder):
    """It receives the instructions of the hall's machine."""
    listens(folder, "attic")


def listens(folder, room):
    connect(room)
    wait_for("the broker", answers, within=300)
    air = Process(folder, "air", ["mosquitto_sub", "-h", BROKER, "-V", "5", "-q", "1", "-t", f"air/{room}"])
    node = Node(folder, 0, room, BROKER)
    node.daemon.expect_bluetooth("poweredOn", within=20)
    past = 0
    while True:
        lines = wait_for("what is in the air", lambda: air.said().splitlines()[past:], within=400)
        past += len(lines)
        for line in lines:
            if line != "end":
                node.controller.tell(line)
        if "end" in lines:
            break
    wait_for("the exit", lambda: "didExitRegion" in node.house_events(), within=40)
    check_walk(node)
    check(air.is_running, f"mosquitto_sub has ended: {air.said()}")
    run("mosquitto_pub", "-h", BROKER, "-V", "5", "-r", "-q", "1", "-t", f"done/{room}", "-m", f"{room} is fine")
