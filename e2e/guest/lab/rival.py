"""A program that scans as if nobody else did: it ends whatever scan there is, filters duplicates, and switches the scan
off when it is interrupted."""

import ctypes
import signal
import socket
import struct

NAME = "rival"
PR_SET_NAME = 15
SCAN_PARAMETERS, SCAN_ENABLE = 0x200B, 0x200C


def command(opcode, *parameters):
    """An HCI command as it goes over a raw socket."""
    return struct.pack("<BHB", 1, opcode, len(parameters)) + bytes(parameters)


def main():
    # Under its name it is found when a scenario ends before it has ended this.
    ctypes.CDLL(None).prctl(PR_SET_NAME, NAME.encode(), 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as adapter:
        adapter.bind((0,))
        adapter.send(command(SCAN_ENABLE, 0, 0))
        adapter.send(command(SCAN_PARAMETERS, 1, 0x10, 0, 0x10, 0, 0, 0))
        adapter.send(command(SCAN_ENABLE, 1, 1))
        signal.sigwait({signal.SIGINT})
        adapter.send(command(SCAN_ENABLE, 0, 0))


if __name__ == "__main__":
    main()
