"""Stops by SIGTERM and SIGKILL, and the next start."""

import signal

from lab.controller import Controller
from lab.daemon import Daemon, region
from lab.registry import scenario
from lab.waiting import check, wait_for


@scenario(within=60)
def clean_stop(folder):
    """SIGTERM disables the scan."""
    controller = Controller(folder)
    daemon = Daemon(folder, region())
    daemon.expect_bluetooth("poweredOn", within=10)
    wait_for("the scan", lambda: controller.is_scanning, within=5)
    check(daemon.stop() == 0, "okaeri did not end well on SIGTERM")
    wait_for("the end of the scan", lambda: not controller.is_scanning, within=2)


@scenario(within=60)
def killed_and_started_again(folder):
    """SIGKILL leaves the scan enabled and the socket in place; neither disturbs the next start, and there is no second enter
    event."""
    controller = Controller(folder)
    controller.tell("start home")
    daemon = Daemon(folder, region())
    daemon.expect("didEnterRegion", within=10)
    wait_for("the kept arrival", lambda: daemon.keeps("inside"), within=5)
    daemon.stop(signal.SIGKILL)
    check(controller.is_scanning, "there is nothing left behind to cope with")
    again = Daemon(folder, region(), name="again")
    again.expect("didDetermineState", within=10, state="inside")
    again.expect_sightings("after the restart", within=3)
    check(not again.events("didEnterRegion"), "a second didEnterRegion")
