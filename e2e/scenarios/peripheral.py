"""This machine as a peripheral, by bluetoothd: hci1 is it, hci0 listens. Both are emulated by BlueZ's own btvirt."""

import re

from lab import bluez
from lab.btvirt import Btvirt
from lab.daemon import PROGRAM, UUID, Daemon, region
from lab.processes import Process, run
from lab.registry import scenario
from lab.waiting import check, wait_for

EXIT_UNAVAILABLE = 69


class Beacon(Process):
    """okaeri advertises on hci1."""

    def __init__(self, folder, name="advertise"):
        super().__init__(
            folder, name,
            [PROGRAM, "advertise", "--adapter", "hci1", "--uuid", UUID, "--major", "100", "--minor", "100"])

    def expect(self, words, within, past=0):
        """It says so, beyond the `past` times that it has."""
        wait_for(f"okaeri advertise: {words}", lambda: self.said().count(words) > past, within)

    def expect_on_the_air(self, within=10, past=0):
        self.expect("advertising", within, past)
        wait_for("the advertisement", lambda: bluez.advertisements("hci1") == 1, within=2)


@scenario(within=60)
def advertise_is_an_ibeacon(folder):
    """The daemon on hci0 hears it come and, when it is stopped, go; on the air it is Apple's frame and nothing else."""
    Btvirt(folder)
    bluez.start()
    trace = Process(folder, "btmon", ["btmon", "-i", "hci1"])
    beacon = Beacon(folder)
    beacon.expect_on_the_air()
    daemon = Daemon(folder, region(exitAfter=2), adapter="hci0")
    entered = daemon.expect("didEnterRegion", within=10)
    check((entered["beacon"]["major"], entered["beacon"]["minor"]) == (100, 100), f"another beacon: {entered}")
    check(beacon.stop() == 0, f"okaeri advertise did not end well on SIGTERM: {beacon.said()}")
    wait_for("no advertisement left", lambda: bluez.advertisements("hci1") == 0, within=5)
    daemon.expect("didExitRegion", within=10)
    trace.stop()
    check("Advertising data length: 27" in trace.said(), "the frame is not 27 bytes long")
    check("ADV_NONCONN_IND" in trace.said(), "it can be connected to")


@scenario(within=60)
def advertise_beside_own_scan(folder):
    """One adapter advertises and scans: the daemon's raw scan on hci1 goes on beside bluetoothd's advertisement."""
    Btvirt(folder)
    bluez.start()
    daemon = Daemon(folder, region(exitAfter=60), adapter="hci1")
    daemon.expect_bluetooth("poweredOn", within=10)
    beacon = Beacon(folder)
    beacon.expect_on_the_air()
    other = Process(
        folder, "other", [PROGRAM, "advertise", "--adapter", "hci0", "--uuid", UUID, "--major", "100", "--minor", "100"])
    daemon.expect("didEnterRegion", within=15)
    check(beacon.is_running and other.is_running, "an advertiser has ended")
    check(bluez.advertisements("hci1") == 1, "the scan has ended the advertisement")


@scenario(within=60)
def advertise_comes_back(folder):
    """Switched off and on, and over a restart of bluetoothd, the beacon is on the air again; without any it says so."""
    Btvirt(folder)
    said = run("sh", "-c", f"{PROGRAM} advertise --uuid {UUID} --major 1 --minor 1; echo status $?")
    check(f"status {EXIT_UNAVAILABLE}" in said and "systemctl" in said, f"without bluetoothd: {said}")
    bluez.start()
    beacon = Beacon(folder)
    beacon.expect_on_the_air()
    bluez.power("hci1", False)
    beacon.expect("rfkill unblock", within=5)
    bluez.power("hci1", True)
    beacon.expect_on_the_air(past=1)
    daemon = Daemon(folder, region(), adapter="hci0")
    daemon.expect("didEnterRegion", within=10)
    bluez.stop()
    beacon.expect("bluetoothd is not running", within=5)
    bluez.start()
    beacon.expect_on_the_air(within=15, past=2)
    check(not re.search(r"error|Error", beacon.said()), f"it complains: {beacon.said()}")
