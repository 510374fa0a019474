"""This machine as a central, by bluetoothd: hci0 is it, hci1 is a lamp. Both are emulated by BlueZ's own btvirt."""

import json
import signal

from lab import bluez, lamp
from lab.btvirt import Btvirt
from lab.daemon import PROGRAM
from lab.peer import Peer
from lab.processes import Process, run
from lab.registry import scenario
from lab.waiting import check, wait_for

EXIT_UNAVAILABLE = 69


def at_home(folder):
    """bluetoothd runs, and the lamp is in the air."""
    btvirt = Btvirt(folder)
    bluez.start()
    return btvirt, Peer(folder)


def okaeri(*arguments):
    """What a command says, and its exit status behind it."""
    return run("sh", "-c", '"$@" --adapter hci0; echo "status $?"', "sh", PROGRAM, *arguments, within=45)


class Subscription(Process):
    """`okaeri connect --subscribe`, and the objects that it tells."""

    def __init__(self, folder, address, *more):
        super().__init__(
            folder, "subscription",
            [PROGRAM, "connect", address, "--adapter", "hci0", "--subscribe", lamp.LEVEL, "--json", *more])

    def told(self, event, **fields):
        with open(self.output, encoding="utf-8") as file:
            objects = [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith("\n")]
        return [one for one in objects
                if one["event"] == event and all(one.get(key) == value for key, value in fields.items())]

    def expect(self, event, within, past=0, **fields):
        wait_for(f"{event} {fields}", lambda: len(self.told(event, **fields)) > past, within)


@scenario(within=90)
def central_lists_and_connects(folder):
    """A scan that is filtered by the service finds the lamp; connected, it has its services by their names."""
    _, peer = at_home(folder)
    said = okaeri("peripherals", "--service", lamp.SERVICE, "--timeout", "15", "--json")
    check(peer.address in said and said.endswith("status 0"), f"okaeri peripherals: {said}")
    said = okaeri("peripherals", "--service", "1812", "--timeout", "3", "--json")
    check(peer.address not in said, f"it has no such service: {said}")
    said = okaeri("connect", peer.address)
    check("Battery (180F)" in said and "Battery Level (2A19)  read notify" in said, f"okaeri connect: {said}")
    check(said.endswith("status 0"), f"okaeri connect: {said}")
    said = okaeri("connect", "00:11:22:33:44:55")
    check("was not heard" in said and said.endswith(f"status {EXIT_UNAVAILABLE}"), f"nobody is there: {said}")


@scenario(within=90)
def central_reads_writes_subscribes(folder):
    """Values go both ways; a value of the wrong length is refused with a reason; a notification arrives."""
    _, peer = at_home(folder)
    said = okaeri("connect", peer.address, "--read", lamp.LEVEL, "--write", f"{lamp.ALERT}=02")
    check("Battery Level (2A19)  64" in said and said.endswith("status 0"), f"reading and writing: {said}")
    check(f"written {lamp.ALERT} 02 request" in peer.said(), f"the lamp has not got it: {peer.said()}")
    said = okaeri("connect", peer.address, "--write-without-response", f"{lamp.ALERT}=01")
    peer.expect_said(f"written {lamp.ALERT} 01 command", within=5)
    said = okaeri("connect", peer.address, "--write", f"{lamp.ALERT}=0102")
    check("wrong length" in said and said.endswith("status 1"), f"a value of two bytes: {said}")
    subscription = Subscription(folder, peer.address)
    peer.expect_said("subscribed", within=20)
    peer.tell("level 7")
    subscription.expect("didUpdateValue", within=5, value="07")
    check(subscription.stop(signal.SIGINT) == 0, f"it did not end well on SIGINT: {subscription.said()}")
    peer.expect_said("unsubscribed", within=5)


@scenario(within=90)
def peer_vanishes_in_mid_read(folder):
    """The lamp takes the question and is switched off: the read ends with a reason, at once."""
    _, peer = at_home(folder)
    peer.tell("slow")
    reading = Process(
        folder, "reading", [PROGRAM, "connect", peer.address, "--adapter", "hci0", "--read", lamp.LEVEL])
    peer.expect_said(f"read {lamp.LEVEL}", within=25)
    bluez.power("hci1", False)
    check(reading.ended(within=5) == EXIT_UNAVAILABLE, f"the read ended otherwise: {reading.said()}")
    check("has been disconnected" in reading.said(), f"no reason: {reading.said()}")


@scenario(within=90)
def central_bluetoothd_restarts(folder):
    """The subscription tells of the loss, and goes on by itself when bluetoothd and the lamp are back."""
    _, peer = at_home(folder)
    subscription = Subscription(folder, peer.address)
    peer.expect_said("subscribed", within=20)
    bluez.stop()
    subscription.expect("didDisconnectPeripheral", within=5)
    bluez.start()
    peer = Peer(folder, "again")
    subscription.expect("didConnectPeripheral", within=30, past=1)
    peer.expect_said("subscribed", within=10)
    peer.tell("level 9")
    subscription.expect("didUpdateValue", within=5, value="09")


@scenario(within=90)
def central_adapter_removed(folder):
    """Unplugged while it is read and while it is looked for: both are told, nothing hangs."""
    btvirt, peer = at_home(folder)
    peer.tell("slow")
    reading = Process(
        folder, "reading", [PROGRAM, "connect", peer.address, "--adapter", "hci0", "--read", lamp.LEVEL])
    peer.expect_said(f"read {lamp.LEVEL}", within=25)
    btvirt.kill()
    check(reading.ended(within=5) == EXIT_UNAVAILABLE, f"the read ended otherwise: {reading.said()}")
    said = okaeri("connect", peer.address)
    # Without an adapter systemd may end bluetoothd as well.
    reasons = ("there is no adapter hci0", "bluetoothd is not running")
    check(any(reason in said for reason in reasons) and said.endswith(f"status {EXIT_UNAVAILABLE}"), f"after it: {said}")
