"""A small disk of its own for the daemon's state, to be filled and to be made read-only."""

import os

from . import daemon
from .processes import run
from .waiting import wait_for

IMAGE = "/run/state.img"
FILL = f"{daemon.STATE}/fill"


def insert():
    """An ext4 as a card has it, where the daemon keeps its state."""
    run("truncate", "-s", "8M", IMAGE)
    run("mkfs.ext4", "-q", "-m", "0", IMAGE)
    os.makedirs(daemon.STATE, exist_ok=True)
    run("mount", "-o", "loop", IMAGE, daemon.STATE)


def remove():
    """Takes it away, whoever uses it."""
    if os.path.ismount(daemon.STATE):
        run("umount", "--lazy", daemon.STATE)
        os.remove(IMAGE)


def fill():
    """Leaves not a byte."""
    with open(FILL, "wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    run("sync")


def free():
    """Leaves as much room as there was."""
    os.remove(FILL)
    run("sync")


def options(place):
    """How it is mounted."""
    with open("/proc/mounts", encoding="utf-8") as file:
        return next(line.split()[3].split(",") for line in file if line.split()[1] == place)


def fail():
    """Read-only from one moment to the next, whoever writes: as the kernel makes a card that fails.

    The kernel does it to all disks at once. The machine's own is made writable again at once.
    """
    with open("/proc/sysrq-trigger", "w", encoding="ascii") as trigger:
        trigger.write("u")
    wait_for("read-only disks", lambda: all("ro" in options(place) for place in (daemon.STATE, "/")), within=10)
    run("mount", "-o", "remount,rw", "/")


def mend():
    """Writable again."""
    run("mount", "-o", "remount,rw", daemon.STATE)
