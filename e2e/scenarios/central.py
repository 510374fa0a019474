"""This machine as a central, by bluetoothd: hci0 is the central, hci1 a lamp. BlueZ's own btvirt emulates both."""

import json
import os
import signal

from lab import bluez, lamp
from lab.btvirt import Btvirt
from lab.daemon import PROGRAM, Daemon, exit_after, region
from lab.peer import Peer
from lab.processes import Process, run
from lab.registry import scenario
from lab.waiting import check, holds, wait_for

EXIT_UNAVAILABLE = 69


def at_home(folder):
    """Starts bluetoothd and the lamp."""
    btvirt = Btvirt(folder)
    bluez.start()
    btvirt.repeat()
    return btvirt, Peer(folder)


def okaeri(*arguments):
    """Returns the output of a command, and its exit status behind it."""
    return run("sh", "-c", '"$@" --adapter hci0; echo "status $?"', "sh", PROGRAM, *arguments, within=45)


class Subscription(Process):
    """`okaeri connect --subscribe`, and the objects that it prints."""

    def __init__(self, folder, address, characteristic=lamp.LEVEL):
        super().__init__(
            folder, "subscription",
            [PROGRAM, "connect", address, "--adapter", "hci0", "--subscribe", characteristic, "--json"])

    def received(self, event, **fields):
        with open(self.output, encoding="utf-8") as file:
            objects = [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith("\n")]
        return [one for one in objects
                if one["event"] == event and all(one.get(key) == value for key, value in fields.items())]

    def expect(self, event, within, past=0, **fields):
        wait_for(f"{event} {fields}", lambda: len(self.received(event, **fields)) > past, within)


class Reading(Process):
    """`okaeri connect --read` of a value that the lamp does not answer."""

    def __init__(self, folder, peer):
        peer.tell("slow")
        super().__init__(
            folder, "reading", [PROGRAM, "connect", peer.address, "--adapter", "hci0", "--read", lamp.LEVEL])
        peer.expect_said(f"read {lamp.LEVEL}", within=25)

    def expect_lost(self):
        """The command ends at once, with the reason."""
        check(self.ended(within=5) == EXIT_UNAVAILABLE, f"the read ended otherwise: {self.said()}")
        check("was disconnected" in self.said(), f"no reason: {self.said()}")


@scenario(within=120)
def central_lists_and_connects(folder):
    """A scan that is filtered by the service finds the lamp; connected, its services have their names."""
    _, peer = at_home(folder)
    said = okaeri("devices", "--service", lamp.SERVICE, "--duration", "6", "--json")
    check(peer.address in said and said.endswith("status 0"), f"okaeri devices: {said}")
    said = okaeri("devices", "--service", "1812", "--duration", "3", "--json")
    check(peer.address not in said, f"it has no such service: {said}")
    said = okaeri("connect", peer.address)
    check("Automation IO (1815)" in said and "Analog (2A58)  read notify" in said, f"okaeri connect: {said}")
    check(said.endswith("status 0"), f"okaeri connect: {said}")


@scenario(within=120)
def central_reads_writes_subscribes(folder):
    """Both sides send values; a value of the wrong length is refused with a reason; a notification arrives."""
    _, peer = at_home(folder)
    said = okaeri("connect", peer.address, "--read", lamp.LEVEL, "--write", f"{lamp.SWITCH}=02",
                  "--write-without-response", f"{lamp.ALERT}=01")
    check("Analog (2A58)  64" in said and said.endswith("status 0"), f"reading and writing: {said}")
    said = okaeri("connect", peer.address, "--read", f"{lamp.SERVICE}/{lamp.LEVEL}#1")
    check("Analog (2A58)  64" in said and said.endswith("status 0"), f"reading by service and number: {said}")
    said = okaeri("connect", peer.address, "--read", f"{lamp.LEVEL}#2")
    check("has no characteristic Analog (2A58)#2" in said and said.endswith("status 1"), f"a second level: {said}")
    check(f"written {lamp.SWITCH} 02" in peer.said(), f"the lamp has not got it: {peer.said()}")
    peer.expect_said(f"written {lamp.ALERT} 01", within=5)
    said = okaeri("connect", peer.address, "--write", f"{lamp.SWITCH}=0102")
    check("wrong length" in said and said.endswith("status 1"), f"a value of two bytes: {said}")
    subscription = Subscription(folder, peer.address)
    peer.expect_said("subscribed", within=20)
    peer.tell("level 7")
    subscription.expect("didUpdateValue", within=5, value="07")
    check(subscription.stop(signal.SIGINT) == 0, f"it did not end well on SIGINT: {subscription.said()}")
    peer.expect_said("unsubscribed", within=5)


