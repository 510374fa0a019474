"""Attacks by a malicious MQTT broker, or by a client with write access to a normal one."""

import contextlib
import json
import multiprocessing
import random
import socket
import struct
import subprocess
import threading
import time

from attack import registry
from target import Failure, free_port, wait_for

ATTACKS, attack = registry()


def delivered(kind, body):
    """Returns the acknowledgement of a PUBLISH packet and the message as a subscriber receives it."""
    size = struct.unpack(">H", body[:2])[0]
    topic, rest = body[2:2 + size].decode(), body[2 + size:]
    acknowledgement = b""
    if kind & 6:
        acknowledgement, rest = b"\x40\x02" + rest[:2], rest[2:]
    # The properties of these messages take less than 128 bytes.
    payload = rest[1 + rest[0]:].decode(errors="replace")
    return acknowledgement + publication(topic, payload, False)


def length(count):
    """A variable byte integer (MQTT 5, 1.5.5)."""
    found = bytearray()
    while True:
        count, digit = divmod(count, 128)
        found.append(digit | (0x80 if count else 0))
        if not count:
            return bytes(found)


def text(value):
    raw = value if isinstance(value, bytes) else value.encode("utf-8")
    return struct.pack(">H", len(raw)) + raw


def publication(topic, payload, retain=True):
    """A PUBLISH packet of MQTT 5 with QoS 0."""
    body = text(topic) + b"\0" + (payload if isinstance(payload, bytes) else payload.encode("utf-8"))
    return bytes([0x31 if retain else 0x30]) + length(len(body)) + body


class Broker:
    """Accepts every client. After the first subscription it sends what `script` yields."""

    def __init__(self, script):
        self.script = script
        self.port = free_port()
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.count = multiprocessing.Value("i", 0)
        threading.Thread(target=self.serve, daemon=True).start()

    @property
    def sent(self):
        """The number of messages that clients have acknowledged, in every process."""
        return self.count.value

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.talk, args=(self.listener.accept()[0],), daemon=True).start()

    def talk(self, client):
        lock = threading.Lock()
        began = False
        with contextlib.suppress(OSError, ConnectionError), client:
            stream = client.makefile("rb")
            while True:
                kind = self.exactly(stream, 1)[0]
                body = self.exactly(stream, self.remaining(stream))
                answer = b""
                if kind >> 4 == 1:
                    answer = b"\x20\x03\x00\x00\x00"
                elif kind >> 4 == 3:
                    # The client subscribes to its own topics: without its messages it owns no region.
                    answer = delivered(kind, body)
                elif kind >> 4 == 8:
                    answer = b"\x90\x04" + body[:2] + b"\x00\x01"
                elif kind >> 4 == 12:
                    answer = b"\xd0\x00"
                with lock:
                    client.sendall(answer)
                if kind >> 4 == 8 and not began:
                    began = True
                    threading.Thread(target=self.send, args=(client, lock), daemon=True).start()

    def send(self, client, lock):
        with contextlib.suppress(OSError):
            for packet in self.script():
                if isinstance(packet, float):
                    time.sleep(packet)
                    continue
                with lock:
                    client.sendall(packet)
                self.count.value += 1

    @staticmethod
    def exactly(stream, count):
        found = stream.read(count)
        if len(found) != count:
            raise ConnectionError
        return found

    def remaining(self, stream):
        value = shift = 0
        while True:
            digit = self.exactly(stream, 1)[0]
            value |= (digit & 0x7F) << shift
            shift += 7
            if not digit & 0x80:
                return value

    def stop(self):
        self.listener.close()


# A text with a colour, a forged line and a right-to-left override.
HOSTILE = "\x1b[31mhall\n2026-01-01 00:00:00  didEnterRegion  forged\r\u202e"


def invented_nodes():
    """1,000 nodes, each with a list of 4,000 regions, 61 kB."""
    for number in range(1000):
        about = description(f"room {number}", "1.0.0", [f"r{number}-{region:07}" for region in range(4000)])
        yield publication(f"okaeri/home/node/n{number}/about", about)
        yield publication(f"okaeri/home/node/n{number}/status", "online")
        observation = {"state": "inside", "rssi": -60, "age": 0.1, "incarnation": f"{number}", "seq": 1}
        yield publication(f"okaeri/home/node/n{number}/region/home", json.dumps(observation))


def description(room, version, regions):
    return json.dumps({"room": room, "version": version, "since": "2026-01-01T00:00:00.000Z", "regions": regions})


