"""This machine as a peripheral, by bluetoothd: hci1 is the peripheral, hci0 scans. BlueZ's own btvirt emulates both."""

import re

from lab import bluetoothctl, bluez
from lab.bluetoothctl import Bluetoothctl
from lab.btvirt import Btvirt
from lab.daemon import PROGRAM, UUID, Daemon, region
from lab.processes import Process, run
from lab.registry import scenario
from lab.waiting import check, wait_for

EXIT_UNAVAILABLE = 69


class Beacon(Process):
    """Starts `okaeri advertise` on hci1."""

    def __init__(self, folder, name="advertise"):
        super().__init__(
            folder, name,
            [PROGRAM, "advertise", "--adapter", "hci1", "--uuid", UUID, "--major", "100", "--minor", "100"])

    def expect_on_the_air(self, within=10, past=0):
        self.expect_said("advertising", within, past)
        wait_for("the advertisement", lambda: bluez.advertisements("hci1") == 1, within=2)


@scenario(within=60)
def advertise_is_an_ibeacon(folder):
    """The daemon on hci0 receives the beacon and, after it has stopped, publishes the exit; the advertisement is exactly
    Apple's frame."""
    Btvirt(folder)
    bluez.start()
    trace = Process(folder, "btmon", ["btmon", "-i", "hci1"])
    beacon = Beacon(folder)
    beacon.expect_on_the_air()
    daemon = Daemon(folder, region(exitAfter=2), adapter="hci0")
    entered = daemon.expect("didEnterRegion", within=10)
    check((entered["beacon"]["major"], entered["beacon"]["minor"]) == (100, 100), f"another beacon: {entered}")
    check(beacon.stop() == 0, f"okaeri advertise did not end well on SIGTERM: {beacon.said()}")
    wait_for("no advertisement left", lambda: bluez.advertisements("hci1") == 0, within=5)
    daemon.expect("didExitRegion", within=10)
    trace.stop()
    check("Advertising data length: 27" in trace.said(), "the frame is not 27 bytes long")
    check("ADV_NONCONN_IND" in trace.said(), "it can be connected to")


@scenario(within=60)
def advertise_beside_own_scan(folder):
    """One adapter advertises and scans: the daemon's raw scan on hci1 continues beside bluetoothd's advertisement."""
    Btvirt(folder)
    bluez.start()
    daemon = Daemon(folder, region(exitAfter=60), adapter="hci1")
    daemon.expect_bluetooth("poweredOn", within=10)
    beacon = Beacon(folder)
    beacon.expect_on_the_air()
    other = Process(
        folder, "other", [PROGRAM, "advertise", "--adapter", "hci0", "--uuid", UUID, "--major", "100", "--minor", "100"])
    daemon.expect("didEnterRegion", within=15)
    check(beacon.is_running and other.is_running, "an advertiser has ended")
    check(bluez.advertisements("hci1") == 1, "the scan has ended the advertisement")


@scenario(within=60)
def advertise_comes_back(folder):
    """After the adapter is switched off and on, and after a restart of bluetoothd, the beacon advertises again; without an
    adapter okaeri reports it."""
    Btvirt(folder)
    said = run("sh", "-c", f"{PROGRAM} advertise --uuid {UUID} --major 1 --minor 1; echo status $?")
    check(f"status {EXIT_UNAVAILABLE}" in said and "systemctl" in said, f"without bluetoothd: {said}")
    bluez.start()
    beacon = Beacon(folder)
    beacon.expect_on_the_air()
    bluez.power("hci1", False)
    beacon.expect_said("rfkill unblock", within=5)
    bluez.power("hci1", True)
    beacon.expect_on_the_air(past=1)
    daemon = Daemon(folder, region(), adapter="hci0")
    daemon.expect("didEnterRegion", within=10)
    bluez.stop()
    beacon.expect_said("bluetoothd is not running", within=5)
    bluez.start()
    beacon.expect_on_the_air(within=15, past=2)
    check(not re.search(r"error|Error", beacon.said()), f"it complains: {beacon.said()}")


NAME = "Okaeri test"
SERVICE, REGION_STATES, WAITING_PROMPT, ANSWER, LOG_LEVEL = (
    f"8e6b000{number}-5c1f-4d27-9a43-b1d06f7c2e95" for number in range(1, 6))


class Peripheral(Process):
    """Starts `okaeri gatt` for the daemon's status on hci1."""

    def __init__(self, folder, socket, *options):
        super().__init__(
            folder, "gatt",
            [PROGRAM, "gatt", "--adapter", "hci1", "--socket", socket, "--name", NAME, *options])
        self.expect_said("can be connected")


