"""The main use case: the beacon arrives, the daemon joins the Wi-Fi, and the beacon leaves again."""

import time

from lab import wifi
from lab.btvirt import Btvirt
from lab.controller import Controller
from lab.daemon import Daemon, region, seconds
from lab.registry import scenario
from lab.waiting import check, check_took, wait_for


def arrive_and_leave(daemon, appear, fall_silent):
    """Runs from the first advertisement to the exit; returns the delay of the enter event."""
    daemon.expect_bluetooth("poweredOn", within=10)
    began = appear()
    entered = daemon.expect("didEnterRegion", within=10)
    check_took("didEnterRegion after the first advert", seconds(entered) - began, within=2)
    prompt = daemon.expect("wifiPrompt", within=20)
    check(prompt["ssid"] == wifi.SSID, f"the prompt is about {prompt['ssid']}")
    check(wifi.connected() is None, "connected before the answer")
    daemon.answer(prompt["id"], "join")
    daemon.expect("wifiJoined", within=60)
    wait_for("the home network, with an address", lambda: wifi.connected() == wifi.SSID, within=5)
    check(not daemon.events("didExitRegion"), "didExitRegion while the beacon was heard")
    fall_silent()
    daemon.expect("didExitRegion", within=15)
    daemon.expect("didDetermineState", within=1, state="outside")
    check(len(daemon.events("didEnterRegion")) == 1, "more than one enter")
    check(daemon.stop() == 0, "okaeri did not end well on SIGTERM")


def arrive_on_ours(folder, extended):
    wifi.AccessPoint(folder)
    controller = Controller(folder, extended)
    daemon = Daemon(folder, region(wifi={"ssid": wifi.SSID, "passphraseFile": wifi.passphrase_file()}))

    def appear():
        controller.tell("start home")
        return controller.expect("first advert home", within=5)

    arrive_and_leave(daemon, appear, lambda: controller.tell("stop home"))
    family = "extended" if extended else "legacy"
    check(any(f"({family})" in line for line in controller.said().splitlines() if "scan enabled" in line),
          f"the scan was not {family}")


@scenario(within=120)
def arrival_legacy(folder):
    """On a controller of Bluetooth 4, as a Pi has."""
    arrive_on_ours(folder, extended=False)


@scenario(within=120)
def arrival_extended(folder):
    """On a controller of Bluetooth 5."""
    arrive_on_ours(folder, extended=True)


@scenario(within=120)
def arrival_btvirt(folder):
    """On BlueZ's emulator, which tests the HCI codec against code that the project does not share."""
    wifi.AccessPoint(folder)
    room = Btvirt(folder)
    daemon = Daemon(folder, region(wifi={"ssid": wifi.SSID, "passphraseFile": wifi.passphrase_file()}), adapter="hci0")

    def appear():
        began = time.time()
        room.advertise()
        return began

    arrive_and_leave(daemon, appear, room.fall_silent)
