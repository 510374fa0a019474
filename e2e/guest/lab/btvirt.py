"""BlueZ's own emulator as a second opinion on our codec. It shares no code with the project."""

import os
import threading
import time

from .processes import Process, run
from .waiting import Failure, wait_for

# An advertisement as a beacon on a shelf sends it: flags, then Apple's frame.
HOME = bytes.fromhex("02011a" "1aff4c000215" "e2c56db5dffb48d2b060d0f5a71096e0" "0064" "0064" "c5")


class Btvirt(Process):
    """LE controllers in one room, two unless `count` says otherwise: hci0 listens, hci1 is the beacon.

    It reports an advertiser once each time the advertiser starts, so whoever is to be found starts over and over. Those that
    bluetoothd is to pair with are not up before it: the kernel makes ready for pairing only when it is told by bluetoothd.
    """

    def __init__(self, folder, count=2, is_up=True):
        self.adapters = [f"hci{number}" for number in range(count)]
        # A second time where the kernel was quicker: btvirt takes its first command for the answer that it waits for, and
        # loses it. Such an adapter is not set up, and bluetoothd never learns of it.
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
        """The kernel shows what an adapter can do when it has asked it everything."""
        return all(os.path.exists(f"/sys/kernel/debug/bluetooth/{adapter}/features") for adapter in self.adapters)

    def advertise(self):
        """The beacon appears."""
        data = [f"{byte:02x}" for byte in bytes([len(HOME)]) + HOME.ljust(31, b"\0")]
        run("hcitool", "-i", "hci1", "cmd", "0x08", "0x0008", *data)
        enable = "hcitool -i hci1 cmd 0x08 0x000a"
        self.beacon = Process(
            self.folder, "beacon", ["sh", "-c", f"while {enable} 01; do sleep 0.5; {enable} 00; done"])

    def fall_silent(self):
        """The beacon is gone."""
        self.beacon.kill()
        run("hcitool", "-i", "hci1", "cmd", "0x08", "0x000a", "00")

    def repeat(self):
        """What bluetoothd advertises on hci1 is heard again and again while nobody is connected, as a radio's is."""
        threading.Thread(target=self._repeat, daemon=True).start()

    def _repeat(self):
        command = ("hcitool", "-i", "hci1", "cmd", "0x08", "0x0039")
        while self.is_running:
            if "handle" not in run("hcitool", "-i", "hci1", "con", may_fail=True):
                run(*command, "00", "00", may_fail=True)
                run(*command, "01", "01", "01", "00", "00", "00", may_fail=True)
            time.sleep(0.5)
