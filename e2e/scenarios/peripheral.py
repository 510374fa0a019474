"""This machine as a peripheral, by bluetoothd: hci1 is it, hci0 listens. Both are emulated by BlueZ's own btvirt."""

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
    """okaeri advertises on hci1."""

    def __init__(self, folder, name="advertise"):
        super().__init__(
            folder, name,
            [PROGRAM, "advertise", "--adapter", "hci1", "--uuid", UUID, "--major", "100", "--minor", "100"])

    def expect_on_the_air(self, within=10, past=0):
        self.expect_said("advertising", within, past)
        wait_for("the advertisement", lambda: bluez.advertisements("hci1") == 1, within=2)


@scenario(within=60)
def advertise_is_an_ibeacon(folder):
    """The daemon on hci0 hears it come and, when it is stopped, go; on the air it is Apple's frame and nothing else."""
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
    """One adapter advertises and scans: the daemon's raw scan on hci1 goes on beside bluetoothd's advertisement."""
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
    """Switched off and on, and over a restart of bluetoothd, the beacon is on the air again; without any it says so."""
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
REGION_STATES, WAITING_PROMPT, ANSWER, LOG_LEVEL = (
    f"8e6b000{number}-5c1f-4d27-9a43-b1d06f7c2e95" for number in range(2, 6))


class Peripheral(Process):
    """okaeri serves the daemon's status on hci1, and bluetoothctl on hci0 is the central."""

    def __init__(self, folder, socket):
        super().__init__(
            folder, "peripheral", [PROGRAM, "peripheral", "--adapter", "hci1", "--socket", socket, "--name", NAME])
        self.expect_said("can be connected")


class Room:
    """The daemon on hci0, and the peripheral that tells of it."""

    def __init__(self, folder, **settings):
        Btvirt(folder)
        bluez.start()
        self.daemon = Daemon(folder, region(**settings), adapter="hci0", options=("--wifi", "simulated"))
        self.daemon.expect_bluetooth("poweredOn", within=10)
        self.peripheral = Peripheral(folder, self.daemon.socket)
        self.central = Bluetoothctl(folder, "hci0")
        self.device = None

    def connect(self):
        self.device = self.central.find(NAME)
        bluetoothctl.connect(self.device)

    def path(self, uuid):
        path, _ = bluetoothctl.characteristic(self.device, uuid)
        check(path, f"there is no characteristic {uuid}")
        return path

    def expect_read(self, uuid, text, within=5):
        wait_for(f"{uuid} reads {text!r}", lambda: bluetoothctl.read(self.path(uuid)) == text, within)


@scenario(within=90)
def peripheral_read_by_bluetoothctl(folder):
    """Found by its name, connected, read, notified; an answer is refused until it is paired, and hits its prompt only."""
    room = Room(folder, wifi={"ssid": "HomeNet"})
    room.connect()
    flags = {uuid: bluetoothctl.characteristic(room.device, uuid)[1] for uuid in
             (REGION_STATES, WAITING_PROMPT, ANSWER, LOG_LEVEL)}
    check(list(flags.values()) == [["read", "notify"], ["read", "indicate"], ["write"], ["write-without-response"]],
          f"other properties: {flags}")
    room.expect_read(REGION_STATES, "?home\n")

    states = room.path(REGION_STATES)
    room.central.tell("menu gatt")
    room.central.tell(f"select-attribute {states}")
    room.central.tell("notify on")
    room.central.expect_said("Notify started")
    beacon = Beacon(folder)
    beacon.expect_said("advertising", within=10)
    room.central.expect_said("2b 68 6f 6d 65 0a", within=15)  # +home
    room.expect_read(REGION_STATES, "+home\n")
    check(run("busctl", "call", "org.bluez", states, "org.bluez.GattCharacteristic1", "ReadValue", "a{sv}", "1",
              "offset", "q", "3") == "ay 3 109 101 10", "the rest of a long read is another")

    room.daemon.expect("wifiPrompt", within=20)
    wait_for("the prompt", lambda: bluetoothctl.read(room.path(WAITING_PROMPT)), within=5)
    token, ssid = bluetoothctl.read(room.path(WAITING_PROMPT)).split()
    check(ssid == "HomeNet", f"the prompt is about {ssid}")
    answer = room.path(ANSWER)
    bluez.let_pair("hci1", False)
    check(bluetoothctl.write(answer, f"{token} join"), "it was taken from who has not paired")
    check(not room.daemon.events("wifiPromptAnswered"), "the prompt was answered by who has not paired")
    bluez.let_pair("hci1", True)
    if not bluetoothctl.get(room.device, "org.bluez.Device1", "Connected"):
        bluetoothctl.connect(room.device)
    bluetoothctl.pair(room.device)
    for wrong, said in ((token, "length"), (f"{token} what", "supported"), ("00000000 join", "0x80")):
        refused = bluetoothctl.write(answer, wrong)
        check(said in refused.lower(), f"{wrong} gives {refused}")
    check(not room.daemon.events("wifiPromptAnswered"), "the prompt was answered by something else")
    check(bluetoothctl.write(answer, f"{token} join") == "", "the answer was not taken")
    room.daemon.expect("wifiPromptAnswered", within=5, id="1")
    room.expect_read(WAITING_PROMPT, "")

    bluetoothctl.write(room.path(LOG_LEVEL), "debug", kind="command")
    room.peripheral.expect_said("the log level is debug now")
    check(room.peripheral.stop() == 0, f"okaeri peripheral did not end well: {room.peripheral.said()}")


@scenario(within=60)
def peripheral_power_cycled(folder):
    """The adapter off and on: it is found and read again."""
    room = Room(folder)
    room.connect()
    room.expect_read(REGION_STATES, "?home\n")
    bluez.power("hci1", False)
    room.peripheral.expect_said("rfkill unblock")
    wait_for("the link lost", lambda: not bluetoothctl.get(room.device, "org.bluez.Device1", "Connected"), within=10)
    bluez.power("hci1", True)
    room.peripheral.expect_said("can be connected", past=1)
    bluetoothctl.connect(room.device)
    room.expect_read(REGION_STATES, "?home\n")


@scenario(within=90)
def peripheral_bluetoothd_restarts(folder):
    """bluetoothd restarts, and so does the daemon: who connects then reads what is so."""
    room = Room(folder)
    room.connect()
    room.daemon.kill()
    room.expect_read(REGION_STATES, "!\n")
    bluez.stop()
    room.peripheral.expect_said("bluetoothd is not running")
    bluez.start()
    room.peripheral.expect_said("can be connected", within=15, past=1)
    daemon = Daemon(folder, region(), adapter="hci0", name="again")
    daemon.expect_bluetooth("poweredOn", within=10)
    room.central = Bluetoothctl(folder, "hci0")
    room.connect()
    room.expect_read(REGION_STATES, "?home\n", within=10)
