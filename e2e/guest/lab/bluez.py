"""bluetoothd, as Debian ships it, and the adapters it is given."""

import json
import os

from .processes import run
from .waiting import wait_for

SERVICE = "bluetooth.service"
# There while nobody may start it. systemd reads all its units anew when that changes, which takes seconds.
MASK = f"/run/systemd/system/{SERVICE}"


def mask():
    """bluetoothd does not run, and nobody starts it."""
    if not os.path.lexists(MASK):
        run("systemctl", "mask", "--runtime", SERVICE)
    # It complains where systemd has never heard of it.
    run("systemctl", "stop", SERVICE, may_fail=True)


def unmask():
    """It may be started."""
    if os.path.lexists(MASK):
        run("systemctl", "unmask", "--runtime", SERVICE)


def start(adapters=("hci0", "hci1"), mtu=None):
    """bluetoothd runs and has switched on the adapters. With an MTU it agrees on no larger one.

    They do Low Energy only. Those of btvirt do not connect otherwise, as bluetoothd tries after pairing, and of such a
    failure Debian's kernel 6.1.192 falls over: "list_del corruption" in hci_chan_del.
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
    """Switches an adapter on or off, as soon as bluetoothd knows it."""
    path = f"/org/bluez/{adapter}"
    wait_for(
        f"{adapter} switched {'on' if is_on else 'off'}",
        lambda: run("busctl", "set-property", "org.bluez", path, "org.bluez.Adapter1", "Powered", "b",
                    "true" if is_on else "false", may_fail=True) == "", within=20)


def let_pair(adapter, may):
    """Whether others may pair with that adapter."""
    run("busctl", "set-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1", "Pairable", "b",
        "true" if may else "false")


def btmgmt(*arguments):
    """Carries out a command of btmgmt on hci0. It has a pipe to read from: where epoll cannot watch its standard input, as
    /dev/null, btmgmt 5.82 does nothing, for ever."""
    run("sh", "-c", 'true | btmgmt --index 0 "$@"', "sh", *arguments)


def advertisements(adapter):
    """How many advertisements bluetoothd has on that adapter."""
    answer = run("busctl", "--json=short", "get-property", "org.bluez", f"/org/bluez/{adapter}",
                 "org.bluez.LEAdvertisingManager1", "ActiveInstances", may_fail=True)
    try:
        return json.loads(answer)["data"]
    except ValueError:
        return 0


def address(adapter):
    """The adapter's address, as others see it."""
    answer = run("busctl", "--json=short", "get-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1",
                 "Address")
    return json.loads(answer)["data"]


def is_discovering(adapter):
    """Whether bluetoothd looks for devices with that adapter."""
    answer = run("busctl", "--json=short", "get-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1",
                 "Discovering")
    return json.loads(answer)["data"]