def hostile_texts():
    """Names, rooms and texts with control characters, in every topic."""
    yield from hostile_house("attic")
    while True:
        yield publication(
            "okaeri/home/region/home/event",
            json.dumps({"event_type": "enter", "room": HOSTILE, "time": "2026-01-01T00:00:00.000Z", "node": HOSTILE}), False)
        yield 0.2


def hostile_house(name):
    yield publication(f"okaeri/home/node/{name}/about", description(HOSTILE, HOSTILE, ["home", HOSTILE]))
    yield publication(f"okaeri/home/node/{name}/status", "online")
    observation = {"state": "inside", "rssi": -40, "age": 0.1, "incarnation": HOSTILE, "seq": 1, "room": HOSTILE}
    yield publication(f"okaeri/home/node/{name}/region/home", json.dumps(observation))
    state = {"state": "inside", "room": HOSTILE, "since": "2026-01-01T00:00:00.000Z", "beacon": None,
             "hearing": [{"node": HOSTILE}, {"node": name, "incarnation": HOSTILE, "seq": 1}], "by": "ff", "seq": 1}
    yield publication("okaeri/home/region/home", json.dumps(state))
    yield publication("okaeri/home/house", json.dumps({"online": 2, "leader": HOSTILE}))


def anything():
    """Random topics below the daemon's own, random JSON, extreme numbers; then packets that are not MQTT."""
    chance = random.Random(5)
    keys = ["state", "rssi", "age", "incarnation", "seq", "room", "since", "beacon", "online", "leader", "id", "answer", "time",
            "event_type", "adapter", "ok", "reason", "owner", "term"]
    values = [None, True, -1, 0, 1e308, -1e308, 2**63, 2**64, "inside", "outside", "unknown", "", "x" * 3000, [], {}, [[[[]]]],
              "2262-04-11T23:47:16Z", "join", "never", HOSTILE]
    topics = ["node/{}/status", "node/{}/scanner", "node/{}/region/home", "node/{}/about", "node/hall/prompt/answer",
              "region/home", "region/home/event", "house", "node/hall/status", "node/hall/region/home", "x/" * 60]
    for number in range(4000):
        topic = "okaeri/home/" + chance.choice(topics).format(f"n{chance.randrange(40)}")
        payload = json.dumps({key: chance.choice(values) for key in chance.sample(keys, 6)}).encode()
        shape = chance.random()
        if shape < 0.2:
            payload = chance.randbytes(chance.randrange(400))
        elif shape < 0.3:
            payload = payload[:chance.randrange(len(payload))]
        elif shape < 0.35:
            payload = b"[" * 5000
        elif shape < 0.37:
            payload = b"x" * 300_000
        yield publication(topic, payload, chance.random() < 0.7)
        if number % 40 == 0:
            yield 0.02
    for packet in [b"\x31\xff\xff\xff\x7f" + b"x" * 500_000, b"\xf0\x00", b"\x30\xff\xff\xff\xff\xff", b"\x00" * 100]:
        yield packet
        yield 0.2


def no_controls(target):
    """The daemon's output has no control characters but line feeds, and no forged line."""
    check_text((target.folder / "okaeri.out").read_bytes() + (target.folder / "okaeri.err").read_bytes())


def check_text(raw):
    found = raw.decode("utf-8", "replace")
    if any(ord(c) < 32 and c not in "\n\t" or c in "\u202e\x7f" for c in found):
        raise Failure("control characters from the broker are printed")
    if any(line.startswith("2026-01-01 00:00:00") for line in found.splitlines()):
        raise Failure("a line from the broker is printed as an event")


@attack(broker=lambda: Broker(invented_nodes))
def nodes_without_end(surface):
    """A thousand invented nodes, retained."""
    wait_for("three thousand messages read", 60, lambda: surface.broker.sent >= 3000)
    time.sleep(surface.seconds / 4)


@attack(broker=lambda: Broker(hostile_texts), check_afterwards=no_controls)
def texts_of_the_broker(surface):
    """Rooms, names and versions with control characters."""
    wait_for("the messages read", 20, lambda: surface.broker.sent >= 10)
    for command in (["nodes"], ["status"], ["history", "--state-dir", str(surface.target.folder / "state")]):
        output = subprocess.run(
            [surface.target.program, *command, *([] if command[0] == "history" else ["--socket", surface.socket])],
            capture_output=True, check=False, timeout=20)
        check_text(output.stdout + output.stderr)


@attack(broker=lambda: Broker(anything))
def messages_of_any_kind(surface):
    """Messages with random contents, then packets that are not MQTT, at each connection."""
    wait_for("four thousand messages read", 60, lambda: surface.broker.sent >= 4000)
    time.sleep(surface.seconds / 4)
