"""Other programs use the same adapter: whatever they do to the scan, observations continue within 3 s."""

import signal
import sys

from lab import bluez, rival
from lab.controller import Controller
from lab.daemon import Daemon, region
from lab.processes import Process, run
from lab.registry import scenario
from lab.waiting import check


def at_home(folder):
    """The region is inside, with an exit time so long that the daemon has no other reason to check its scan."""
    controller = Controller(folder)
    controller.tell("start home")
    daemon = Daemon(folder, region(exitAfter=60))
    daemon.expect("didEnterRegion", within=15)
    return controller, daemon


def check_undisturbed(daemon):
    check(not daemon.events("didExitRegion"), "didExitRegion, though the beacon was there all the time")
    check(len(daemon.events("didEnterRegion")) == 1, "a second didEnterRegion")


@scenario(within=60)
def bluetoothd_starts_later(folder):
    """bluetoothd starts with the adapter, and thereby ends the daemon's scan."""
    controller, daemon = at_home(folder)
    bluez.unmask()
    began = len(controller.log("scan disabled"))
    run("systemctl", "start", bluez.SERVICE)
    controller.expect("scan disabled", 15, past=began)
    daemon.expect_sightings("after bluetoothd ended the scan", within=3)
    check_undisturbed(daemon)


@scenario(within=60)
def btmgmt_find(folder):
    """A discovery through the kernel runs at the same time, and ends."""
    controller, daemon = at_home(folder)
    # It needs an input to read from: see bluez.btmgmt.
    Process(folder, "find", ["btmgmt", "--index", "0", "find", "-l"], talks=True)
    controller.expect("scan enabled dup=1 active", within=10)
    ended = len(controller.log("scan disabled"))
    daemon.expect_sightings("during the discovery", within=3)
    controller.expect("scan disabled", 15, past=ended)
    daemon.expect_sightings("after the discovery", within=3)
    check_undisturbed(daemon)


@scenario(within=60)
def another_scanner(folder):
    """Another program scans with a duplicate filter, and disables the scan when it ends."""
    controller, daemon = at_home(folder)
    other = Process(folder, "other", [sys.executable, "-B", rival.__file__])
    controller.expect("scan enabled dup=1 active", within=10)
    daemon.expect_sightings("while another program scans", within=3)
    ended = len(controller.log("scan disabled"))
    other.stop(signal.SIGINT)
    controller.expect("scan disabled", 10, past=ended)
    daemon.expect_sightings("after the other program has ended", within=3)
    check_undisturbed(daemon)
