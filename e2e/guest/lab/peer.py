"""A peripheral at home, on hci1."""

import re
import sys

from . import bluez, lamp
from .processes import Process, run

# Remote Device Terminated Connection due to Power Off (Core Specification, Vol 1, Part F, 2.21).
POWER_OFF = "15"


class Peer(Process):
    """Starts the lamp, which advertises."""

    def __init__(self, folder, name="peer"):
        super().__init__(folder, name, [sys.executable, "-B", lamp.__file__], talks=True)
        self.address = bluez.address("hci1")
        self.expect_said("advertised", within=60)

    def vanish(self):
        """Removes the peripheral's radio at once, without a disconnection by its bluetoothd or the lamp."""
        self.tell("away")
        handle = re.search(r"handle (\d+)", run("hcitool", "-i", "hci1", "con"))
        low, high = int(handle[1]).to_bytes(2, "little")
        run("hcitool", "-i", "hci1", "cmd", "0x01", "0x0006", f"{low:02x}", f"{high:02x}", POWER_OFF)
