"""BlueZ's own emulator, to test the HCI codec against code that the project does not share."""

import os
import threading
import time

from .processes import Process, run
from .waiting import Failure, wait_for

# An advertisement as a beacon sends it: flags, then Apple's frame.
HOME = bytes.fromhex("02011a" "1aff4c000215" "e2c56db5dffb48d2b060d0f5a71096e0" "0064" "0064" "c5")


class Btvirt(Process):
    """LE controllers in one room, two by default (`count`): hci0 scans, hci1 is the beacon.

    btvirt reports an advertiser once each time it starts, so a device that must be found starts again and again. Adapters
    for pairing are off until bluetoothd has started: the kernel enables pairing only at bluetoothd's request.
    """

    def __init__(self, folder, count=2, is_up=True):
        self.adapters = [f"hci{number}" for number in range(count)]
        # Tries a second time if the kernel was quicker: btvirt then takes its first command for the expected answer, and loses
        # it. The kernel does not set up such an adapter, and bluetoothd never finds it.
        for is_last in (False, False, True):
            super().__init__(folder, "btvirt", ["btvirt", f"-l{count}"])
            try:
                wait_for("btvirt's adapters set up", self.are_set_up, within=5)
                break
            except Failure:
                if is_last:
                    raise
                self.kill()
                wait_for("no adapter", lambda: not os.listdir("/sys/class/bluetooth"), within=15)
        self.beacon = None
        self.folder = folder
        for adapter in self.adapters if is_up else ():
            wait_for(
                f"{adapter} up",
                lambda adapter=adapter: run("hciconfig", adapter, "up", may_fail=True) == "", within=10)

    def are_set_up(self):
        """Whether the kernel has read all capabilities of an adapter."""
        return all(os.path.exists(f"/sys/kernel/debug/bluetooth/{adapter}/features") for adapter in self.adapters)

    def advertise(self):
        """Starts the beacon."""
        data = [f"{byte:02x}" for byte in bytes([len(HOME)]) + HOME.ljust(31, b"\0")]
        run("hcitool", "-i", "hci1", "cmd", "0x08", "0x0008", *data)
        enable = "hcitool -i hci1 cmd 0x08 0x000a"
        self.beacon = Process(
            self.folder, "beacon", ["sh", "-c", f"while {enable} 01; do sleep 0.5; {enable} 00; done"])

    def fall_silent(self):
        """Stops the beacon."""
        self.beacon.kill()
        run("hcitool", "-i", "hci1", "cmd", "0x08", "0x000a", "00")

    def repeat(self, adapter="hci1"):
        """Restarts bluetoothd's advertisement on an adapter again and again while no device is connected to it, because a radio
        repeats it."""
        threading.Thread(target=self._repeat, args=[adapter], daemon=True).start()

    def _repeat(self, adapter):
        command = ("hcitool", "-i", adapter, "cmd", "0x08", "0x0039")
        while self.is_running:
            if "handle" not in run("hcitool", "-i", adapter, "con", may_fail=True):
                run(*command, "00", "00", may_fail=True)
                run(*command, "01", "01", "01", "00", "00", "00", may_fail=True)
            time.sleep(0.5)
