"""The parts of Benchmarks/Site/measure: brokers, nodes, a subscriber of their messages, and a bridge between two brokers."""

import asyncio
import collections
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")


def allow_many_files():
    """Allows three descriptors for each node; child processes inherit the limit."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def processor_time(process):
    """Returns the processor time of a process in seconds, user and system."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def run_time(process):
    """Returns the same to the nanosecond, of the present threads."""
    tasks = pathlib.Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def private_memory(process):
    """Returns RssAnon in MB."""
    return int(re.search(r"RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text())[1]) / 1000


class World:
    """The world of World.swift, and the owners by Sources/Core/Agreement/Ownership.swift."""

    def __init__(self, nodes, regions):
        self.nodes, self.regions = nodes, regions
        hashes = [self._hash(f"n{node:03}") for node in range(nodes)]
        self.owners = [self._owner(hashes, self._hash(f"r{region:04}")) for region in range(regions)]

    def owned(self, node):
        """Returns the regions of a node without a beacon."""
        return [region for region, owner in enumerate(self.owners) if owner == node and region % 3]

    @staticmethod
    def _hash(text):
        value = 0xCBF29CE484222325
        for octet in text.encode():
            value = (value ^ octet) * 0x100000001B3 % 2**64
        return value

    @staticmethod
    def _mixed(value):
        value = (value + 0x9E3779B97F4A7C15) % 2**64
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
        return value ^ value >> 31

    def _owner(self, hashes, region):
        return max(range(len(hashes)), key=lambda node: self._mixed(self._mixed(hashes[node]) ^ region))


class Mosquitto:
    """A broker with its data in a folder; `lines` are for its configuration."""

    def __init__(self, folder, lines=(), port=None):
        self.folder, self.port = folder, port or free_port()
        folder.mkdir()
        user = "root" if os.geteuid() == 0 else "mosquitto"
        text = [f"user {user}", f"listener {self.port} 127.0.0.1", "allow_anonymous true", "sys_interval 1",
                # A new node among hundreds receives more messages at once than the thousand that mosquitto queues by default.
                "max_queued_messages 0",
                "log_type error", "log_type warning", "log_type notice", f"log_dest file {folder}/log", "persistence true",
                f"persistence_location {folder}/", *lines]
        (folder / "conf").write_text("\n".join(text) + "\n")
        self.start()

    def start(self):
        # Debian installs it in a folder outside a user's path.
        self.process = subprocess.Popen(["/usr/sbin/mosquitto", "-c", self.folder / "conf"])
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit(f"mosquitto ends: {(self.folder / 'log').read_text()}") from None
                time.sleep(0.01)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait()

    def forget(self):
        """Ends it by SIGKILL, and deletes its data."""
        self.stop(signal.SIGKILL)
        (self.folder / "mosquitto.db").unlink(missing_ok=True)


class Crowd:
    """A process with some of the site's nodes."""

    def __init__(self, harness, port, world, first, count, discovery=None):
        self.count = count
        self.nodes = range(first, first + count)
        command = [harness, "nodes", port, world.nodes, world.regions, first, count, *([discovery] if discovery else [])]
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def ask(self, *words):
        self.say(*words)
        while (line := self.process.stdout.readline()).startswith("note "):
            pass
        if not line:
            raise SystemExit(f"the nodes {self.nodes} have ended with {self.process.wait()}")
        return line.strip()

    def check(self):
        """Returns the number of wrong messages, the number of nodes without a connection, the owners' digests, and the first
        wrong message."""
        wrong, unconnected, digests, *first = self.ask("check").split(" ", 3)
        return int(wrong), int(unconnected), set(digests.split(",")), "".join(first)

    def published(self):
        """Returns by region and kind how many nodes published an event how often."""
        counts = collections.defaultdict(dict)
        line = self.ask("events")
        while line:
            region, kind, times, nodes = line.split()
            counts[region, kind][int(times)] = int(nodes)
            line = self.process.stdout.readline().strip()
        return counts

    def end(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait()


class Observer:
    """Receives a broker's own numbers, the nodes' statuses and the events of the house, on a thread."""

    def __init__(self, harness, port):
        self.events, self.statuses, self.numbers = [], [], {}
        self.process = subprocess.Popen([str(harness), "observe", str(port)], stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            moment, topic, payload = line.rstrip("\n").split(" ", 2)
            if topic.startswith("$SYS/broker/"):
                if payload.isdigit():
                    self.numbers[topic.removeprefix("$SYS/broker/")] = int(payload)
            elif topic.endswith("/event"):
                kind = re.search(r'"event_type":"(\w+)"', payload)
                self.events.append((topic.split("/")[3], kind[1] if kind else payload))
            else:
                self.statuses.append((float(moment), topic.split("/")[3], payload))

    def offline(self, node, since, limit=60):
        """Returns the time at which a node was reported offline."""
        name = f"n{node:03}"
        while time.monotonic() < since + limit:
            for moment, node_name, status in self.statuses:
                if node_name == name and status == "offline" and moment >= since:
                    return moment
            time.sleep(0.02)
        return None

    def end(self):
        self.process.kill()
        self.process.wait()


class Wire:
    """A bridge between two brokers, which can be cut."""

    def __init__(self, target):
        self.port, self._target, self._writers = free_port(), target, set()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.heal()

    def heal(self):
        self._do(self._listen())

    def cut(self):
        self._do(self._hang_up())

    def _do(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _listen(self):
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", self.port)

    async def _hang_up(self):
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _connect(self, reader, writer):
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, far_writer}
        await asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))

    async def _carry(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()
