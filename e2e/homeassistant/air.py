"""Writes a live capture for `okaeri monitor --capture -`: air.py FILE. Another device advertises five times a second, so
that time passes, and a beacon with the strength in the file, if it contains one."""

import pathlib
import struct
import sys
import time

UUID = bytes.fromhex("E2C56DB5DFFB48D2B060D0F5A71096E0")
# btsnoop counts microseconds from the year 0.
EPOCH = 0x00DCDDB30F2F8000


def report(address, data, rssi):
    """An LE Advertising Report (Core Specification, Vol 4, Part E, 7.7.65.2) behind its H4 packet type."""
    body = bytes([2, 1, 0, 1]) + address + bytes([len(data)]) + data + struct.pack("b", rssi)
    return bytes([4, 0x3E, len(body)]) + body


def main():
    signal, out = pathlib.Path(sys.argv[1]), sys.stdout.buffer
    beacon = bytes.fromhex("0201061AFF4C000215") + UUID + bytes.fromhex("00640064C5")
    out.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))
    while True:
        packets = [report(b"\x01\x02\x03\x04\x05\xc6", bytes.fromhex("020106"), -80)]
        rssi = signal.read_text(encoding="ascii").strip() if signal.exists() else ""
        if rssi:
            packets.append(report(b"\x11\x22\x33\x44\x55\xc6", beacon, int(rssi)))
        for packet in packets:
            stamp = EPOCH + int(time.time() * 1e6)
            out.write(struct.pack(">IIIIq", len(packet), len(packet), 3, 0, stamp) + packet)
        out.flush()
        time.sleep(0.2)


try:
    main()
except (BrokenPipeError, KeyboardInterrupt):
    pass
