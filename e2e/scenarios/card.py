"""The stage of scripts/card: the bytes that a quiet home writes to the card in an hour, as the kernel counts them."""

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
# A disk of its own, so that no other writes are counted.
IMAGE = "/run/card.img"
# The limit in an hour, in bytes.
BAR = 1_000_000


def insert_card():
    """Mounts an ext4 file system, as an SD card has it, at the service's state directory; returns the device's name."""
    run("truncate", "-s", "64M", IMAGE)
    # Initializes all of it now: otherwise the kernel would do so for a while.
    run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", IMAGE)
    device = run("losetup", "--find", "--show", IMAGE)
    run("mkdir", "-p", KEPT)
    run("mount", device, KEPT)
    return device.removeprefix("/dev/")


def counted(device):
    """Returns the written bytes and the number of writes: Documentation/block/stat.rst."""
    with open(f"/sys/block/{device}/stat", encoding="ascii") as file:
        fields = file.read().split()
    return int(fields[6]) * 512, int(fields[4])


@stage(within=5400)
def card(folder):
    """A beacon inside advertises once a second, for as many minutes as the host requests."""
    with open(f"{HOST}/minutes", encoding="ascii") as file:
        minutes = int(file.read())
    device = insert_card()
    controller = Controller(folder)
    run("dpkg", "-i", shipped(), within=120)
    home = region()
    # The default: the exit time is learned.
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
