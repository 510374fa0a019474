"""Receivers of other makes, as they publish: each with a connection and a last will of its own, at the rate of its make.

The topics and payloads are those of ESPresense (main.cpp, BleFingerprint.cpp), of packaging/shelly/okaeri.js, of the script with which
Home Assistant uses a Shelly, of OpenMQTTGateway (main.cpp, ZgatewayBT.cpp) with the settings of docs/receivers.md, of Theengs Gateway
(ble_gateway.py), and of the recipe for ESPHome in docs/receivers.md.
"""

import base64
import collections
import json
import random
import select
import struct
import threading
import time
import uuid as uuids

import mqtt

# A beacon, and its signal at a receiver in dBm.
Beacon = collections.namedtuple("Beacon", "uuid major minor")

OTHER = "d4:5e:ec:00:00:01"


def manufacturer_data(beacon):
    return bytes.fromhex("4c000215") + uuids.UUID(beacon.uuid).bytes + struct.pack(">HHb", beacon.major, beacon.minor, -59)


def advertisement(beacon):
    data = manufacturer_data(beacon)
    return bytes([2, 1, 6, len(data) + 1, 0xFF]) + data


class Receiver:
    """A device with a connection to the broker, on a thread. `beacon` is in range while `hears` is true; another device always is."""

    # The time between two reports of a device, and the times until a device connects again, and until it has booted.
    period, reconnect, boot = 1, 3, 4
    keep_alive = 15
    # Whether a broker ends the connection of the one of two devices with the same name.
    is_client_name = False
    # Whether it reports its address in the network.
    has_address = False

    def __init__(self, port, name, beacon, host=1, has_clock=True):
        self.port, self.name, self.beacon, self.host, self.has_clock = port, name, beacon, host, has_clock
        self.hears, self.is_quiet, self.signal = True, False, -60
        self.connections = self.number = 0
        self._born, self._off, self._ended = time.monotonic(), threading.Event(), False
        self._stream = None
        random.seed(name)
        self.address = f"c0:de:{host:02x}:" + ":".join(f"{octet:02x}" for octet in struct.pack(">HB", beacon.minor, beacon.major % 256))

    # What a make defines.

    def will(self):
        """Returns the topic of the status."""
        raise NotImplementedError

    online, offline = "online", "offline"

    def hello(self):
        """Returns further messages that the broker retains, by their topics."""
        return {}

    def reports(self):
        """Returns the messages about the devices in range, each a topic and a payload."""
        raise NotImplementedError

    def figures(self):
        """Returns the time between two messages about the device itself, and those messages."""
        return 1000, []

    # Its life.

    def start(self):
        self._born = time.monotonic()
        self._off = threading.Event()
        threading.Thread(target=self._run, args=(self._off,), daemon=True).start()
        return self

    def cut(self):
        """Its power is gone: the connection ends without a DISCONNECT, and the broker publishes the last will."""
        self._off.set()

    def restart(self):
        """Boots while the broker still has its connection: the broker ends that one as the device connects anew."""
        self._former = self._stream
        self._stream = None
        self._off.set()
        return self.start()

    def client(self):
        return self.name if self.is_client_name else f"{self.name}-{self.host}"

    def uptime(self):
        return int(time.monotonic() - self._born)

    def _run(self, off):
        while not off.is_set():
            try:
                self._live(off)
            except OSError:
                pass
            off.wait(self.reconnect)

    def _live(self, off):
        stream = mqtt.connection(self.port)
        self._stream = stream
        try:
            stream.sendall(mqtt.connect(self.client(), (self.will(), self.offline), self.keep_alive))
            stream.recv(4)
            self.connections += 1
            for number, (topic, payload) in enumerate({self.will(): self.online, **self.hello()}.items(), 1):
                stream.sendall(mqtt.retained(topic, payload, number))
            pause, _ = self.figures()
            report, figure, ping = (time.monotonic() + random.uniform(0, self.period), time.monotonic(), time.monotonic())
            while not off.wait(0.05):
                if select.select([stream], [], [], 0)[0] and not stream.recv(4096):
                    return
                now = time.monotonic()
                if now >= ping:
                    ping = now + self.keep_alive / 2
                    stream.sendall(b"\xc0\0")
                if self.is_quiet:
                    continue
                if now >= figure:
                    figure = now + pause
                    self._send(stream, self.figures()[1])
                if now >= report:
                    report += self.period
                    self.number += 1
                    self._send(stream, self.reports())
        finally:
            # After `restart` the former connection stays open: only the broker ends it.
            if self._stream is stream:
                stream.close()

    def _send(self, stream, messages):
        for topic, payload in messages:
            stream.sendall(mqtt.publish(topic, payload if isinstance(payload, str) else json.dumps(payload)))