class Room:
    """The daemon on hci0, its peripheral, and bluetoothctl on hci0 as the central. With `is_open`, the region states need no
    pairing."""

    def __init__(self, folder, *regions, adapters=("hci0", "hci1"), mtu=None, is_open=False):
        self.folder = folder
        self.adapters = adapters
        self.btvirt = Btvirt(folder, count=len(adapters), is_up=False)
        bluez.start(adapters, mtu)
        self.start_daemon(*(regions or [region(exitAfter=60)]))
        self.peripheral = Peripheral(folder, self.daemon.socket, *(["--open"] if is_open else []))
        self.central = Bluetoothctl(folder, "hci0")
        self.device = None

    def start_daemon(self, *regions, name="okaeri"):
        self.daemon = Daemon(self.folder, *regions, adapter="hci0", name=name, options=("--wifi", "simulated"))
        self.daemon.expect_bluetooth("poweredOn", within=10)

    def connect(self):
        self.device = self.central.find(bluez.address("hci1"))
        self.central.connect(self.device)

    @property
    def is_connected(self):
        return bluetoothctl.get(self.device, "org.bluez.Device1", "Connected")

    def path(self, uuid, device=None):
        path, _ = bluetoothctl.characteristic(device or self.device, uuid)
        check(path, f"there is no characteristic {uuid}")
        return path

    def expect_read(self, uuid, text, within=15):
        wait_for(f"{uuid} reads {text!r}", lambda: bluetoothctl.read(self.path(uuid)) == text, within)

    def beacon(self):
        """Starts the beacon."""
        beacon = Beacon(self.folder)
        beacon.expect_said("advertising", within=10)
        return beacon


@scenario(within=120)
def peripheral_read_and_notified(folder):
    """The central finds the peripheral by its name and service, connects and pairs: it reads, also from an offset, receives
    notifications and indications, sets the log level, and ends a subscription, which the log then shows."""
    trace = Process(folder, "btmon", ["btmon", "-i", "hci1"])
    room = Room(folder, region(exitAfter=60, wifi={"ssid": "HomeNet"}))
    device = room.central.find(bluez.address("hci1"))
    found = bluetoothctl.objects()[device]["org.bluez.Device1"]
    check((found["Name"]["data"], found["UUIDs"]["data"]) == (NAME, [SERVICE]), f"it is found as {found}")
    room.connect()
    room.central.pair(room.device)
    flags = {uuid: bluetoothctl.characteristic(device, uuid)[1] for uuid in
             (REGION_STATES, WAITING_PROMPT, ANSWER, LOG_LEVEL)}
    check(list(flags.values()) == [["read", "notify"], ["read", "indicate"], ["write"],
                                    ["write-without-response", "write"]],
          f"other properties: {flags}")
    room.expect_read(REGION_STATES, "?home\n")
    room.expect_read(WAITING_PROMPT, "")
    states, prompt = room.path(REGION_STATES), room.path(WAITING_PROMPT)
    check(bluetoothctl.read(states, offset=3) == "me\n", "the rest of a long read is another")

    room.central.subscribe(prompt)
    room.central.subscribe(states)
    room.beacon()
    room.central.expect_value(states, "+home\n", within=15)
    wait_for("the prompt", lambda: bluetoothctl.value(prompt).endswith(" HomeNet\n"), within=10)
    room.expect_read(REGION_STATES, "+home\n")

    bluetoothctl.write(room.path(LOG_LEVEL), "debug", kind="command")
    room.peripheral.expect_said("the log level is debug now")
    room.central.unsubscribe(states)
    room.peripheral.expect_said(f"no central is subscribed to {REGION_STATES.upper()} now")
    room.central.subscribe(states)
    room.peripheral.expect_said(f"a central has subscribed to {REGION_STATES.upper()}")
    check(room.peripheral.stop() == 0, f"okaeri gatt did not end well: {room.peripheral.said()}")
    trace.stop()
    check(re.search(r"Handle Value Indication.*Handle Value Confirmation", trace.said(), re.DOTALL), "nothing was indicated")


