"""A peripheral at home, on hci1."""

import sys

from . import bluez, lamp
from .processes import Process


class Peer(Process):
    """The lamp, in the air."""

    def __init__(self, folder, name="peer"):
        super().__init__(folder, name, [sys.executable, "-B", lamp.__file__], talks=True)
        self.address = bluez.address("hci1")
        self.expect_said("advertised", within=15)
