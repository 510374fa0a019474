"""A small disk for the daemon's state, which a scenario can fill and make read-only."""

import os

from . import daemon
from .processes import run
from .waiting import wait_for

IMAGE = "/run/state.img"
FILL = f"{daemon.STATE}/fill"


def insert():
    """Mounts an ext4 file system, as an SD card has it, at the daemon's state directory."""
    run("truncate", "-s", "8M", IMAGE)
    run("mkfs.ext4", "-q", "-m", "0", IMAGE)
    os.makedirs(daemon.STATE, exist_ok=True)
    run("mount", "-o", "loop", IMAGE, daemon.STATE)


def remove():
    """Unmounts the disk, even if programs use it."""
    if os.path.ismount(daemon.STATE):
        run("umount", "--lazy", daemon.STATE)
        os.remove(IMAGE)


def fill():
    """Fills the disk to the last byte."""
    with open(FILL, "wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    run("sync")


def free():
    """Frees the space again."""
    os.remove(FILL)
    run("sync")


def options(place):
    """Returns the mount options of the disk."""
    with open("/proc/mounts", encoding="utf-8") as file:
        return next(line.split()[3].split(",") for line in file if line.split()[1] == place)


def fail():
    """Makes the disk read-only at once, even while programs write to it, as the kernel does with a failing card.

    The kernel makes all disks read-only. The machine's own disk is made writable again at once.
    """
    with open("/proc/sysrq-trigger", "w", encoding="ascii") as trigger:
        trigger.write("u")
    wait_for("read-only disks", lambda: all("ro" in options(place) for place in (daemon.STATE, "/")), within=10)
    run("mount", "-o", "remount,rw", "/")


def mend():
    """Makes the disk writable again."""
    run("mount", "-o", "remount,rw", daemon.STATE)
