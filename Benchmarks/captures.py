"""Writes captures: btsnoop files of H4 packets, whose LE Advertising Reports contain iBeacons or other data."""

import struct

# 1970 in btsnoop's own time, in microseconds; and the header of each packet.
UNIX_EPOCH = 0x00DCDDB30F2F8000
RECORD = struct.Struct(">IIIIq")
H4, FROM_CONTROLLER_EVENT = 1002, 3


class Report:
    """Returns an LE Advertising Report of ADV_NONCONN_IND from a random address, without its last byte, the signal."""

    def __init__(self, address, data):
        body = b"\x02\x01\x03\x01" + address + bytes([len(data)]) + data
        self.head = b"\x04\x3e" + bytes([len(body) + 1]) + body

    def packet(self, rssi):
        return self.head + struct.pack("b", max(-127, min(20, rssi)))


def ibeacon(uuid, major, minor, power=-59):
    """Returns the AD structures of an iBeacon: the flags and the frame."""
    return bytes.fromhex("0201061aff4c000215") + uuid.bytes + struct.pack(">HHb", major, minor, power)


def write(path, packets):
    """Writes (microseconds since 1970, packet) in the given order; returns their number."""
    count = 0
    with open(path, "wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, H4))
        for time, packet in packets:
            file.write(RECORD.pack(len(packet), len(packet), FROM_CONTROLLER_EVENT, 0, UNIX_EPOCH + time) + packet)
            count += 1
    return count
