"""Changes of the radios and of NetworkManager's settings for a scenario. The runner reverts them before the next one."""

import os

from .processes import run
from .waiting import wait_for

DEVICES = ("wlan0", "wlan1", "wlan2")

# The value that the kernel's simulator adds to a radio's transmit power, in dBm: other radios receive the sum. Its minimum is
# -100, so a weak radio needs a small transmit power as well.
USUAL_SIGNAL = -50
WEAK_POWER = 10

# NetworkManager's settings for a scenario, in the last file by name, which takes precedence.
SETTINGS = "/etc/NetworkManager/conf.d/scenario.conf"

# This file exists if a change must be reverted.
CHANGED = "/run/radios-changed"


def weaken(device, signal):
    """Sets the signal at which every other radio receives this one, in dBm."""
    mark_changed()
    run("iw", "dev", device, "set", "txpower", "fixed", str(WEAK_POWER * 100))
    simulate_signal(device, signal - WEAK_POWER)


def simulate_signal(device, signal):
    """Sets the value that the kernel's simulator adds to a radio's transmit power, in dBm."""
    with open(f"/sys/kernel/debug/ieee80211/{radio(device)}/hwsim/rx_rssi", "w", encoding="utf-8") as file:
        # The file accepts no sign: the kernel casts the lower half of an unsigned number.
        file.write(str(signal % 2**64))


def radio(device):
    """Returns the name of a device's radio, such as `phy0`."""
    with open(f"/sys/class/net/{device}/phy80211/name", encoding="utf-8") as file:
        return file.read().strip()


def drop_handshakes(device):
    """Drops the handshake frames that a radio receives, as a noisy channel does."""
    mark_changed()
    run("tc", "qdisc", "add", "dev", device, "clsact")
    run("tc", "filter", "add", "dev", device, "ingress", "protocol", "0x888e", "matchall", "action", "drop")


def move_away(device, namespace):
    """Moves a radio to a new network namespace, so that traffic to it goes over the air and not through this kernel."""
    mark_changed()
    run("ip", "netns", "add", namespace)
    run("iw", "phy", radio(device), "set", "netns", "name", namespace)


def configure_manager(section, settings):
    """Adds to NetworkManager's settings."""
    mark_changed()
    with open(SETTINGS, "w", encoding="utf-8") as file:
        file.write(f"[{section}]\n{settings}\n")
    run("nmcli", "general", "reload", "conf")


def mark_changed():
    """Notes that a change must be reverted."""
    with open(CHANGED, "w", encoding="utf-8"):
        pass


def are_changed():
    """Whether a change must be reverted."""
    return os.path.exists(CHANGED)


def restore():
    """Reverts the changes of a scenario. NetworkManager and the programs in the namespace must have stopped."""
    for namespace in run("ip", "netns", "list").splitlines():
        run("ip", "netns", "delete", namespace.split()[0])
    for device in DEVICES:
        # The kernel returns the radios of a deleted namespace a little later.
        wait_for(device, lambda device=device: os.path.exists(f"/sys/class/net/{device}"), within=10)
        run("tc", "qdisc", "del", "dev", device, "clsact", may_fail=True)
        # An access point may remain after its hostapd has ended.
        run("ip", "link", "set", device, "down")
        run("iw", "dev", device, "set", "type", "managed")
        run("iw", "dev", device, "set", "txpower", "auto")
        simulate_signal(device, USUAL_SIGNAL)
    if os.path.exists(SETTINGS):
        os.remove(SETTINGS)
    os.remove(CHANGED)
