"""A reload applies each key while the beacon stays inside."""

from lab.controller import Controller
from lab.daemon import Daemon, exit_after, region
from lab.registry import scenario
from lab.waiting import check, holds, wait_for

from house import Broker

NODE = {"node": {"name": "hall", "room": "hall"}, "mqtt": {"host": "127.0.0.1"}}


def listeners(daemon):
    """Returns the addresses of the open listeners, by their key."""
    found = daemon.status().get("listeners", [])
    return {one["name"]: one["address"] for one in found if "problem" not in one}


def listens(daemon, **addresses):
    wait_for(f"the listeners {addresses}", lambda: listeners(daemon) == addresses, within=20)


@scenario(within=240)
def every_key_reloaded(folder):
    """A reload moves the daemon to another adapter and to other ports, makes it a node of a house, and takes that back. The
    region stays inside, without an event."""
    controllers = [Controller(folder, number=number) for number in (0, 1)]
    for controller in controllers:
        # All advertisements of a beacon may lie between two windows for as long as the region stays inside.
        controller.tell("windows off")
        controller.tell("start home")
    patience = exit_after()
    home = region(exitAfter=patience)
    daemon = Daemon(folder, home, adapter="hci0", more={"metrics": {"listen": "127.0.0.1:9464"}})
    daemon.expect("didEnterRegion", within=20)
    listens(daemon, metrics="127.0.0.1:9464")
    broker = Broker(folder)

    daemon.reload(
        home, adapter="hci1", metrics={"listen": "127.0.0.1:9465"}, web={"listen": "127.0.0.1:8080"},
        scan={"interval": 100, "window": 40}, **NODE)
    wait_for("the other adapter", lambda: daemon.status()["bluetooth"].get("adapter") == "hci1", within=20)
    wait_for("its scan", lambda: controllers[1].is_scanning and not controllers[0].is_scanning, within=20)
    listens(daemon, metrics="127.0.0.1:9465", web="127.0.0.1:8080")
    wait_for("the broker", lambda: daemon.status().get("mqtt", {}).get("connected"), within=20)
    # The first adapter is silent from now on: the sightings are those of the second one.
    controllers[0].tell("stop home")
    daemon.expect_sightings("of the other adapter", within=10)

    daemon.reload(home, adapter="hci1")
    listens(daemon)
    wait_for("the end of the connection", lambda: "mqtt" not in daemon.status(), within=20)
    broker.expect_said("Received DISCONNECT from okaeri.home.hall", within=20)

    daemon.reload(home, adapter="hci1", history={"keep": 0})
    wait_for(
        "the key that needs a restart",
        lambda: [one["key"] for one in daemon.status()["configuration"].get("restart", [])] == ["history.keep"], within=20)
    check("Restart    pending for history.keep" in daemon.ask("status")[1], "status does not name it")

    holds("no exit", lambda: not daemon.events("didExitRegion", region="home"), during=patience + 1)
    check(len(daemon.events("didEnterRegion")) == 1, "a second didEnterRegion")
    check(daemon.stop() == 0, "it did not end well")
