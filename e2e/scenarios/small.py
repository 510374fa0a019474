"""A small machine: the resources of the service, measured by the stage of scripts/small-machine, and the limit of a hook."""

import json
import os
import statistics
import time

from lab.controller import Controller
from lab.daemon import region
from lab.pace import Limit
from lab.processes import run
from lab.registry import scenario, stage
from lab.waiting import check, wait_for

from package import CONFIGURATION, PROGRAM, journal, shipped, state

# The number of beacons, each of which advertises once a second, and the duration in seconds.
BEACONS, SECONDS = 500, 60
CALLS = 20

# A hook that at once needs more memory than the unit gives: a hook has ten seconds.
HUNGRY = ["dd", "if=/dev/zero", "of=/dev/null", "bs=500M", "count=1"]


def process():
    return run("systemctl", "show", "--property=MainPID", "--value", "okaeri")


def memory(pid):
    """Returns kilobytes: resident, of it private, and of that anonymous."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        kept = {line.split(":")[0]: int(line.split()[1]) for line in file if line.endswith("kB\n")}
    return kept["Rss"], kept["Private_Clean"] + kept["Private_Dirty"], kept["Anonymous"]


def used(pid):
    """Returns the processor time so far in seconds: proc_pid_stat(5), fields 14 and 15."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def took(*command):
    """Returns the median duration of a command in milliseconds."""
    def once():
        began = time.monotonic()
        run(*command)
        return (time.monotonic() - began) * 1000
    return statistics.median(once() for _ in range(CALLS))


@stage(within=900)
def small(folder):
    """The service as shipped, without a beacon and with five hundred beacons."""
    def note(what, figure):
        with open(f"{folder}/table", "a", encoding="utf-8") as file:
            file.write(f"| {what} | {figure} |\n")

    controller = Controller(folder)
    run("dpkg", "-i", shipped(), within=240)
    with open(CONFIGURATION, "w", encoding="utf-8") as file:
        json.dump({"regions": [region(ranging=True)]}, file)
    run("systemctl", "stop", "okaeri")
    began = time.monotonic()
    run("systemctl", "start", "okaeri")
    note("start, until systemd knows it ready", f"{time.monotonic() - began:.1f} s")
    wait_for("its answer", lambda: state() is not None, within=30)
    pid = process()
    note("resident, private, anonymous; without a beacon", "{} kB, {} kB, {} kB".format(*memory(pid)))

    count = BEACONS * SECONDS
    controller.tell("windows off")
    controller.tell(f"flood count={count} addresses={BEACONS} rate={BEACONS} include=home kind=beacons")
    controller.expect("flood started", within=10)
    wait_for("home inside", lambda: state() == "inside", within=30)
    before, began, limit = used(pid), time.monotonic(), Limit(SECONDS / 3)
    while not limit.is_over():
        time.sleep(0.5)
    share = (used(pid) - before) / (time.monotonic() - began)
    note(f"processor, {BEACONS} reports a second", f"{share:.1%} of the emulated core")
    note("`okaeri status` then", f"{took(PROGRAM, 'status'):.0f} ms")
    note("`systemctl is-active`, to compare", f"{took('systemctl', 'is-active', 'okaeri'):.0f} ms")
    controller.expect("flood done", within=SECONDS * 3)
    note(f"resident, private, anonymous; after {count} reports", "{} kB, {} kB, {} kB".format(*memory(pid)))
    note("tasks", run("systemctl", "show", "--property=TasksCurrent", "--value", "okaeri"))
    note("memory of the unit, now and at most", " ".join(
        run("systemctl", "show", f"--property={name}", "--value", "okaeri") for name in ("MemoryCurrent", "MemoryPeak")))
    check(process() == pid, "the service was started again")


@scenario(within=480)
def hook_takes_all_memory(folder):
    """The kernel kills a hook that uses all memory, and nothing else: the service and later hooks run on."""
    controller = Controller(folder)
    run("dpkg", "-i", shipped(), within=240)
    try:
        left = "/var/lib/okaeri/left"
        with open(CONFIGURATION, "w", encoding="utf-8") as file:
            json.dump({"regions": [region(onEnter=HUNGRY, onExit=["touch", left])]}, file)
        run("systemctl", "restart", "okaeri")
        pid = process()
        controller.tell("start home")
        wait_for("home inside", lambda: state() == "inside", within=20)
        wait_for("the hook's end, in the log", lambda: "signal 9" in journal(), within=60)
        controller.tell("stop home")
        wait_for("the next hook", lambda: os.path.exists(left), within=30)
        check(process() == pid, "the service was started again")
    finally:
        run("dpkg", "--purge", "okaeri", within=240)
