"""`okaeri enroll` by pairing: hci1 is the Pi, hci0 the phone, with a key of its own. BlueZ's btvirt emulates both."""

import json
import os
import signal
import stat

from lab import bluetoothctl, bluez, privacy
from lab.bluetoothctl import Bluetoothctl
from lab.btvirt import Btvirt
from lab.daemon import PROGRAM, Daemon, region
from lab.processes import Process, run
from lab.registry import scenario
from lab.waiting import check, wait_for

KEY = "ec0234a357c8ad05341010a60a397d9b"


class Enrollment(Process):
    """Starts `okaeri enroll anna` on hci1."""

    def __init__(self, folder):
        self.file = os.path.join(folder, "beacons.json")
        self.key = os.path.join(folder, "anna.irk")
        with open(self.file, "w", encoding="utf-8") as file:
            json.dump({"regions": [region()]}, file)
        super().__init__(
            folder, "enroll", [PROGRAM, "enroll", "anna", "--yes", "--adapter", "hci1", "--timeout", "90", "--config", self.file])
        self.expect_said("advertises as", within=20)


def is_pairable():
    return bluetoothctl.get("/org/bluez/hci1", "org.bluez.Adapter1", "Pairable")


def bonds():
    """Returns the devices that have paired with hci1."""
    return [path for path, interfaces in bluetoothctl.objects().items()
            if path.startswith("/org/bluez/hci1/") and interfaces.get("org.bluez.Device1", {}).get("Paired", {}).get("data")]


@scenario(within=180)
def enroll_by_pairing(folder):
    """The phone pairs; its key is in the file, and not in the output; its advertisements under private addresses are received, and
    the region is entered. The bond stays, and adapter and advertisements are as before."""
    btvirt = Btvirt(folder, is_up=False)
    bluez.start()
    privacy.enable("hci0", bytes.fromhex(KEY)[::-1])
    bluez.let_pair("hci1", False)
    enrollment = Enrollment(folder)
    btvirt.repeat()
    phone = Bluetoothctl(folder, "hci0")
    pi = phone.find(bluez.address("hci1"))
    phone.connect(pi)
    run("busctl", "call", "org.bluez", pi, "org.bluez.Device1", "Pair", may_fail=True)
    enrollment.expect_said("has paired", within=30)
    enrollment.expect_said("Waiting for ten minutes", within=30)
    check(len(bonds()) == 1, f"the bonds are {bonds()}")
    wait_for("no advertisement left", lambda: bluez.advertisements("hci1") == 0, within=10)
    wait_for("the end of pairing", lambda: not is_pairable(), within=10)
    check(stat.S_IMODE(os.stat(enrollment.key).st_mode) == 0o600, "the key can be read by others")
    with open(enrollment.key, encoding="utf-8") as file:
        content = file.read().lower().split()
    check(content == [KEY, bluez.address("hci0").lower()], f"the file has {len(content)} words, not the key and the address")
    check(KEY not in enrollment.said().lower(), "the output shows the key")

    btvirt.repeat("hci0")
    phone.tell("advertise on")
    enrollment.expect_said("was received for the first time", within=30)
    check(enrollment.stop(signal.SIGINT) == 0, f"the wait did not end well: {enrollment.said()}")
    enrollment.expect_said("The phone was received")
    phone.tell("advertise off")
    daemon = Daemon(folder, {"identifier": "anna", "phone": enrollment.key}, adapter="hci1")
    daemon.expect_bluetooth("poweredOn", within=10)
    phone.tell("advertise on")
    check(daemon.expect("didEnterRegion", within=20)["region"] == "anna", "another region is entered")


@scenario(within=90)
def enroll_interrupted(folder):
    """SIGINT during the wait for a phone leaves the adapter as it was, and no file."""
    Btvirt(folder, is_up=False)
    bluez.start()
    bluez.let_pair("hci1", False)
    enrollment = Enrollment(folder)
    wait_for("the advertisement", lambda: bluez.advertisements("hci1") == 1, within=5)
    check(is_pairable(), "the adapter is not pairable")
    check(enrollment.stop(signal.SIGINT) == 1, f"another exit status: {enrollment.said()}")
    wait_for("no advertisement left", lambda: bluez.advertisements("hci1") == 0, within=5)
    check(not is_pairable(), "the adapter is still pairable")
    check(not os.path.exists(enrollment.key) and not bonds(), "a key or a bond is left")
