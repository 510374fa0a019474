"""BlueZ's own command line as the central: it shares no code with the project."""

import json

from .processes import Process, run
from .waiting import check, wait_for


class Bluetoothctl(Process):
    """bluetoothctl, told what to do line by line. While it runs it is also the agent that agrees to pairing."""

    def __init__(self, folder, adapter):
        super().__init__(folder, "bluetoothctl", ["bluetoothctl", "--agent", "NoInputNoOutput"], talks=True)
        self.adapter = adapter
        self.expect_said("Agent registered")
        self.tell(f"select {self.address(adapter)}")
        self.tell("default-agent")
        self.expect_said("Default agent request successful")

    @staticmethod
    def address(adapter):
        return get(f"/org/bluez/{adapter}", "org.bluez.Adapter1", "Address")

    def find(self, name):
        """Looks for a peripheral until it is found; the path of its object."""
        self.tell("menu scan")
        self.tell("transport le")
        self.tell("back")
        self.tell("scan on")
        path = wait_for(f"a peripheral called {name}", lambda: self.device(name), within=15)
        self.tell("scan off")
        return path

    def device(self, name):
        for path, interfaces in objects().items():
            device = interfaces.get("org.bluez.Device1")
            if path.startswith(f"/org/bluez/{self.adapter}/") and device and device.get("Name", {}).get("data") == name:
                return path
        return None


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


def connect(device):
    """Connects it and waits until its services are known."""
    run("busctl", "call", "org.bluez", device, "org.bluez.Device1", "Connect")
    wait_for("its services", lambda: get(device, "org.bluez.Device1", "ServicesResolved"), within=15)


def pair(device):
    run("busctl", "call", "org.bluez", device, "org.bluez.Device1", "Pair")


def characteristic(device, uuid):
    """The path of the characteristic, and its properties."""
    for path, interfaces in objects().items():
        found = interfaces.get("org.bluez.GattCharacteristic1")
        if found and path.startswith(device + "/") and found["UUID"]["data"] == uuid.lower():
            return path, found["Flags"]["data"]
    return None, None


def read(path):
    answer = run("busctl", "--json=short", "call", "org.bluez", path, "org.bluez.GattCharacteristic1", "ReadValue",
                 "a{sv}", "0")
    try:
        return bytes(json.loads(answer)["data"][0]).decode()
    except ValueError:
        check(False, f"not read: {answer}")


def write(path, text, kind="request"):
    """What bluetoothd says to it: nothing where it was taken."""
    data = [str(byte) for byte in text.encode()]
    return run("busctl", "call", "org.bluez", path, "org.bluez.GattCharacteristic1", "WriteValue", "aya{sv}",
               str(len(data)), *data, "1", "type", "s", kind, may_fail=True)
