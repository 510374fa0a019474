"""The page of a household, for the pictures of README.md and docs: the stage of scripts/pictures."""

import json
import os
import shutil
import time

from lab import clock, wifi
from lab.controller import Controller
from lab.daemon import PROGRAM, STATE, Daemon
from lab.processes import run
from lab.registry import stage
from lab.waiting import check, wait_for

# The folder that e2e/pictures/household.py has made for each language.
HOUSEHOLDS = "/mnt/host/households"
NETWORK = "HomeNet"


def content(path):
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


def household(folder, language, controller):
    """The day is replayed into the history; then the service's daemon monitors the adapter, and the host takes the pictures."""
    place = f"{HOUSEHOLDS}/{language}"
    os.environ["TZ"] = content(f"{place}/zone")
    shutil.rmtree(STATE, ignore_errors=True)
    regions = json.loads(content(f"{place}/beacons.json"))["regions"]
    key = regions[0]["phone"]
    shutil.copyfile(f"{place}/{os.path.basename(key)}", key)
    os.chmod(key, 0o600)
    day = Daemon(
        folder, *regions, name=f"day-{language}",
        options=("--capture", f"{place}/day.btsnoop", "--speed", "20000", "--wifi", "simulated"))
    wait_for("the end of the day", lambda: day.warnings("has ended"), within=240)
    check(day.stop() == 0, "the replay did not end well")

    clock.leap(int(content(f"{place}/moment")) - time.time())
    for instruction in content(f"{place}/air").splitlines():
        controller.tell(instruction)
    daemon = Daemon(folder, *regions, name=f"okaeri-{language}", more={"web": {"listen": "10.0.2.15:8080"}})
    daemon.expect_bluetooth("poweredOn", within=120)
    states = ["inside", "inside", "inside", "outside"]
    wait_for("the regions", lambda: [region["state"] for region in daemon.status()["regions"]] == states, within=120)
    printed, said = daemon.ask("web", "link", "--plain")
    link = next((line for line in said.splitlines() if "#login=" in line), None)
    check(printed == 0 and link, f"there is no link: {said}")
    with open(f"{folder}/link.new", "w", encoding="utf-8") as file:
        file.write(f"{link}\n")
    os.rename(f"{folder}/link.new", f"{folder}/link-{language}")
    wait_for("the pictures", lambda: os.path.exists(f"{folder}/taken-{language}"), within=600)
    check(content(f"{folder}/taken-{language}") == "ok", "the pictures were not taken")
    run(PROGRAM, "plot", "--socket", daemon.socket, "--output", f"{folder}/day-{language}.svg")
    check(daemon.stop() == 0, "it did not end well")


@stage(within=1500)
def pictures(folder):
    """A household in each language, on the Wi-Fi of its home."""
    wifi.AccessPoint(folder, ssid=NETWORK)
    wifi.save_profile(ssid=NETWORK)
    run("nmcli", "connection", "up", "home")
    run("ip", "address", "replace", "10.0.2.15/24", "dev", "eth0")
    run("ip", "link", "set", "eth0", "up")
    controller = Controller(folder)
    for language in sorted(os.listdir(HOUSEHOLDS)):
        household(folder, language, controller)
