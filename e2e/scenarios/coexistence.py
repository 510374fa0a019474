"""Other programs use the same adapter: whatever they do to the scan, observations continue within 3 s."""

import signal
import sys

from lab import bluez, rival
from lab.controller import Controller
from lab.daemon import Daemon, region, seconds
from lab.processes import Process, run
from lab.registry import scenario
from lab.scanner import Scanner
from lab.waiting import check, check_took, wait_for


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


def check_both(daemon, other, when):
    """Both programs receive the beacon."""
    daemon.expect_sightings(when, within=3)
    other.expect_found(when, within=3)


def check_reported(daemon):
    """The daemon uses the other scan as it is, and `doctor` reports that."""
    wait_for("the scan of another program", lambda: daemon.status()["bluetooth"]["scan"]["reason"] == "otherProgram", within=10)
    said = daemon.ask("doctor", "--config", daemon.configuration)[1]
    check("another program scans with hci0 too" in said, f"doctor does not report the other program: {said}")


@scenario(within=120)
def management_discovery(folder):
    """Another program discovers devices by the management interface again and again, as bluetoothd does for Home Assistant: both
    receive the beacon, also after the daemon has ended, and after it has started during a discovery."""
    controller, daemon = at_home(folder)
    other = Scanner(folder, "active")
    controller.expect("scan enabled dup=1 active", within=10)
    check_both(daemon, other, "during the discovery")
    check_reported(daemon)
    other.expect_said("discovering 1", within=30, past=1)
    check_both(daemon, other, "during the next discovery")
    check_undisturbed(daemon)
    check(daemon.stop() == 0, "okaeri did not end well")
    other.expect_found("after the daemon has ended", within=3)
    other.expect_said("discovering 1", within=30, past=other.said().count("discovering 1"))
    again = Daemon(folder, region(exitAfter=60), name="again")
    again.expect("didDetermineState", within=15, state="inside")
    check_both(again, other, "after a start of the daemon during a discovery")
    # The kernel would not end a discovery that has lost its scan.
    other.expect_said("discovering 0", within=15, past=other.said().count("discovering 0"))
    other.expect_said("discovering 1", within=30, past=other.said().count("discovering 1"))
    check_both(again, other, "during the next discovery")
    ended = len(controller.log("scan disabled"))
    check(other.stop(signal.SIGINT) == 0, "the other program did not end well")
    controller.expect("scan disabled", 15, past=ended)
    again.expect_sightings("after the other program has ended", within=3)


@scenario(within=60)
def management_background(folder):
    """The kernel scans for one known device alone, as for a paired mouse: a daemon that starts meanwhile receives the beacon at once."""
    controller = Controller(folder)
    bluez.btmgmt("add-device", "-a", "2", "-t", "1", "02:00:00:00:00:99")
    controller.expect("scan enabled dup=1 passive", within=10)
    controller.tell("start home")
    daemon = Daemon(folder, region(exitAfter=60))
    on = seconds(daemon.expect_bluetooth("poweredOn", within=15))
    arrived = seconds(daemon.expect("didEnterRegion", within=15))
    check_took("to receive the beacon", arrived - on, within=3)


@scenario(within=90)
def management_monitor(folder):
    """Another program has the kernel look for patterns, as bluetoothd does for a passive scan of Home Assistant: both receive the beacon,
    and each still does after the other one has ended."""
    controller, daemon = at_home(folder)
    other = Scanner(folder, "passive")
    other.expect_said("command 0052 status 0")
    check_both(daemon, other, "while the kernel looks for a pattern")
    check_undisturbed(daemon)
    check(daemon.stop() == 0, "okaeri did not end well")
    other.expect_found("after the daemon has ended", within=3)
    again = Daemon(folder, region(exitAfter=60), name="again")
    again.expect("didDetermineState", within=15, state="inside")
    check_both(again, other, "after a restart of the daemon")
    check(other.stop(signal.SIGINT) == 0, "the other program did not end well")
    again.expect_sightings("after the other program has ended", within=3)
