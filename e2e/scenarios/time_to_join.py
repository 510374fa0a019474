"""How long a join takes, beside the same join by NetworkManager's own client."""

import shutil
import statistics
import time

from lab import pace, wifi
from lab.controller import Controller
from lab.daemon import STATE, Daemon, region, seconds
from lab.processes import run
from lab.registry import measurement
from lab.waiting import check, wait_for

TURNS = 20

# The most that okaeri may take longer, by the medians, in seconds.
MARGIN = 1


def begin_turn(folder, number):
    """The station is disconnected, and a daemon that has no memory of a join waits for the beacon."""
    wait_for("the station's device, ready to connect", wifi.is_ready, within=15)
    shutil.rmtree(STATE, ignore_errors=True)
    daemon = Daemon(folder, region(wifi={"ssid": wifi.SSID, "join": "auto"}), name=f"okaeri-{number}")
    daemon.expect_bluetooth("poweredOn", within=15)
    return daemon


def time_arrival(folder, controller, number):
    """From the event of the arrival to that of the join, in seconds."""
    daemon = begin_turn(folder, number)
    controller.tell("start home")
    entered = daemon.expect("didEnterRegion", within=15)
    joined = daemon.expect("wifiJoined", within=60)
    controller.tell("stop home")
    daemon.stop()
    run("nmcli", "connection", "down", "home")
    return seconds(joined) - seconds(entered)


def time_client(folder, number):
    """From the start of `nmcli connection up` to its end, in seconds, with a daemon that has nothing to do."""
    daemon = begin_turn(folder, number)
    began = time.monotonic()
    run("nmcli", "connection", "up", "home")
    took = time.monotonic() - began
    daemon.stop()
    run("nmcli", "connection", "down", "home")
    return took


def described(times):
    """The median and the extremes, for the figures."""
    return f"median {statistics.median(times):.2f} s, {min(times):.2f} to {max(times):.2f} s"


@measurement(within=1800)
def time_to_join(folder):
    """From an arrival to "connected" with a saved profile takes at most a second longer than `nmcli connection up`."""
    wifi.AccessPoint(folder)
    wifi.save_profile()
    run("nmcli", "device", "wifi", "list", "--rescan", "yes")
    controller = Controller(folder)
    okaeri, client = [], []
    for turn in range(TURNS):
        client.append(time_client(folder, 2 * turn))
        okaeri.append(time_arrival(folder, controller, 2 * turn + 1))
    with open(f"{folder}/figures", "w", encoding="utf-8") as file:
        file.write(f"okaeri: {described(okaeri)}\nnmcli connection up: {described(client)}\n")
        file.write(f"the machine's pace: {pace.mean():.1f} times the usual\n")
    longer = statistics.median(okaeri) - statistics.median(client)
    check(longer <= MARGIN, f"okaeri takes {longer:.2f} s longer than nmcli")
