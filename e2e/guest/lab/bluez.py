"""bluetoothd, as Debian ships it, and its adapters."""

import json
import os

from .processes import run
from .waiting import wait_for

SERVICE = "bluetooth.service"
# Exists while bluetoothd must not start. systemd reads all its units again after a change, which takes seconds.
MASK = f"/run/systemd/system/{SERVICE}"


def mask():
    """Stops bluetoothd, and keeps other programs from starting it."""
    if not os.path.lexists(MASK):
        run("systemctl", "mask", "--runtime", SERVICE)
    # systemctl fails if systemd has never loaded the unit.
    run("systemctl", "stop", SERVICE, may_fail=True)


def unmask():
    """Allows bluetoothd to start."""
    if os.path.lexists(MASK):
        run("systemctl", "unmask", "--runtime", SERVICE)


def start(adapters=("hci0", "hci1"), mtu=None):
    """Starts bluetoothd, which switches on the adapters. `mtu` is the largest MTU that it accepts.

    The adapters support Low Energy only. After pairing, bluetoothd tries another transport, which btvirt's adapters refuse,
    and Debian's kernel 6.1.192 crashes at such a failure: "list_del corruption" in hci_chan_del.
    """
    with open("/etc/bluetooth/main.conf", "w", encoding="utf-8") as file:
        file.write("[General]\nControllerMode = le\n")
        file.write(f"[GATT]\nExchangeMTU = {mtu}\nChannels = 1\n" if mtu else "")
    unmask()
    run("systemctl", "start", SERVICE)
    for adapter in adapters:
        power(adapter, True)


def stop():
    run("systemctl", "stop", SERVICE)


def power(adapter, is_on):
    """Switches an adapter on or off as soon as bluetoothd has found it."""
    path = f"/org/bluez/{adapter}"
    wait_for(
        f"{adapter} switched {'on' if is_on else 'off'}",
        lambda: run("busctl", "set-property", "org.bluez", path, "org.bluez.Adapter1", "Powered", "b",
                    "true" if is_on else "false", may_fail=True) == "", within=20)


def let_pair(adapter, may):
    """Sets whether other devices may pair with the adapter."""
    run("busctl", "set-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1", "Pairable", "b",
        "true" if may else "false")


def btmgmt(*arguments):
    """Runs a command of btmgmt on hci0. Its input is a pipe: btmgmt 5.82 hangs forever if epoll cannot watch its standard
    input, as with /dev/null."""
    run("sh", "-c", 'true | btmgmt --index 0 "$@"', "sh", *arguments)


def advertisements(adapter):
    """Returns the number of bluetoothd's advertisements on the adapter."""
    answer = run("busctl", "--json=short", "get-property", "org.bluez", f"/org/bluez/{adapter}",
                 "org.bluez.LEAdvertisingManager1", "ActiveInstances", may_fail=True)
    try:
        return json.loads(answer)["data"]
    except ValueError:
        return 0


def address(adapter):
    """Returns the adapter's address, as other devices receive it."""
    answer = run("busctl", "--json=short", "get-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1",
                 "Address")
    return json.loads(answer)["data"]


def is_discovering(adapter):
    """Whether bluetoothd discovers devices with the adapter."""
    answer = run("busctl", "--json=short", "get-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1",
                 "Discovering")
    return json.loads(answer)["data"]
