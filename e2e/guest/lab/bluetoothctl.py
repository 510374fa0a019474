"""BlueZ's own command line as the central: it shares no code with the project."""

import json
import re

from . import bluez
from .processes import Process, run
from .waiting import check, wait_for


class Bluetoothctl(Process):
    """bluetoothctl on that adapter, told what to do line by line. While it runs it is the agent that is asked on pairing."""

    def __init__(self, folder, adapter, name="bluetoothctl"):
        super().__init__(folder, name, ["bluetoothctl"], talks=True)
        self.adapter = adapter
        self.expect_said("Agent registered")
        self.tell(f"select {bluez.address(adapter)}")

    def find(self, address, within=20):
        """Looks for a peripheral until it is found; the path of its object."""
        path = f"/org/bluez/{self.adapter}/dev_{address.replace(':', '_')}"
        refusal = "Failed to start discovery"
        refused = self.said().count(refusal)
        self.tell("scan on")

        def is_found():
            nonlocal refused
            # So it is where the kernel's commands and those of another scan cross: it is asked again, as anybody would.
            if self.said().count(refusal) > refused:
                refused += 1
                self.tell("scan on")
            return "org.bluez.Device1" in objects().get(path, {})

        wait_for(f"{path} in the air", is_found, within)
        self.tell("scan off")
        return path

    def connect(self, device):
        """Connects it and waits until its services are known."""
        past = self.said().count("Connection successful")
        self.tell(f"connect {get(device, 'org.bluez.Device1', 'Address')}")
        self.expect_said("Connection successful", within=15, past=past)
        wait_for("its services", lambda: get(device, "org.bluez.Device1", "ServicesResolved"), within=15)

    def subscribe(self, characteristic):
        """To what is notified or indicated, of the device that is connected; bluetoothctl prints the last of them."""
        past = self.said().count("Notify started")
        self.tell("menu gatt")
        self.tell(f"select-attribute {characteristic}")
        self.tell("notify on")
        self.expect_said("Notify started", past=past)
        self.tell("back")

    def told(self, characteristic):
        """The values of the characteristic that it has printed, as text."""
        plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]|[\x01\x02]", "", self.said()).replace("\r", "\n")
        # The prompt ends with # in 5.66, with > in 5.82.
        lines = [line for line in plain.splitlines() if not re.fullmatch(r"(\[[^]]*\][#>] ?)?", line)]
        values = re.findall(rf"Attribute {characteristic} Value:\n((?:  [0-9a-f]{{2}} .*\n)+)", "\n".join([*lines, ""]))
        return [
            b"".join(bytes.fromhex(line[2:50]) for line in value.splitlines()).decode(errors="replace")
            for value in values
        ]

    def expect_told(self, characteristic, text, within=10, past=0):
        wait_for(f"{text!r} from {characteristic}", lambda: self.told(characteristic).count(text) > past, within)

    def pair(self, device):
        """As somebody who compares the numbers and agrees."""
        asked, paired = self.said().count("Confirm passkey"), self.said().count("Pairing successful")
        self.tell(f"pair {get(device, 'org.bluez.Device1', 'Address')}")
        self.expect_said("Confirm passkey", within=15, past=asked)
        self.tell("yes")
        self.expect_said("Pairing successful", within=15, past=paired)


def objects():
    """All objects of bluetoothd."""
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
    """The path of the characteristic, and its properties."""
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
    """A call on a characteristic that is to fail; it need not be answered at all: see `forget`."""

    def __init__(self, folder, path, method, *arguments):
        super().__init__(folder, method, ["busctl", "call", "org.bluez", path, "org.bluez.GattCharacteristic1", method,
                                          *arguments])

    @property
    def has_succeeded(self):
        return self.process.poll() == 0


def forget(adapter, device):
    """bluetoothd knows nothing of the device any more, and finds it anew.

    Whoever calls on a characteristic and loses the link for it, as pairing is refused, is left without an answer by
    bluetoothd 5.82, and each later call finds the first one in progress.
    """
    run("busctl", "call", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1", "RemoveDevice", "o", device)


def value(path):
    """What was read or told last."""
    return bytes(get(path, "org.bluez.GattCharacteristic1", "Value")).decode()


def writing(text, kind="request"):
    """The arguments of a call that writes."""
    data = [str(byte) for byte in text.encode()]
    return ["aya{sv}", str(len(data)), *data, "1", "type", "s", kind]


def write(path, text, kind="request"):
    """What bluetoothd says to it: nothing where it was taken."""
    return run("busctl", "call", "org.bluez", path, "org.bluez.GattCharacteristic1", "WriteValue", *writing(text, kind),
               may_fail=True)
