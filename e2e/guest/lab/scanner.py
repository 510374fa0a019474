"""Another program that scans by the kernel's management interface, as bluetoothd does for its clients, and Home Assistant's Bluetooth
integration with it: scanner.py active|passive. It prints a line for each report of a device, and ends when it is interrupted."""

import ctypes
import os
import select
import signal
import socket
import struct
import sys

from .processes import Process
from .waiting import wait_for

NAME = "scanner"
PR_SET_NAME = 15
# BlueZ, doc/mgmt-api.txt.
CHANNEL, NO_ADAPTER = 3, 0xFFFF
START_DISCOVERY, STOP_DISCOVERY, ADD_PATTERNS, REMOVE_MONITOR = 0x0023, 0x0024, 0x0052, 0x0053
COMMAND_COMPLETE, COMMAND_STATUS, DEVICE_FOUND, DISCOVERING, MONITOR_FOUND = 0x0001, 0x0002, 0x0012, 0x0013, 0x002F
# Low Energy, with public and with random addresses.
LOW_ENERGY = b"\x06"
# Manufacturer data that begin with Apple's number, which iBeacons have.
PATTERN = b"\x01" + struct.pack("<BBB31s", 0xFF, 0, 2, b"\x4C\x00")


class Scanner(Process):
    """The program in the background."""

    def __init__(self, folder, mode):
        super().__init__(folder, f"scanner-{mode}", [sys.executable, "-B", "-m", "lab.scanner", mode],
                         {**os.environ, "PYTHONPATH": "/mnt/host/guest"})

    def expect_found(self, what, within):
        """Fails unless the program receives more reports within so many seconds."""
        before = self.said().count("found\n")
        wait_for(f"reports for the other program {what}", lambda: self.said().count("found\n") > before, within)


class Management:
    """A socket of the management interface, for hci0."""

    def __init__(self):
        self.kernel = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
        # Python's own bind() has no parameter for the channel.
        address = struct.pack("<HHH", socket.AF_BLUETOOTH, NO_ADAPTER, CHANNEL)
        if ctypes.CDLL(None, use_errno=True).bind(self.kernel.fileno(), address, len(address)) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def send(self, opcode, parameters):
        self.kernel.send(struct.pack("<HHH", opcode, 0, len(parameters)) + parameters)

    def event(self):
        packet = self.kernel.recv(1024)
        return struct.unpack_from("<H", packet)[0], packet[6:]


def main(mode):
    # The runner finds the process by this name, if a scenario ends before it.
    ctypes.CDLL(None).prctl(PR_SET_NAME, NAME.encode(), 0, 0, 0)
    interrupted, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGINT, lambda *_: None)
    management = Management()
    handle = b""
    begin = (START_DISCOVERY, LOW_ENERGY) if mode == "active" else (ADD_PATTERNS, PATTERN)
    management.send(*begin)
    while interrupted not in select.select([management.kernel, interrupted], [], [])[0]:
        event, parameters = management.event()
        if event in (DEVICE_FOUND, MONITOR_FOUND):
            print("found", flush=True)
        elif event == DISCOVERING:
            print(f"discovering {parameters[1]}", flush=True)
            # The kernel ends each discovery after ten seconds.
            if parameters[1] == 0 and mode == "active":
                management.send(*begin)
        elif event in (COMMAND_COMPLETE, COMMAND_STATUS):
            opcode, status = struct.unpack_from("<HB", parameters)
            print(f"command {opcode:04x} status {status}", flush=True)
            if opcode == ADD_PATTERNS and status == 0:
                handle = parameters[3:5]
    management.send(*((STOP_DISCOVERY, LOW_ENERGY) if mode == "active" else (REMOVE_MONITOR, handle)))
    while management.event()[0] not in (COMMAND_COMPLETE, COMMAND_STATUS):
        pass


if __name__ == "__main__":
    main(sys.argv[1])