@scenario(within=120)
def peer_vanishes_in_mid_read(folder):
    """The lamp receives the request and disappears: the read ends with a reason, at once."""
    _, peer = at_home(folder)
    reading = Reading(folder, peer)
    peer.vanish()
    reading.expect_lost()


@scenario(within=120)
def central_bluetoothd_restarts(folder):
    """The subscription reports the loss, and continues when bluetoothd and the lamp are back."""
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


@scenario(within=120)
def central_adapter_removed(folder):
    """The adapter is unplugged during a read and during a scan: both commands report it, and neither hangs."""
    btvirt, peer = at_home(folder)
    reading = Reading(folder, peer)
    btvirt.kill()
    reading.expect_lost()
    said = okaeri("connect", peer.address)
    # Without an adapter systemd may end bluetoothd as well.
    reasons = ("there is no adapter hci0", "bluetoothd is not running")
    check(any(reason in said for reason in reasons) and said.endswith(f"status {EXIT_UNAVAILABLE}"), f"after it: {said}")


class Hooks:
    """A rule for the lamp's service, and the notes of its hooks."""

    def __init__(self, folder):
        self.notes = f"{folder}/hooks"
        note = ["/bin/sh", "-c", f'echo "$OKAERI_EVENT $OKAERI_SERVICE $OKAERI_ADDRESS" >> {self.notes}']
        self.rule = {"identifier": "lamp", "service": lamp.SERVICE, "onConnect": note, "onDisconnect": note}

    def expect(self, *events, address):
        expected = [f"{event} {lamp.SERVICE} {address}" for event in events]
        wait_for(f"hooks for {events}", lambda: os.path.exists(self.notes) and self.noted() == expected, within=5)

    def noted(self):
        with open(self.notes, encoding="utf-8") as file:
            return file.read().splitlines()


@scenario(within=120)
def service_rule_hooks(folder):
    """The daemon connects the lamp and runs the hooks; after a restart it repeats no event, and reports a lamp that has left
    meanwhile."""
    _, peer = at_home(folder)
    hooks = Hooks(folder)
    settings = {"adapter": "hci0", "services": [hooks.rule]}
    daemon = Daemon(folder, region(), **settings)
    daemon.expect("peripheralDidConnect", within=20, identifier="lamp", address=peer.address)
    hooks.expect("peripheralDidConnect", address=peer.address)
    check(daemon.status()["services"][0]["address"] == peer.address, "okaeri status does not name the connected device")
    peer.vanish()
    daemon.expect("peripheralDidDisconnect", within=5, identifier="lamp", address=peer.address)
    peer.tell("back")
    daemon.expect("peripheralDidConnect", within=20, past=1)
    heard = ["peripheralDidConnect", "peripheralDidDisconnect", "peripheralDidConnect"]
    hooks.expect(*heard, address=peer.address)
    daemon.kill()

    daemon = Daemon(folder, region(), name="again", **settings)
    daemon.expect_bluetooth("poweredOn", within=10)
    holds("no second event", lambda: not daemon.events("peripheralDidConnect"), during=3)
    daemon.kill()

    peer.vanish()
    daemon = Daemon(folder, region(), name="third", **settings)
    daemon.expect("peripheralDidDisconnect", within=10, address=peer.address)
    hooks.expect(*heard, "peripheralDidDisconnect", address=peer.address)
    peer.tell("back")
    daemon.expect("peripheralDidConnect", within=40, address=peer.address)


@scenario(within=60)
def service_rule_beside_presence(folder):
    """bluetoothd scans for a service that no device has: the daemon receives the beacon all the time."""
    btvirt = Btvirt(folder)
    bluez.start()
    btvirt.advertise()
    daemon = Daemon(
        folder, region(exitAfter=exit_after(3)), adapter="hci0", services=[{"identifier": "watch", "service": "180D"}])
    daemon.expect("didEnterRegion", within=10)
    wait_for("a look for the service", lambda: bluez.is_discovering("hci0"), within=10)
    holds("at home", lambda: not daemon.events("didExitRegion"), during=15)
    check(not bluez.is_discovering("hci0"), "it looks all the time")
    holds("at home", lambda: not daemon.events("didExitRegion"), during=5)
