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
import uuid

import air
from attack import registry
from target import UUID, Failure, free_port, wait_for

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
                    # The client subscribes to its own topics: without its messages a hub does not decide for the house.
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


WATCHED = str(uuid.UUID(UUID)).upper()

# A text with a colour, a forged line and a right-to-left override.
HOSTILE = "\x1b[31mhall\n2026-01-01 00:00:00  didEnterRegion  forged\r\u202e"


def topic(end):
    return f"okaeri/home/{end}"


def description(room, version, **more):
    about = {"kind": "receiver", "room": room, "offset": 0, "version": version, "since": "2026-01-01T00:00:00.000Z"}
    return json.dumps(about | more)


def receptions(number, count, minors=64):
    """The message of a receiver about so many receptions of the watched UUID."""
    senders = {}
    for index in range(count):
        sample = [-40 - (index + number) % 60, index % 100 / 100]
        senders.setdefault(f"{WATCHED}:100:{index % minors}", []).append(sample)
    return message(number, [list(sender) for sender in senders.items()])


def message(number, senders, **more):
    return json.dumps({"n": number, "t": [number, number + 1], "d": 0.9, "o": 30, "r": senders} | more)


def invented_nodes():
    """1,000 nodes, each with a list of 4,000 regions as in earlier versions, 61 kB, and with 256 receptions."""
    for number in range(1000):
        regions = [f"r{number}-{region:07}" for region in range(4000)]
        yield publication(topic(f"node/n{number}/about"), description(f"room {number}", "1.0.0", regions=regions))
        yield publication(topic(f"node/n{number}/status"), "online")
        yield publication(topic(f"node/n{number}/heard"), receptions(1, 256), False)


def invented_receptions():
    """Receptions by 100 nodes that are online and 100 that are not, 200 messages a second; half of them are huge, malformed or of
    another time."""
    chance = random.Random(6)
    for number in range(100):
        yield publication(topic(f"node/n{number}/about"), description(f"room {number % 10}", "1.0.0", offset=number - 50))
        yield publication(topic(f"node/n{number}/status"), "online")
    for number in range(1_000_000):
        for node in range(200):
            yield publication(topic(f"node/n{node}/heard"), heard(chance, number), node % 40 == 39)
            if node % 10 == 9:
                yield 0.05


def heard(chance, number):
    """A payload of `heard`, in half of the cases one that a receiver may send."""
    match chance.randrange(16):
        case 0:
            # Five times the number of receptions that are read.
            return receptions(number, 1280, 256)
        case 1:
            # 110 kB of private addresses, which no region of the daemon has.
            addresses = (f"p:5A:{phone >> 8:02X}:{phone & 255:02X}:00:00:01" for phone in range(3000))
            return message(number, [[address, [[-60, 0.5]]] for address in addresses])
        case 2:
            return message(2**64 - 1, [[f"{WATCHED}:100:1", [[20, 1e308]]]], t=[0, 3.1e9], d=1e308, o=2**63 - 1)
        case 3:
            return message(chance.randrange(9), [[f"{WATCHED}:1:1", [[-128, -1]]]], t=[-1, 1e300], d=-5, o=-5)
        case 4:
            return message(number, [[HOSTILE, [[-60, 0]]], [f"{WATCHED}:99999:-1", [[None, 0]]], [], [[]]], t=None)
        case 5:
            return receptions(number, 200)[:chance.randrange(3000)]
        case 6:
            return b"[" * 50_000
        case 7:
            return chance.randbytes(chance.randrange(2000))
        case _:
            return receptions(number, 1 + chance.randrange(256), 1 + chance.randrange(256))


def forged_claims():
    """Claims of other hubs, with the smallest incarnations or malformed, while the node comes and goes; other values of the hub
    are replaced. 300 messages a second."""
    chance = random.Random(7)
    yield publication(topic("node/attic/status"), "online")
    for number in range(1_000_000):
        name = chance.choice(["attic", "attic", "cellar", "hall", "n" * 64, HOSTILE, ""])
        claim = {"name": name, "incarnation": chance.choice(["0", "0", "~", "", HOSTILE, "0" * 100]), "since": HOSTILE}
        payload = chance.choice([json.dumps(claim), json.dumps(claim), "", "{}", b"\xff" * 1000])
        yield publication(topic("hub"), payload, chance.random() < 0.5)
        yield publication(topic("node/attic/status"), chance.choice(["online", "online", "offline", ""]))
        yield publication(topic(chance.choice(["wanted", "house", "region/home", "region/home/battery"])),
                          chance.choice(["", "{}", "null", json.dumps({"state": "outside", "name": "home", "since": None})]))
        if number % 100 == 0:
            # Two seconds with a hub that stays.
            yield publication(topic("node/attic/status"), "online")
            yield publication(topic("hub"), json.dumps({"name": "attic", "incarnation": "0", "since": None}), False)
            yield 2.0
        yield 0.01


