"""A peripheral at home, on hci1."""

import subprocess
import sys

from . import bluez, lamp
from .processes import Process
from .waiting import wait_for


class Peer(Process):
    """The lamp, in the air."""

    def __init__(self, folder, name="peer"):
        super().__init__(folder, name, [sys.executable, "-B", lamp.__file__], stdin=subprocess.PIPE)
        self.address = bluez.address("hci1")
        self.expect("advertised", within=15)

    def expect(self, words, within, past=0):
        """It says so, beyond the `past` times that it has."""
        wait_for(f"the peripheral's '{words}'", lambda: self.said().count(words) > past, within)

    def tell(self, instruction):
        """What it understands: see lamp.py."""
        self.process.stdin.write(f"{instruction}\n".encode())
        self.process.stdin.flush()
