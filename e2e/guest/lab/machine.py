"""The state of the machine at the start of each scenario, whatever the last one has left."""

import glob
import os
import shutil
import signal

from . import bluez, clock, daemon, disk, portal, rival, scanner, wifi
from .processes import run

# The programs that scenarios start.
PROGRAMS = {
    "okaeri", "btvirt", "virtual-controller", "WatchRegion", "hostapd", "dnsmasq", "hcitool", "btmgmt", "btmon",
    "bluetoothctl", "mosquitto", "mosquitto_sub", portal.NAME, rival.NAME, scanner.NAME,
}

SERVICE_SETTINGS = "/run/systemd/system/okaeri.service.d"


def prepare():
    """Prepares the machine once after the boot: loads the radios."""
    run("modprobe", "hci_vhci")
    run("modprobe", "mac80211_hwsim", "radios=3")
    # The service would restore the block of the last scenario's adapter.
    run("systemctl", "mask", "--runtime", "--now", "systemd-rfkill.socket", "systemd-rfkill.service")
    # Makes the service run the program of its package, and not the scenarios' program in /usr/local/bin.
    os.makedirs(SERVICE_SETTINGS, exist_ok=True)
    with open(f"{SERVICE_SETTINGS}/packaged.conf", "w", encoding="utf-8") as file:
        file.write("[Service]\nExecSearchPath=/usr/bin:/usr/sbin\n")
    run("systemctl", "daemon-reload")


def number():
    """The number of this machine among those that share the scenarios; "" if there is no other."""
    with open("/proc/cmdline", encoding="utf-8") as file:
        return next((word.partition("=")[2] for word in file.read().split() if word.startswith("okaeri.machine=")), "")


def running():
    """Returns the processes that scenarios have started."""
    names = {program[:15] for program in PROGRAMS}
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/comm", encoding="utf-8") as file:
                if file.read().strip() in names:
                    yield int(process)
        except (FileNotFoundError, ProcessLookupError):
            continue


def describe_threads(path):
    """Writes the stack and state of each thread and the sockets of the running programs to a file, to explain why a scenario
    hangs."""
    with open(path, "w", encoding="utf-8") as file:
        for process in running():
            for what in (f"/proc/{process}/cmdline", *glob.glob(f"/proc/{process}/task/*/stack"),
                         *glob.glob(f"/proc/{process}/task/*/syscall"), *glob.glob(f"/proc/{process}/task/*/stat")):
                try:
                    with open(what, encoding="utf-8", errors="replace") as status:
                        file.write(f"{what}\n{status.read()}\n".replace("\0", " "))
                except OSError:
                    continue


def reset(name):
    """Resets the machine before a scenario: stops all programs of scenarios and bluetoothd, removes the adapters and all
    stored state, sets the clock, and starts NetworkManager."""
    clock.set_right()
    for process in running():
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    disk.remove()
    shutil.rmtree(daemon.STATE, ignore_errors=True)
    bluez.mask()
    # The bonds of paired devices, and the cached services of other devices.
    shutil.rmtree("/var/lib/bluetooth", ignore_errors=True)
    run("rfkill", "unblock", "all")
    wifi.begin(name)
