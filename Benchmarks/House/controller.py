"""A controller with the devices of a house in range: controller.py FD REGIONS PHONES RATE. Benchmarks/House/measure runs it.

It answers the commands that arrive on the socket FD. Once the scan is on it sends so many advertising reports a second: each region's
tag advertises once a second, each phone twice, and neighbors with random addresses send the rest. The tags of the last regions are
absent until a line of the standard input, each of which adds one; it prints the time of the tag's first report.
"""

import heapq
import pathlib
import random
import select
import socket
import struct
import sys
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import captures

OWNER = uuid.UUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
NEIGHBOR = uuid.UUID("5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34")
READ_LOCAL_SUPPORTED_COMMANDS, LE_SET_SCAN_ENABLE = 0x1002, 0x200C
# The number of regions whose tags arrive later.
VISITORS = 5


def key(phone):
    """Returns the identity resolving key of a phone."""
    return random.Random(f"phone {phone}").randbytes(16)


def private_address(phone):
    """Returns a resolvable private address of a phone (Core Specification, Vol 6, Part B, 1.3.2.2), as it is sent."""
    part = random.randbytes(2) + bytes([0x40 | random.randrange(64)])
    hashed = encrypt(key(phone), bytes(13) + part[::-1])[-3:]
    return hashed[::-1] + part


def encrypt(secret, block):
    """Encrypts a block with AES-128."""
    import ctypes
    library = ctypes.CDLL("libnettle.so.8")
    context, output = ctypes.create_string_buffer(512), ctypes.create_string_buffer(16)
    library.nettle_aes128_set_encrypt_key(context, secret)
    library.nettle_aes128_encrypt(context, 16, output, block)
    return output.raw


class Air:
    """The devices, and the times of their next advertisements."""

    def __init__(self, regions, phones, rate):
        self.queue = []
        tags = [tag(number) for number in range(regions - VISITORS)]
        phones = [captures.Report(private_address(number), b"\x02\x01\x1a\x0a\xff\x4c\x00\x10\x05\x01\x18\x00\x00\x00")
                  for number in range(phones)]
        # A house at rest.
        if rate == 0:
            tags, phones = [], []
        self.neighbors = max(0, int((rate - len(tags) - 2 * len(phones)) / 2))
        neighbors = [captures.Report(random.randbytes(5) + b"\xc0", captures.ibeacon(NEIGHBOR, 1, number))
                     for number in range(self.neighbors)]
        now = time.monotonic()
        for devices, interval in ((tags, 1), (phones, 0.5), (neighbors, 0.5)):
            for device in devices:
                self.add(device, now + random.uniform(0, interval), interval)

    def add(self, device, due, interval):
        heapq.heappush(self.queue, (due, id(device), device, interval))

    def take(self, now):
        """Returns a packet that is due; `None` without one."""
        if not self.queue or self.queue[0][0] > now:
            return None
        due, _, device, interval = heapq.heappop(self.queue)
        # The random delay of an advertising interval.
        self.add(device, due + interval + random.uniform(-0.005, 0.005), interval)
        return device.packet(random.randint(-70, -60))


def tag(number):
    return captures.Report(struct.pack("<IH", number, 0xC000), captures.ibeacon(OWNER, 1, number))


def answer(stream, command):
    """Answers a command with success. Returns whether the scan is on from now on."""
    opcode, = struct.unpack_from("<H", command, 1)
    result = bytes(65 if opcode == READ_LOCAL_SUPPORTED_COMMANDS else 1)
    stream.send(b"\x04\x0e" + bytes([3 + len(result), 1]) + command[1:3] + result)
    return opcode == LE_SET_SCAN_ENABLE and command[4] == 1


def main():
    stream = socket.socket(fileno=int(sys.argv[1]))
    regions, phones, rate = map(int, sys.argv[2:5])
    # A receiver that sends no commands is not waited for.
    is_scanning, visitor = "--now" in sys.argv, regions - VISITORS
    air = Air(regions, phones, rate)
    while True:
        now = time.monotonic()
        while is_scanning and (packet := air.take(now)):
            stream.send(packet)
        wait = max(0, air.queue[0][0] - time.monotonic()) if is_scanning and air.queue else None
        for source in select.select([stream, 0], [], [], wait)[0]:
            if source == 0:
                if not sys.stdin.readline():
                    return
                now = time.monotonic()
                stream.send(tag(visitor).packet(-65))
                print(f"{now:.6f}", flush=True)
                air.add(tag(visitor), now + 1, 1)
                visitor += 1
                continue
            try:
                command = stream.recv(512)
            except ConnectionResetError:
                return
            if not command:
                return
            is_scanning = answer(stream, command) or is_scanning


if __name__ == "__main__":
    main()
