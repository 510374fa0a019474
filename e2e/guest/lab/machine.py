"""The state that every scenario finds, whatever the one before has left behind."""

import glob
import os
import shutil
import signal

from . import bluez, clock, daemon, disk, portal, rival, wifi
from .processes import run

# What scenarios start.
PROGRAMS = {
    "okaeri", "btvirt", "virtual-controller", "WatchRegion", "hostapd", "dnsmasq", "hcitool", "btmgmt", "btmon",
    "bluetoothctl", "mosquitto", "mosquitto_sub", portal.NAME, rival.NAME,
}

SERVICE_SETTINGS = "/run/systemd/system/okaeri.service.d"


def prepare():
    """Once after the boot: the radios."""
    run("modprobe", "hci_vhci")
    run("modprobe", "mac80211_hwsim", "radios=3")
    # It would block the next scenario's adapter as the last one's was.
    run("systemctl", "mask", "--runtime", "--now", "systemd-rfkill.socket", "systemd-rfkill.service")
    # The service is to run what its package brought, and not the scenarios' own program in /usr/local/bin.
    os.makedirs(SERVICE_SETTINGS, exist_ok=True)
    with open(f"{SERVICE_SETTINGS}/packaged.conf", "w", encoding="utf-8") as file:
        file.write("[Service]\nExecSearchPath=/usr/bin:/usr/sbin\n")
    run("systemctl", "daemon-reload")


def running():
    """The processes of what scenarios start."""
    names = {program[:15] for program in PROGRAMS}
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/comm", encoding="utf-8") as file:
                if file.read().strip() in names:
                    yield int(process)
        except (FileNotFoundError, ProcessLookupError):
            continue


def describe_threads(path):
    """What each thread of what runs waits for, and what came to its sockets: for somebody who asks why a scenario hangs."""
    with open(path, "w", encoding="utf-8") as file:
        for process in running():
            for what in (f"/proc/{process}/cmdline", *glob.glob(f"/proc/{process}/task/*/stack"),
                         *glob.glob(f"/proc/{process}/task/*/syscall"), *glob.glob(f"/proc/{process}/task/*/stat")):
                try:
                    with open(what, encoding="utf-8", errors="replace") as told:
                        file.write(f"{what}\n{told.read()}\n".replace("\0", " "))
                except OSError:
                    continue


def reset(name):
    """Before the scenario of that name: nothing of ours runs, no bluetoothd, no adapter, nothing kept, the clock is right;
    NetworkManager runs."""
    clock.set_right()
    for process in running():
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    disk.remove()
    shutil.rmtree(daemon.STATE, ignore_errors=True)
    bluez.mask()
    # Who has paired, and what services others had.
    shutil.rmtree("/var/lib/bluetooth", ignore_errors=True)
    run("rfkill", "unblock", "all")
    wifi.begin(name)
