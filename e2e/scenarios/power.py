"""The stages of scripts/power-cut: a machine whose power is cut while the service runs."""

import json

from lab.controller import Controller
from lab.daemon import region
from lab.processes import run
from lab.registry import stage
from lab.waiting import check, wait_for

from package import CONFIGURATION, PROGRAM, shipped, state

READY = "/mnt/host/ready"


def check_health():
    """Checks that the service has started, and that its state and history can be read."""
    wait_for("the service", lambda: run("systemctl", "is-active", "okaeri", may_fail=True) == "active", within=60)
    wait_for("its answer", lambda: state() is not None, within=30)
    events = [json.loads(line) for line in run(PROGRAM, "history", "--json").splitlines()]
    kept = run("ls", "-1", "/var/lib/okaeri").splitlines()
    check(not any("corrupt" in name for name in kept), f"something was set aside: {kept}")
    return events


@stage(within=240)
def power_cut_before(folder):
    """Installs the service and checks that it works."""
    run("dpkg", "-i", shipped(), within=120)
    with open(CONFIGURATION, "w", encoding="utf-8") as file:
        json.dump({"regions": [region(ranging=True)]}, file)
    run("systemctl", "restart", "okaeri")
    Controller(folder).tell("start home")
    wait_for("home inside", lambda: state() == "inside", within=30)
    check(check_health(), "the history is empty")
    run("sync")


@stage(within=600)
def power_cut_during(folder):
    """Checks the service after the last cut, and moves the beacon in and out until the next."""
    check(check_health(), "the history has lost everything")
    controller = Controller(folder)
    with open(READY, "w", encoding="utf-8"):
        pass
    while True:
        controller.tell("start home")
        wait_for("home inside", lambda: state() == "inside", within=30)
        controller.tell("stop home")
        wait_for("home outside", lambda: state() == "outside", within=30)


@stage(within=120)
def power_cut_after(folder):
    """Checks the service after the last cut."""
    check(check_health(), "the history has lost everything")
