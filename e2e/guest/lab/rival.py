"""A program that scans and ignores other programs: it ends any scan, filters duplicates, and disables the scan when it is
interrupted."""

import ctypes
import signal
import socket
import struct

NAME = "rival"
PR_SET_NAME = 15
SCAN_PARAMETERS, SCAN_ENABLE = 0x200B, 0x200C


def command(opcode, *parameters):
    """An HCI command as a raw socket sends it."""
    return struct.pack("<BHB", 1, opcode, len(parameters)) + bytes(parameters)


def main():
    # The runner finds the process by this name, if a scenario ends before it.
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
