"""An adapter as a phone: with an identity resolving key of its own, it is on the air under private addresses."""

import ctypes
import os
import socket
import struct

from . import bluez
from .waiting import check

# The management interface of the kernel (BlueZ, doc/mgmt-api.txt).
CHANNEL, NO_ADAPTER = 3, 0xFFFF
SET_PRIVACY, COMMAND_COMPLETE, COMMAND_STATUS = 0x002F, 0x0001, 0x0002


def enable(adapter, key):
    """Has the adapter use private addresses of the key, 16 bytes with the least significant byte first."""
    bluez.power(adapter, False)
    status = command(SET_PRIVACY, int(adapter[3:]), b"\x01" + key)
    check(status == 0, f"Set Privacy ended with {status}")
    bluez.power(adapter, True)


def command(opcode, index, parameters):
    """Sends a management command and returns its status."""
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as kernel:
        # Python's own bind() has no parameter for the channel.
        address = struct.pack("<HHH", socket.AF_BLUETOOTH, NO_ADAPTER, CHANNEL)
        if ctypes.CDLL(None, use_errno=True).bind(kernel.fileno(), address, len(address)) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        kernel.settimeout(10)
        kernel.send(struct.pack("<HHH", opcode, index, len(parameters)) + parameters)
        while True:
            answer = kernel.recv(1024)
            event, _, _, answered, status = struct.unpack("<HHHHB", answer[:9].ljust(9, b"\0"))
            if event in (COMMAND_COMPLETE, COMMAND_STATUS) and answered == opcode:
                return status
