"""The receivers of a site, each with a connection of its own: crowd.py PORT RECEIVERS REGIONS [--all-topics]. Benchmarks/Site/measure
runs it.

It publishes what a receiver publishes, see Sources/Daemon/House/Radios. Every third region has a beacon that advertises once a
second; the receivers of a beacon are three neighbors, each of which misses one advertisement in ten. Lines of the standard input:
"hear REGION" and "quiet REGION" add and remove a beacon. For every added beacon it prints the region and the time of the first message
about it. "count" begins to count the messages; at the end of the input it prints their number a second and how late 99 of 100 were at
most, and ends.
"""

import heapq
import math
import os
import random
import select
import sys
import time

import mqtt

SITE = "okaeri/site"
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
# How soon a receiver reports a new beacon, how often it reports, and for how long after the last reception every second.
PROMPTNESS, INTERVAL, IDLE_INTERVAL, ATTENTION = 0.05, 1, 5, 120
# A status is published again after so many seconds.
REFRESH = 300
NEIGHBORS = 3
MISSED = 0.1


def beacon(region):
    return f"{UUID}:{region // 256}:{region % 256}"


class Receiver:
    def __init__(self, number, port, all_topics):
        self.name, self.number, self.last = f"n{number:04}", 0, time.monotonic()
        self.heard_at, self.due, self.refresh = -math.inf, math.inf, self.last + random.uniform(0, REFRESH)
        # The strength of each beacon in reach.
        self.reach = {}
        self.others = random.randrange(3, 18)
        self.topic = f"{SITE}/node/{self.name}"
        self.socket = mqtt.connection(port)
        filters = [f"{SITE}/hub", f"{SITE}/wanted", f"{SITE}/region/+", f"{SITE}/region/+/event"]
        if all_topics:
            filters += [f"{SITE}/node/+/{level}" for level in ("status", "about", "scanner")]
        about = (f'{{"kind":"receiver","room":"room {number // 4}","offset":0,"version":"benchmark",'
                 '"since":"2026-01-01T00:00:00.000Z"}')
        self.socket.sendall(
            mqtt.connect(f"okaeri.site.{self.name}", (f"{self.topic}/status", "offline"))
            + mqtt.subscribe(filters)
            + mqtt.retained(f"{self.topic}/about", about, 2)
            + mqtt.retained(f"{self.topic}/scanner", '{"ok":true,"adapter":"hci0","reason":null}', 3)
            + mqtt.retained(f"{self.topic}/status", "online", 4))
        self.socket.setblocking(False)

    def report(self, now, phases):
        """Publishes what was received since the last message. Returns the regions whose beacons were."""
        entries, heard = [], []
        for region, strength in self.reach.items():
            phase = phases[region]
            count = range(math.ceil(self.last - phase), math.ceil(now - phase))
            samples = [f"[{round(random.gauss(strength, 3))},{now - phase - second:.2f}]"
                       for second in count if random.random() >= MISSED]
            if samples:
                heard.append(region)
                entries.append(f'["{beacon(region)}",[{",".join(samples)}],-59]')
        if entries:
            self.heard_at = now
        self.number += 1
        payload = (f'{{"n":{self.number},"t":[{self.last:.3f},{now:.3f}],"d":1,"o":{self.others},'
                   f'"r":[{",".join(entries)}]}}')
        octets = mqtt.publish(f"{self.topic}/heard", payload)
        if now >= self.refresh:
            self.refresh = now + REFRESH
            octets += mqtt.retained(f"{self.topic}/status", "online", 5)
        self.socket.sendall(octets)
        self.last = now
        self.due = now + (INTERVAL if now < self.heard_at + ATTENTION else IDLE_INTERVAL)
        return heard


class Crowd:
    def __init__(self, port, receivers, regions, all_topics):
        self.regions, self.phases, self.starting, self.late = regions, {}, set(), []
        self.receivers = [Receiver(number, port, all_topics) for number in range(receivers)]
        self.heap, self.poll, self.since = [], select.epoll(), time.monotonic()
        now = time.monotonic()
        for number, receiver in enumerate(self.receivers):
            self.poll.register(receiver.socket, select.EPOLLIN)
            self.schedule(number, now + random.random())
        self.sockets = {receiver.socket.fileno(): receiver.socket for receiver in self.receivers}
        self.poll.register(0, select.EPOLLIN)
        for region in range(0, regions, 3):
            self.phases[region] = random.random()
            self.place(region)

    def schedule(self, number, due):
        self.receivers[number].due = due
        heapq.heappush(self.heap, (due, number))

    def place(self, region):
        """Puts a beacon between three neighbors. Returns their numbers."""
        first = region * len(self.receivers) // self.regions
        numbers = [(first + step) % len(self.receivers) for step in range(NEIGHBORS)]
        for number, strength in zip(numbers, (-62, -70, -76)):
            self.receivers[number].reach[region] = strength
        return numbers

    def command(self, line, now):
        word, *arguments = line.split()
        if word == "count":
            self.late, self.since = [], now
            return
        region = int(arguments[0])
        if word == "quiet":
            for receiver in self.receivers:
                receiver.reach.pop(region, None)
            return
        # The first advertisement.
        self.phases[region] = now % 1
        self.starting.add(region)
        for number in self.place(region):
            self.schedule(number, now + PROMPTNESS)

    def run(self):
        rest = ""
        while True:
            wait = max(0, self.heap[0][0] - time.monotonic())
            for file, _ in self.poll.poll(wait):
                if file:
                    if not self.sockets[file].recv(1 << 16):
                        raise SystemExit("the broker has closed a connection")
                    continue
                words = os.read(0, 1 << 16).decode()
                if not words:
                    return
                *lines, rest = (rest + words).split("\n")
                for line in lines:
                    self.command(line, time.monotonic())
            while self.heap[0][0] <= (now := time.monotonic()):
                due, number = heapq.heappop(self.heap)
                receiver = self.receivers[number]
                if due != receiver.due:
                    continue
                self.late.append(now - due)
                heard = receiver.report(now, self.phases)
                heapq.heappush(self.heap, (receiver.due, number))
                for region in self.starting.intersection(heard):
                    self.starting.discard(region)
                    print(region, f"{now:.6f}", flush=True)


def main():
    random.seed(1)
    crowd = Crowd(*map(int, sys.argv[1:4]), "--all-topics" in sys.argv)
    print("ready", flush=True)
    crowd.run()
    late = sorted(crowd.late)
    print(f"{len(late) / (time.monotonic() - crowd.since):.1f} {late[len(late) * 99 // 100]:.4f}", flush=True)


if __name__ == "__main__":
    main()
