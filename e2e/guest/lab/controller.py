"""The project's own controller: hci0, with the beacon `home` ready to start."""

import datetime
import os

from .daemon import UUID
from .processes import Process, run
from .waiting import wait_for

CONTROL = "/run/controller"
BEACON = f"beacon home uuid={UUID} major=100 minor=100 rssi=-60 interval=100ms"


class Controller(Process):
    """A virtual controller that receives instructions during the scenario. The README of virtual-controller describes their
    format."""

    def __init__(self, folder, extended=False, is_up=True, number=0, has_le=True):
        """`number`: the index of the adapter, for several controllers, which must be made in this order."""
        self.adapter = f"hci{number}"
        self.control = f"{CONTROL}-{number}" if number else CONTROL
        if os.path.exists(self.control):
            os.unlink(self.control)
        command = ["virtual-controller", "--control", self.control, "--verbose", "--address", f"02:00:00:00:00:0{number + 1}"]
        super().__init__(
            folder, f"controller-{number}" if number else "controller",
            [*command, *(["--extended"] if extended else []), *([] if has_le else ["--no-le"])])
        wait_for("the controller", lambda: self.log(f"controller {self.adapter} created"), within=10)
        self.tell(BEACON)
        if is_up:
            self.switch_on()

    def tell(self, instruction):
        """Sends an instruction to the controller."""
        with open(self.control, "w", encoding="utf-8") as control:
            control.write(instruction + "\n")

    def switch_on(self):
        """Switches the adapter on, as bluetoothd does."""
        wait_for(
            f"{self.adapter} up", lambda: run("hciconfig", self.adapter, "up", may_fail=True) == "", within=10)

    def log(self, words):
        """Returns the times of the log's lines that begin with these words, in seconds since the epoch."""
        with open(self.output, encoding="utf-8") as file:
            lines = [line.partition(" ") for line in file]
        return [
            datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
            for time, _, text in lines if text.startswith(words)
        ]

    def expect(self, words, within, past=0):
        """Waits for the next line that begins with these words, after the first `past` ones; returns its time."""
        return wait_for(f"the controller's '{words}'", lambda: self.log(words)[past:], within)[0]

    @property
    def is_scanning(self):
        """Whether the host has enabled the scan."""
        with open(self.output, encoding="utf-8") as file:
            changes = [line for line in file if " scan enabled" in line or " scan disabled" in line]
        return bool(changes) and " scan enabled" in changes[-1]
