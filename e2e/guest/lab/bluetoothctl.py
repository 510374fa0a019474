"""BlueZ's own command line as the central: it shares no code with the project."""

import json
import re

from . import bluez
from .processes import Process, run
from .waiting import check, wait_for


class Bluetoothctl(Process):
    """bluetoothctl on an adapter; its input is one command a line. While it runs, it is the agent for pairing."""

    def __init__(self, folder, adapter, name="bluetoothctl"):
        super().__init__(folder, name, ["bluetoothctl"], talks=True)
        self.adapter = adapter
        self.expect_said("Agent registered")
        self.tell(f"select {bluez.address(adapter)}")

    def find(self, address, within=20):
        """Scans until the peripheral is found; returns the path of its object."""
        path = f"/org/bluez/{self.adapter}/dev_{address.replace(':', '_')}"
        refusal = "Failed to start discovery"
        refused = self.said().count(refusal)
        self.tell("scan on")

        def is_found():
            nonlocal refused
            # BlueZ refuses if the kernel's commands and those of another scan overlap. The request is repeated then.
            if self.said().count(refusal) > refused:
                refused += 1
                self.tell("scan on")
            return "org.bluez.Device1" in objects().get(path, {})

        wait_for(f"{path} in the air", is_found, within)
        self.tell("scan off")
        return path

    def connect(self, device):
        """Connects a device and waits until its services are known."""
        past = self.said().count("Connection successful")
        self.tell(f"connect {get(device, 'org.bluez.Device1', 'Address')}")
        self.expect_said("Connection successful", within=15, past=past)
        wait_for("its services", lambda: get(device, "org.bluez.Device1", "ServicesResolved"), within=15)

    def subscribe(self, characteristic):
        """Subscribes to the notifications or indications of the connected device; bluetoothctl prints those of the last
        subscription."""
        past = self.said().count("Notify started")
        self.tell("menu gatt")
        self.tell(f"select-attribute {characteristic}")
        self.tell("notify on")
        self.expect_said("Notify started", past=past)
        self.tell("back")

    def unsubscribe(self, characteristic):
        """Ends the subscription to the connected device."""
        past = self.said().count("Notify stopped")
        self.tell("menu gatt")
        self.tell(f"select-attribute {characteristic}")
        self.tell("notify off")
        self.expect_said("Notify stopped", past=past)
        self.tell("back")

    def values(self, characteristic):
        """Returns the printed values of the characteristic as text."""
        plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]|[\x01\x02]", "", self.said()).replace("\r", "\n")
        # The prompt ends with # in 5.66, with > in 5.82.
        lines = [line for line in plain.splitlines() if not re.fullmatch(r"(\[[^]]*\][#>] ?)?", line)]
        values = re.findall(rf"Attribute {characteristic} Value:\n((?:  [0-9a-f]{{2}} .*\n)+)", "\n".join([*lines, ""]))
        return [
            b"".join(bytes.fromhex(line[2:50]) for line in value.splitlines()).decode(errors="replace")
            for value in values
        ]

    def expect_value(self, characteristic, text, within=10, past=0):
        wait_for(f"{text!r} from {characteristic}", lambda: self.values(characteristic).count(text) > past, within)

    def pair(self, device):
        """Confirms the pairing, as the user does after comparing the numbers."""
        asked, paired = self.said().count("Confirm passkey"), self.said().count("Pairing successful")
        self.tell(f"pair {get(device, 'org.bluez.Device1', 'Address')}")
        self.expect_said("Confirm passkey", within=15, past=asked)
        self.tell("yes")
        self.expect_said("Pairing successful", within=15, past=paired)


def objects():
    """Returns all objects of bluetoothd."""
    answer = run("busctl", "--json=short", "call", "org.bluez", "/", "org.freedesktop.DBus.ObjectManager",
                 "GetManagedObjects", may_fail=True)
    try:
        return json.loads(answer)["data"][0]
    except ValueError:
        return {}


def get(path, interface, name):
    answer = run("busctl", "--json=short", "get-property", "org.bluez", path, interface, name)
    return json.loads(answer)["data"]


def characteristic(device, uuid):
    """Returns the path of the characteristic and its properties."""
    for path, interfaces in objects().items():
        found = interfaces.get("org.bluez.GattCharacteristic1")
        if found and path.startswith(device + "/") and found["UUID"]["data"] == uuid.lower():
            return path, found["Flags"]["data"]
    return None, None


def read(path, offset=0):
    answer = run("busctl", "--json=short", "call", "org.bluez", path, "org.bluez.GattCharacteristic1", "ReadValue",
                 "a{sv}", "1", "offset", "q", str(offset))
    try:
        return bytes(json.loads(answer)["data"][0]).decode()
    except ValueError:
        check(False, f"not read: {answer}")


class Attempt(Process):
    """Calls a method of a characteristic that must fail. bluetoothd may send no answer at all: see `forget`."""

    def __init__(self, folder, path, method, *arguments):
        super().__init__(folder, method, ["busctl", "call", "org.bluez", path, "org.bluez.GattCharacteristic1", method,
                                          *arguments])

    @property
    def has_succeeded(self):
        return self.process.poll() == 0


def forget(adapter, device):
    """Deletes the device in bluetoothd, which finds it again later.

    If pairing is refused during a call, the link ends and bluetoothd 5.82 never answers the call. Each later call then fails
    with "in progress".
    """
    run("busctl", "call", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1", "RemoveDevice", "o", device)


def value(path):
    """Returns the last value that was read or notified."""
    return bytes(get(path, "org.bluez.GattCharacteristic1", "Value")).decode()


def writing(text, kind="request"):
    """Returns the arguments of a call that writes."""
    data = [str(byte) for byte in text.encode()]
    return ["aya{sv}", str(len(data)), *data, "1", "type", "s", kind]


def write(path, text, kind="request"):
    """Returns bluetoothd's error for the call, or an empty string if it succeeded."""
    return run("busctl", "call", "org.bluez", path, "org.bluez.GattCharacteristic1", "WriteValue", *writing(text, kind),
               may_fail=True)