def false_hub():
    """A hub that wants many beacons, has 3,000 regions, and reports events without end."""
    chance = random.Random(8)
    yield publication(topic("node/attic/about"), description("attic", "1.0.0", kind="hub"))
    yield publication(topic("node/attic/status"), "online")
    yield publication(topic("hub"), json.dumps({"name": "attic", "incarnation": "0", "since": "2026-01-01T00:00:00.000Z"}))
    wanted = [{"uuid": WATCHED, "major": major, "minor": None} for major in range(1500)]
    for number in range(1_000_000):
        for region in range(3000):
            state = {"state": chance.choice(["inside", "outside", "unknown"]), "room": f"room {number}", "since": None,
                     "beacon": None, "last": "inside", "name": f"{'x' * 200}{region}"}
            yield publication(topic(f"region/r{region}"), json.dumps(state))
            event = {"event_type": "enter", "room": None, "time": None, "id": f"{number * 3000 + region:x}"}
            yield publication(topic(f"region/r{region}/event"), json.dumps(event), False)
            if region % 20 == 0:
                beacons = chance.choice([wanted, wanted, [], [{"uuid": WATCHED}], [{"uuid": HOSTILE}]])
                yield publication(topic("wanted"), json.dumps({"beacons": beacons, "phones": chance.random() < 0.5}))
                yield publication(topic("wanted"), chance.choice([b"", b"{}", b"[" * 50_000, b'{"beacons":[]}']))
                yield publication(topic("wanted"), json.dumps({"beacons": [{"uuid": WATCHED}], "phones": True}))
                yield 0.1


def hostile_texts():
    """Names, rooms and texts with control characters, in every topic."""
    yield from hostile_house("attic")
    while True:
        yield publication(
            topic("region/home/event"),
            json.dumps({"event_type": "enter", "room": HOSTILE, "time": "2026-01-01T00:00:00.000Z", "node": HOSTILE}), False)
        yield 0.2


def hostile_house(name):
    yield publication(topic(f"node/{name}/about"), description(HOSTILE, HOSTILE, kind=HOSTILE))
    yield publication(topic(f"node/{name}/about"), description(HOSTILE, HOSTILE))
    yield publication(topic(f"node/{name}/scanner"), json.dumps({"ok": False, "adapter": HOSTILE, "reason": HOSTILE}))
    yield publication(topic(f"node/{name}/status"), "online")
    yield publication(topic(f"node/{name}/heard"), json.dumps({"n": 1, "d": 1, "o": 1, "r": [[HOSTILE, [[-40, 0.1]]]]}), False)
    yield publication(topic(f"node/{name}/heard"), receptions(2, 10), False)
    state = {"state": "inside", "room": HOSTILE, "since": HOSTILE, "beacon": None, "last": HOSTILE, "name": HOSTILE}
    yield publication(topic("region/home"), json.dumps(state))
    yield publication(topic("region/other"), json.dumps(state))
    yield publication(topic("house"), json.dumps({"online": 2, "hub": HOSTILE}))
    yield publication(topic("hub"), json.dumps({"name": HOSTILE, "incarnation": HOSTILE, "since": HOSTILE}), False)
    yield publication(topic("hub"), json.dumps({"name": name, "incarnation": "0", "since": HOSTILE}), False)


def anything():
    """Random topics below the daemon's own, random JSON, extreme numbers; then packets that are not MQTT."""
    chance = random.Random(5)
    keys = ["state", "incarnation", "name", "kind", "offset", "room", "since", "beacon", "last", "online", "hub", "id",
            "answer", "time", "event_type", "adapter", "ok", "reason", "n", "t", "d", "o", "r", "beacons", "phones", "percent"]
    values = [None, True, -1, 0, 0.5, 1e308, -1e308, 2**63, 2**64, "inside", "outside", "unknown", "", "x" * 3000, [], {},
              [[[[]]]], [0, 1], [[f"{WATCHED}:100:1", [[-60, 0.1]]]], [{"uuid": WATCHED, "major": 100}],
              "2262-04-11T23:47:16Z", "join", "never", HOSTILE]
    topics = ["node/{}/status", "node/{}/scanner", "node/{}/heard", "node/{}/about", "node/hall/prompt/answer", "hub",
              "wanted", "region/home", "region/home/event", "region/home/battery", "house", "node/hall/status", "node/hall/about",
              "node/hall/scanner", "node/hall/heard", "node/hall/region/home", "x/" * 60]
    for number in range(4000):
        name = topic(chance.choice(topics).format(f"n{chance.randrange(40)}"))
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
        yield publication(name, payload, chance.random() < 0.7)
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


