"""As much of MQTT 3.1.1 as the simulated receivers and the subscriber of Benchmarks/Site/measure need."""

import socket
import struct


def text(value):
    octets = value.encode()
    return struct.pack(">H", len(octets)) + octets


def packet(kind, body):
    length, size = len(body), bytearray()
    while True:
        length, octet = divmod(length, 128)
        size.append(octet | (128 if length else 0))
        if not length:
            return bytes([kind]) + bytes(size) + body


def connect(client, will=None, keep_alive=60):
    """`will` is a topic and its payload, retained."""
    flags, tail = 0x02, text(client)
    if will:
        flags, tail = 0x2E, tail + text(will[0]) + text(will[1])
    return packet(0x10, text("MQTT") + bytes([4, flags]) + struct.pack(">H", keep_alive) + tail)


def publish(topic, payload):
    """A message with QoS 0 that is not retained."""
    return packet(0x30, text(topic) + payload.encode())


def retained(topic, payload, number):
    """A retained message with QoS 1."""
    return packet(0x33, text(topic) + struct.pack(">H", number) + payload.encode())


def subscribe(filters, number=1):
    """QoS 0: nothing needs an answer."""
    return packet(0x82, struct.pack(">H", number) + b"".join(text(name) + b"\0" for name in filters))


def messages(stream):
    """Yields the topic and the payload of every message with QoS 0 of a socket, until it is closed."""
    with stream.makefile("rb", 1 << 16) as file:
        while head := file.read(1):
            length = shift = 0
            while True:
                octet = file.read(1)[0]
                length |= (octet & 127) << shift
                shift += 7
                if octet < 128:
                    break
            body = file.read(length)
            if head[0] >> 4 == 3:
                end = 2 + struct.unpack(">H", body[:2])[0]
                yield body[2:end].decode(), body[end:]


def connection(port):
    stream = socket.create_connection(("127.0.0.1", port))
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return stream
