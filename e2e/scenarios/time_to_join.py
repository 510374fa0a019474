"""The duration of a join, compared with the same join by NetworkManager's own client."""

import shutil
import statistics
import time

from lab import pace, wifi
from lab.controller import Controller
from lab.daemon import STATE, Daemon, region, seconds
from lab.processes import finish, run
from lab.registry import measurement
from lab.waiting import check, wait_for

TURNS = 20

# The limit by which okaeri may take longer, by the medians, in seconds.
MARGIN = 1

# The limit of failed joins.
FAILURES = 2


def begin_turn(folder, number):
    """The station is disconnected, and a daemon that has no memory of a join waits for the beacon."""
    wait_for("the station's device, ready to connect", wifi.is_ready, within=15)
    shutil.rmtree(STATE, ignore_errors=True)
    daemon = Daemon(folder, region(wifi={"ssid": wifi.SSID, "join": "auto"}), name=f"okaeri-{number}")
    daemon.expect_bluetooth("poweredOn", within=15)
    return daemon


def time_arrival(folder, controller, number):
    """Returns the seconds from the enter event to the event of the join; None if the join failed."""
    daemon = begin_turn(folder, number)
    controller.tell("start home")
    entered = daemon.expect("didEnterRegion", within=15)
    ended = wait_for(
        "the end of the join", lambda: daemon.events("wifiJoined") or daemon.events("wifiJoinFailed"), within=90)[0]
    controller.tell("stop home")
    daemon.stop()
    run("nmcli", "connection", "down", "home", may_fail=True)
    return seconds(ended) - seconds(entered) if ended["event"] == "wifiJoined" else None


def time_client(folder, number):
    """Returns the duration of `nmcli connection up` in seconds, beside an idle daemon; None if it failed."""
    daemon = begin_turn(folder, number)
    began = time.monotonic()
    status, _ = finish(["nmcli", "connection", "up", "home"], within=90)
    took = time.monotonic() - began
    daemon.stop()
    run("nmcli", "connection", "down", "home", may_fail=True)
    return took if status == 0 else None


def described(times):
    """Returns the median, the extremes and the number of failures, for the figures."""
    joined = succeeded(times)
    return f"median {statistics.median(joined):.2f} s, {min(joined):.2f} to {max(joined):.2f} s, " \
        f"{len(times) - len(joined)} failed"


def succeeded(times):
    """Returns the times of the turns that ended in a connection."""
    return [took for took in times if took is not None]


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
    # On a machine under load a handshake may fail, whichever program has requested it.
    check(len(succeeded(okaeri)) >= TURNS - FAILURES, "too many joins failed")
    longer = statistics.median(succeeded(okaeri)) - statistics.median(succeeded(client))
    check(longer <= MARGIN, f"okaeri takes {longer:.2f} s longer than nmcli")