@scenario(within=150)
def peripheral_answered(folder):
    """Until the central has paired, it can neither read a prompt nor write an answer; then a malformed and a late answer are
    refused, and a third one is accepted."""
    trace = Process(folder, "btmon", ["btmon", "-i", "hci0"])
    room = Room(folder, region(exitAfter=60, wifi={"ssid": "HomeNet"}))
    room.beacon()
    room.daemon.expect("wifiPrompt", within=20)

    bluez.let_pair("hci1", False)
    for wrong, uuid, call in (
            ("the prompt was read by", WAITING_PROMPT, ["ReadValue", "a{sv}", "0"]),
            ("an answer was taken from", ANSWER, ["WriteValue", *bluetoothctl.writing("00000000 join")])):
        room.connect()
        attempt = bluetoothctl.Attempt(folder, room.path(uuid), *call)
        # A refused pairing ends the link.
        wait_for("the link lost", lambda: not room.is_connected, within=10)
        check(not attempt.has_succeeded and "0x80" not in attempt.said(), f"{wrong} by a central that is not paired: {attempt.said()}")
        attempt.kill()
        bluetoothctl.forget("hci0", room.device)
    bluez.let_pair("hci1", True)

    room.connect()
    room.central.pair(room.device)
    wait_for("the prompt", lambda: bluetoothctl.read(room.path(WAITING_PROMPT)), within=5)
    token, ssid = bluetoothctl.read(room.path(WAITING_PROMPT)).split()
    check(ssid == "HomeNet", f"the prompt is about {ssid}")
    answer = room.path(ANSWER)
    for wrong, said in ((token, "length"), (f"{token} what", "supported"), ("00000000 join", "0x80")):
        refused = bluetoothctl.write(answer, wrong)
        check(said in refused.lower(), f"{wrong} gives {refused}")
    check(not room.daemon.events("wifiPromptAnswered"), "the prompt was answered by something else")
    check(bluetoothctl.write(answer, f"{token} join") == "", "the answer was not taken")
    room.daemon.expect("wifiPromptAnswered", within=5, id="1")
    room.expect_read(WAITING_PROMPT, "")
    check("0x80" in bluetoothctl.write(answer, f"{token} never"), "a prompt that waits no more was answered")
    trace.stop()
    check("Error: Insufficient Encryption (0x0f)" in trace.said(), "a central that is not paired receives no such error")


@scenario(within=90)
def peripheral_adapter_off_and_gone(folder):
    """The adapter is switched off and on: a central finds and reads the peripheral again. The adapter is unplugged and
    plugged in: okaeri reports it, and recovers."""
    room = Room(folder, is_open=True)
    room.connect()
    room.expect_read(REGION_STATES, "?home\n")
    bluez.power("hci1", False)
    room.peripheral.expect_said("rfkill unblock")
    wait_for("the link lost", lambda: not room.is_connected, within=10)
    bluez.power("hci1", True)
    room.peripheral.expect_said("can be connected", past=1)
    room.connect()
    room.expect_read(REGION_STATES, "?home\n")

    room.btvirt.kill()
    reasons = ("there is no adapter hci1", "bluetoothd is not running")
    wait_for("word of the loss", lambda: any(reason in room.peripheral.said() for reason in reasons), within=10)
    check(room.peripheral.stop(within=3) == 0, f"okaeri gatt did not end well: {room.peripheral.said()}")


@scenario(within=120)
def peripheral_restarts(folder):
    """The daemon restarts: a connected central is notified. bluetoothd restarts: a central that connects reads the present
    states."""
    room = Room(folder, is_open=True)
    room.connect()
    states = room.path(REGION_STATES)
    room.central.subscribe(states)
    room.daemon.kill()
    room.central.expect_value(states, "!\n")
    room.expect_read(REGION_STATES, "!\n")
    room.start_daemon(region(exitAfter=60), name="again")
    room.central.expect_value(states, "?home\n")
    room.expect_read(REGION_STATES, "?home\n")

    bluez.stop()
    room.peripheral.expect_said("bluetoothd is not running")
    bluez.start()
    room.peripheral.expect_said("can be connected", within=15, past=1)
    room.central.expect_said("Agent registered", past=1)
    room.central.tell(f"select {bluez.address('hci0')}")
    room.connect()
    room.expect_read(REGION_STATES, "?home\n")


@scenario(within=90)
def peripheral_short_link(folder):
    """With an MTU of 48, a central reads a long value completely, and a notification shows that it was cut."""
    names = [f"{number}, a room with a name that is quite a lot too long" for number in range(100, 130)]
    room = Room(folder, *(region(identifier=name, exitAfter=60, minor=int(name[:3])) for name in names), mtu=48, is_open=True)
    room.connect()
    # Nine lines of 54 bytes: a value has at most 512 bytes.
    room.expect_read(REGION_STATES, "".join(f"?{name}\n" for name in names[:9]) + "*21\n")
    states = room.path(REGION_STATES)
    room.central.subscribe(states)
    room.beacon()
    wait_for("as much as there is room for", lambda: [
        text for text in room.central.values(states) if len(text) in (43, 45) and f"+{names[0]}".startswith(text)], within=15)
    wait_for("the inside region first", lambda: bluetoothctl.read(states).startswith(f"+{names[0]}\n?"), within=5)


@scenario(within=90)
def peripheral_found_while_connected(folder):
    """While a central is connected, another one finds the peripheral. (btvirt 5.66 has one handle for all links, so hci1
    gets only one link.)"""
    room = Room(folder, adapters=("hci0", "hci1", "hci2"), is_open=True)
    room.connect()
    # btvirt sends one report a scan, and the kernel may miss it, so there are several scans.
    Bluetoothctl(folder, "hci2", name="other").find(bluez.address("hci1"), within=50)
    check(room.is_connected, "the first was disconnected")
    room.expect_read(REGION_STATES, "?home\n")