@attack(broker=lambda: Broker(invented_receptions))
def receptions_without_end(surface):
    """Receptions of a hundred invented nodes, and of as many that are not online; many are malformed or huge."""
    wait_for("two thousand messages read", 60, lambda: surface.broker.sent >= 2000)
    time.sleep(surface.seconds)


def state_of(surface):
    regions = json.loads(surface.target.local("/v1/status?beacons=false")[1])["regions"]
    return next(region["state"] for region in regions if region["identifier"] == "home")


@attack(broker=lambda: Broker(forged_claims))
def claims_without_end(surface):
    """Claims of other hubs. The own region keeps its state: a hub that yields decides for itself."""
    wait_for("the region", 30, lambda: state_of(surface) == "inside")
    wait_for("five hundred messages read", 60, lambda: surface.broker.sent >= 500)
    end = time.monotonic() + surface.seconds
    while time.monotonic() < end:
        if state_of(surface) != "inside":
            raise Failure(f"the region is {state_of(surface)}")
        time.sleep(0.5)


@attack(broker=lambda: Broker(false_hub), source=air.minors, is_receiver=True)
def hub_of_a_receiver(surface):
    """At a receiver: a hub that wants thousands of beacons, has thousands of regions, and reports events without end."""
    wait_for("seven thousand messages read", 90, lambda: surface.broker.sent >= 7000)
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


def join(surface, address, *options):
    """Runs `okaeri join` in a folder of its own, without a question."""
    folder = surface.target.folder / "join"
    folder.mkdir()
    secret = folder / "password"
    secret.write_text("the secret of abuse\n", encoding="utf-8")
    secret.chmod(0o600)
    found = subprocess.run(
        [surface.target.program, "join", address, "--config", folder / "beacons.json", "--room", "attic", "--name", "attic", "--yes",
         *(secret if option == "SECRET" else option for option in options)],
        capture_output=True, check=False, timeout=60)
    file = folder / "beacons.json"
    return found, file.read_text(encoding="utf-8") if file.exists() else ""


@attack()
def password_of_a_join(surface):
    """A broker of another machine without TLS: it receives nothing before the user has decided that the password may be read."""
    received = bytearray()
    with socket.create_server(("0.0.0.0", 0)) as listener:

        def listen():
            with contextlib.suppress(OSError):
                while True:
                    client = listener.accept()[0]
                    received.extend(b"connected " + client.recv(4096))

        threading.Thread(target=listen, daemon=True).start()
        found, text = join(
            surface, f"0.0.0.0:{listener.getsockname()[1]}", "--username", "okaeri", "--password-file", "SECRET")
        time.sleep(0.5)
    if found.returncode != 64 or received or text:
        raise Failure(f"it ended with {found.returncode}, sent {bytes(received)!r} and wrote {text!r}")


def options_as_names():
    for site in ("--yes", "-s", "home"):
        for node in ("--yes", "-n", "hall"):
            for room in ("--yes", " ", "\u200d", "\u3164"):
                yield publication(f"okaeri/{site}/node/{node}/about", json.dumps({"kind": "hub", "room": room}))
            yield publication(f"okaeri/{site}/node/{node}/status", "online")
            yield publication(f"okaeri/{site}/hub", json.dumps({"name": node, "incarnation": "x", "since": ""}))
    yield publication("okaeri/home/regions", json.dumps({"regions": [
        {"identifier": "--yes", "uuid": UUID, "onEnter": ["/bin/touch", "/tmp/abuse"], "wifi": {"ssid": "evil"}}]}))


@attack(broker=lambda: Broker(options_as_names))
def names_of_a_join(surface):
    """Houses, Pis, rooms and regions whose names are options of commands, or invisible: none reaches the configuration."""
    found, text = join(surface, f"127.0.0.1:{surface.broker.port}", "--username", "")
    if found.returncode != 0:
        raise Failure(f"it ended with {found.returncode}: {found.stderr!r}")
    written = json.loads(text)
    wanted = {"mqtt": {"host": "127.0.0.1", "port": surface.broker.port, "site": "home"},
              "node": {"name": "attic", "room": "attic"}, "receiver": True}
    if {key: written.get(key) for key in wanted} != wanted or set(written) - {*wanted, "regions"} or written.get("regions"):
        raise Failure(f"it wrote {text}")
    if any(name in found.stdout.decode() for name in ("--yes", "\u200d", "\u3164")):
        raise Failure(f"it showed {found.stdout!r}")


@attack(broker=lambda: Broker(anything))
def messages_of_any_kind(surface):
    """Messages with random contents, then packets that are not MQTT, at each connection."""
    wait_for("four thousand messages read", 60, lambda: surface.broker.sent >= 4000)
    time.sleep(surface.seconds / 4)
