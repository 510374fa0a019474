"""The wall clock is set: the daemon publishes no enter or exit because of it, and the stored times stay right."""

import signal

from lab import clock
from lab.controller import Controller
from lab.daemon import Daemon, region
from lab.registry import scenario
from lab.waiting import check, holds, wait_for

WORD = "events have the new time"


def tells_the_time(daemon):
    """Waits until an event has the present time of the clock."""
    count = len(daemon.events("didRangeBeacons"))
    daemon.expect("didRangeBeacons", within=5, past=count + 1)


def crossings(daemon):
    """Returns the enter and exit events of the daemon, in order."""
    return [event["event"] for event in daemon.events() if event["event"] in ("didEnterRegion", "didExitRegion")]


def check_history(daemon):
    """Checks that the history has all printed events, in the same order."""
    printed = [event for event in daemon.events() if event["event"] != "didRangeBeacons"]
    check(daemon.history()[-len(printed):] == printed, "the history differs from the printed events")


@scenario(within=60)
def clock_leaps(folder):
    """The clock is set by a year or two, in both directions, while the region is inside."""
    controller = Controller(folder)
    controller.tell("start home")
    daemon = Daemon(folder, region(ranging=True))
    daemon.expect("didEnterRegion", within=10)
    for number, years in enumerate((-2, 2, 1), start=1):
        clock.leap(years * clock.YEAR)
        wait_for("a word of it", lambda number=number: daemon.warnings(WORD) >= number, within=5)
        tells_the_time(daemon)
        check(daemon.warnings(WORD) == number, f"said {daemon.warnings(WORD)} times after {number} leaps")
    check(crossings(daemon) == ["didEnterRegion"], f"events: {crossings(daemon)}")

    controller.tell("stop home")
    daemon.expect("didExitRegion", within=15)
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=5, past=1)
    check_history(daemon)
    daemon.stop(signal.SIGKILL)

    clock.set_right()
    again = Daemon(folder, region(ranging=True), name="again")
    again.expect("didRangeBeacons", within=10)
    check(again.status()["kept"]["start"] == "restored", f"the kept state is {again.status()['kept']}")
    check(not crossings(again), f"events: {crossings(again)} after a restart")
    check(again.stop() == 0, "okaeri did not end well on SIGTERM")


@scenario(within=60)
def clock_set_after_boot(folder):
    """A machine without a clock of its own boots in the year 2000, until it receives the time from the network."""
    controller = Controller(folder)
    controller.tell("start home")
    before = Daemon(folder, region(), boot="1" * 32)
    before.expect("didEnterRegion", within=10)
    wait_for("the kept arrival", lambda: before.keeps("inside"), within=5)
    before.stop(signal.SIGKILL)

    clock.leap(-26 * clock.YEAR)
    daemon = Daemon(folder, region(ranging=True), name="booted", boot="2" * 32)
    daemon.expect("didRangeBeacons", within=10)
    check(daemon.status()["kept"]["start"] == "restored", f"the kept state is {daemon.status()['kept']}")
    check(daemon.warnings(WORD) == 0, "said that the clock was set when it was not")
    clock.set_right()
    wait_for("a word of it", lambda: daemon.warnings(WORD), within=5)
    tells_the_time(daemon)
    check(daemon.warnings(WORD) == 1, f"said {daemon.warnings(WORD)} times")
    check(not crossings(daemon), f"events: {crossings(daemon)}")
    check_history(daemon)
    daemon.stop(signal.SIGKILL)

    # The next boot has the right time.
    again = Daemon(folder, region(ranging=True), name="again", boot="3" * 32)
    again.expect("didRangeBeacons", within=10)
    check(not crossings(again), f"events: {crossings(again)} after the next boot")
