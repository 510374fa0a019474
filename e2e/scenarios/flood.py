"""More advertisements than the daemon can store or read."""

import signal

from lab.controller import Controller
from lab.daemon import Daemon, region
from lab.registry import scenario
from lab.waiting import check, wait_for

COUNT = 20_000

# A daemon that stored every address of a flood would soon exceed this, in KiB.
MOST_MEMORY = 64 * 1024


def resident(process):
    """Returns the present memory, in KiB."""
    with open(f"/proc/{process.process.pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


@scenario(within=120)
def flood(folder):
    """20,000 reports from 5,000 addresses at full speed, the home beacon among them."""
    controller = Controller(folder)
    daemon = Daemon(folder, region())
    daemon.expect_bluetooth("poweredOn", within=10)
    before = resident(daemon)
    controller.tell("windows off")
    controller.tell(f"flood count={COUNT} addresses=5000 rate=max include=home kind=beacons")
    controller.expect("flood started", within=5)
    daemon.expect("didEnterRegion", within=60)
    controller.expect("flood done", within=60)
    wait_for("every report counted or known to be dropped", lambda: accounted(daemon) >= COUNT, within=10)
    check(resident(daemon) < MOST_MEMORY, f"{before} KiB became {resident(daemon)} KiB")
    controller.tell("start home")
    daemon.expect_sightings("after the flood", within=3)


@scenario(within=120)
def flood_while_asleep(folder):
    """A daemon that is stopped for a while loses advertisements: it counts them, and continues."""
    controller = Controller(folder)
    daemon = Daemon(folder, region())
    daemon.expect_bluetooth("poweredOn", within=10)
    daemon.process.send_signal(signal.SIGSTOP)
    controller.tell("windows off")
    controller.tell(f"flood count={COUNT} addresses=5000 rate=max kind=beacons")
    controller.expect("flood done", within=60)
    daemon.process.send_signal(signal.SIGCONT)
    wait_for("every report counted or known to be dropped", lambda: accounted(daemon) >= COUNT, within=20)
    check(daemon.status()["counters"]["dropped"] > 0, "nothing was dropped: the flood was not a test")
    check("Dropped" in daemon.ask("status")[1], "okaeri status does not tell of it")
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=5)


def accounted(daemon):
    counters = daemon.status()["counters"]
    return counters["reports"] + counters["dropped"]
