"""The stage of scripts/card: what a quiet home writes to the card in an hour, counted where the kernel writes it."""

import json
import os
import time

from lab.controller import Controller
from lab.daemon import UUID, region
from lab.processes import run
from lab.registry import stage
from lab.waiting import check, wait_for

from package import CONFIGURATION, shipped, state

HOST = "/mnt/host"
KEPT = "/var/lib/okaeri"
# A disk of its own, so that nothing else in the machine is counted.
IMAGE = "/run/card.img"
# What a quiet home may write in an hour, in bytes.
BAR = 1_000_000


def insert_card():
    """An ext4 as a card has it, where the service keeps its state; returns the device's name."""
    run("truncate", "-s", "64M", IMAGE)
    # All of it now: the kernel would go on making it for a while.
    run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", IMAGE)
    device = run("losetup", "--find", "--show", IMAGE)
    run("mkdir", "-p", KEPT)
    run("mount", device, KEPT)
    return device.removeprefix("/dev/")


def counted(device):
    """Bytes written, and how often: Documentation/block/stat.rst."""
    with open(f"/sys/block/{device}/stat", encoding="ascii") as file:
        fields = file.read().split()
    return int(fields[6]) * 512, int(fields[4])


@stage(within=5400)
def card(folder):
    """Somebody is at home, with a beacon once a second, for as many minutes as the host wants."""
    with open(f"{HOST}/minutes", encoding="ascii") as file:
        minutes = int(file.read())
    device = insert_card()
    controller = Controller(folder)
    run("dpkg", "-i", shipped(), within=120)
    home = region()
    # As it is without a word: learned.
    del home["exitAfter"]
    with open(CONFIGURATION, "w", encoding="utf-8") as file:
        json.dump({"regions": [home]}, file)
    run("systemctl", "restart", "okaeri")
    controller.tell(f"beacon person uuid={UUID} major=100 minor=100 rssi=-70 interval=1s")
    controller.tell("start person")
    wait_for("home inside", lambda: state() == "inside", within=30)
    kept = {"state.json", "history.sqlite"}
    wait_for("what is kept, on the card", lambda: kept <= set(os.listdir(KEPT)), within=10)

    run("sync")
    bytes_before, writes_before = counted(device)
    for minute in range(1, minutes + 1):
        time.sleep(60)
        if minute == minutes:
            run("sync")
        size, writes = counted(device)
        with open(f"{folder}/table", "a", encoding="utf-8") as file:
            file.write(f"{minute:3} min {(size - bytes_before) / 1000:8.1f} kB in {writes - writes_before:4} writes\n")
    check(state() == "inside", "home is not inside any more")
    an_hour = (size - bytes_before) * 60 / minutes
    check(an_hour <= BAR, f"{an_hour / 1000:.1f} kB an hour")
