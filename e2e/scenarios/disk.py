"""The disk fails: the daemon goes on watching the regions, and stores the events when the disk has space again."""

from lab import disk
from lab.controller import Controller
from lab.daemon import STATE, Daemon, region
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check, wait_for

NO_STATE, NO_HISTORY = "the state cannot be stored", "the history is not written"
STATE_AGAIN, HISTORY_AGAIN = "the state is stored again", "the history is written again"


def come_and_go(controller, daemon):
    """The beacon leaves and comes back, and the daemon publishes both events."""
    exits, enters = len(daemon.events("didExitRegion")), len(daemon.events("didEnterRegion"))
    controller.tell("stop home")
    daemon.expect("didExitRegion", within=15, past=exits)
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=5, past=enters)


def check_trouble(daemon):
    """The daemon logs the problem once, and the status shows it."""
    wait_for("a word of it", lambda: daemon.warnings(NO_STATE) and daemon.warnings(NO_HISTORY), within=5)
    for words in (NO_STATE, NO_HISTORY):
        check(daemon.warnings(words) == 1, f"'{words}' was said {daemon.warnings(words)} times")
    kept = daemon.status()["kept"]
    check(kept.get("problem") and kept.get("historyProblem"), f"the status says nothing: {kept}")
    check("NOT KEPT" in daemon.ask("status")[1], "the status has no word for people")


def check_recovery(controller, daemon):
    """With the next event the daemon stores all events, and logs that once."""
    come_and_go(controller, daemon)
    for words in (STATE_AGAIN, HISTORY_AGAIN):
        wait_for(words, lambda words=words: daemon.warnings(words), within=15)
        check(daemon.warnings(words) == 1, f"'{words}' was said {daemon.warnings(words)} times")
    wait_for("the history", lambda: daemon.history() == daemon.events(), within=5)
    kept = daemon.status()["kept"]
    check(not kept.get("problem") and not kept.get("historyProblem"), f"the status complains still: {kept}")


def at_home(folder):
    """The region is inside, and the daemon stores its state and history on the disk."""
    disk.insert()
    controller = Controller(folder)
    controller.tell("start home")
    daemon = Daemon(folder, region())
    daemon.expect("didEnterRegion", within=10)
    wait_for("the history", lambda: daemon.history() == daemon.events(), within=5)
    return controller, daemon


@scenario(within=120)
def disk_full(folder):
    """The disk is full while the daemon runs, and later has space again."""
    controller, daemon = at_home(folder)
    disk.fill()
    come_and_go(controller, daemon)
    check_trouble(daemon)
    disk.free()
    check_recovery(controller, daemon)
    check(daemon.stop() == 0, "okaeri did not end well on SIGTERM")


@scenario(within=120)
def disk_read_only_from_the_start(folder):
    """The disk is read-only, as after a boot whose check of the disk failed; later it is writable."""
    disk.insert()
    run("mount", "-o", "remount,ro", STATE)
    controller = Controller(folder)
    controller.tell("start home")
    daemon = Daemon(folder, region())
    daemon.expect("didEnterRegion", within=10)
    come_and_go(controller, daemon)
    check_trouble(daemon)
    disk.mend()
    check_recovery(controller, daemon)
    check(daemon.stop() == 0, "okaeri did not end well on SIGTERM")


@scenario(within=120)
def disk_fails(folder):
    """The kernel makes the disk read-only while the daemon writes; later it is writable.

    SQLite may not notice: the kernel caches writes to an open file until it can write them.
    """
    controller, daemon = at_home(folder)
    disk.fail()
    come_and_go(controller, daemon)
    wait_for("a word of it", lambda: daemon.warnings(NO_STATE), within=5)
    check(daemon.status()["kept"].get("problem"), "the status says nothing")
    disk.mend()
    come_and_go(controller, daemon)
    wait_for("a word of the end of it", lambda: daemon.warnings(STATE_AGAIN), within=5)
    wait_for("the history", lambda: daemon.history() == daemon.events(), within=15)
    for words in (NO_STATE, STATE_AGAIN):
        check(daemon.warnings(words) == 1, f"'{words}' was said {daemon.warnings(words)} times")
    check(daemon.stop() == 0, "okaeri did not end well on SIGTERM")