class ESPresense(Receiver):
    key, entry, period = "espresense", {"type": "espresense"}, 5
    is_client_name = has_address = True

    def will(self):
        return f"espresense/rooms/{self.name}/status"

    def hello(self):
        room = f"espresense/rooms/{self.name}"
        return {f"{room}/name": self.name, f"{room}/max_distance": "16.00", f"{room}/absorption": "3.00"}

    def reports(self):
        devices = [(f"sonos:{OTHER.replace(':', '')}", OTHER)]
        if self.hears:
            devices.append((f"iBeacon:{self.beacon.uuid.lower()}-{self.beacon.major}-{self.beacon.minor}", self.address))
        for device, address in devices:
            yield f"espresense/devices/{device}/{self.name}", {
                "mac": address.replace(":", ""), "id": device, "rssi@1m": -59, "rssi": self.signal + 0.37, "rxAdj": 0, "rssiVar": 4.1,
                "distance": 1.52, "var": 0.08, "int": 203}

    def figures(self):
        return 15, [(f"espresense/rooms/{self.name}/telemetry", {
            "ip": f"10.0.0.{self.host}", "uptime": self.uptime(), "firm": "esp32", "rssi": -60, "ver": "v4.0.6", "adverts": 4000,
            "seen": 3900, "reported": 300, "freeHeap": 101316, "maxHeap": 63476, "scanStack": 1740})]


class Shelly(Receiver):
    key, entry, keep_alive = "shelly", {"type": "shelly"}, 60
    online, offline = "true", "false"

    def will(self):
        return f"{self.name}/online"

    def adverts(self):
        found = [[OTHER, -80, base64.b64encode(bytes.fromhex("020106")).decode(), ""]]
        if self.hears:
            found.append([self.address, self.signal, base64.b64encode(advertisement(self.beacon)).decode(), ""])
        return found

    def reports(self):
        yield f"shelly-ble/{self.name}", {"v": 1, "n": self.number, "adverts": self.adverts()}


class ShellyOfHomeAssistant(Shelly):
    """The script of Home Assistant, whose notifications have the time of the device."""

    key, entry, period = "shelly2", {"type": "shelly", "topic": "+/events/rpc"}, 3

    def reports(self):
        now = time.time() if self.has_clock else None
        event = {"component": "script:1", "id": 1, "event": "ble.scan_result", "data": [2, self.adverts()], "ts": now}
        yield f"{self.name}/events/rpc", {
            "src": self.name, "dst": f"{self.name}/events", "method": "NotifyEvent", "params": {"ts": now, "events": [event]}}


class OpenMQTTGateway(Receiver):
    key, entry = "openmqttgateway", {"type": "openmqttgateway"}
    is_client_name = has_address = True
    base = "home"

    def will(self):
        return f"{self.base}/{self.name}/LWT"

    def hello(self):
        return {f"{self.base}/{self.name}/version": "v1.8.1"}

    def times(self):
        now = int(time.time()) if self.has_clock else self.uptime()
        return {"unixtime": now, "UTCtime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))}

    def reports(self):
        topic = f"{self.base}/{self.name}/BTtoMQTT"
        yield f"{topic}/{OTHER.upper().replace(':', '')}", {
            "id": OTHER.upper(), "mac_type": 0, "adv_type": 0, "name": "sonos", "rssi": -80, **self.times()}
        if self.hears:
            yield f"{topic}/{self.address.upper().replace(':', '')}", {
                "id": self.address.upper(), "mac_type": 1, "adv_type": 3, "rssi": self.signal, **self.times(),
                "manufacturerdata": manufacturer_data(self.beacon).hex(), "brand": "GENERIC", "model": "iBeacon", "model_id": "IBEACON",
                "type": "BCON", "mfid": "4c00", "uuid": self.beacon.uuid.replace("-", "").lower(), "major": self.beacon.major,
                "minor": self.beacon.minor, "txpower": -59}

    def figures(self):
        return 120, [
            (f"{self.base}/{self.name}/SYStoMQTT", {
                "uptime": self.uptime(), "version": "v1.8.1", "rssi": -60, "ip": f"10.0.1.{self.host}", "freemem": 95012,
                "modules": ["WebUI", "BT"]}),
            (f"{self.base}/{self.name}/BTtoMQTT", {"interval": 100, "scanduration": 1000, "adaptivescan": False, "pubadvdata": True})]


class Theengs(OpenMQTTGateway):
    key, base = "theengs", "theengs"
    entry = {"type": "theengs", "topic": "theengs/+/BTtoMQTT/#"}
    is_client_name = has_address = False

    def hello(self):
        return {}

    def times(self):
        return {}

    def figures(self):
        return 1000, []


class ESPHome(Receiver):
    key, entry, period = "esphome", {"type": "esphome"}, 2

    def will(self):
        return f"esphome-ble/{self.name}/status"

    def reports(self):
        topic = f"esphome-ble/{self.name}"
        yield topic, {"address": "5A:5E:EC:00:00:01", "rssi": -80}
        if self.hears:
            yield topic, {"address": self.address.upper(), "rssi": self.signal, "manufacturerdata": manufacturer_data(self.beacon).hex()}


MAKES = (ESPresense, Shelly, ShellyOfHomeAssistant, OpenMQTTGateway, Theengs, ESPHome)
