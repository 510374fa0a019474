"""Okaeri on both sides: `okaeri gatt` on hci1, okaeri as the central on hci0, by bluetoothd on BlueZ's own btvirt."""

from lab import bluez
from lab.btvirt import Btvirt
from lab.daemon import Daemon, region
from lab.registry import scenario
from lab.waiting import check

from central import Subscription, okaeri
from peripheral import ANSWER, NAME, REGION_STATES, SERVICE, WAITING_PROMPT, Beacon, Peripheral

# The values "+home
# " and "!
# " as `okaeri connect --json` prints them.
ENTERED, SILENT = "2B686F6D650A", "210A"


class Pair:
    """Starts the daemon on hci0, and the open peripheral, which advertises."""

    def __init__(self, folder):
        self.btvirt = Btvirt(folder, is_up=False)
        bluez.start()
        self.daemon = Daemon(folder, region(exitAfter=60), adapter="hci0")
        self.daemon.expect_bluetooth("poweredOn", within=10)
        self.peripheral = Peripheral(folder, self.daemon.socket, "--open")
        self.address = bluez.address("hci1")
        self.btvirt.repeat()

    def subscribe(self, folder):
        subscription = Subscription(folder, self.address, REGION_STATES)
        subscription.expect("didConnectPeripheral", within=30)
        return subscription


@scenario(within=120)
def okaeri_reads_okaeri(folder):
    """The central finds the peripheral by its service, reads and subscribes; an access that needs pairing is refused with
    the fix."""
    pair = Pair(folder)
    said = okaeri("devices", "--service", SERVICE, "--duration", "6")
    check(pair.address in said and NAME in said, f"okaeri devices: {said}")
    said = okaeri("connect", pair.address, "--read", REGION_STATES)
    check('"?home\\n"' in said and said.endswith("status 0"), f"the region states: {said}")
    # Prompts and answers need pairing. bluetoothd tries to pair, and hci1 refuses.
    bluez.let_pair("hci1", False)
    for request in (("--read", WAITING_PROMPT), ("--write", f"{ANSWER}={b'00000000 join'.hex()}")):
        said = okaeri("connect", pair.address, *request)
        check("bluetoothctl" in said and not said.endswith("status 0"), f"a central that is not paired: {said}")

    subscription = pair.subscribe(folder)
    Beacon(folder)
    pair.daemon.expect("didEnterRegion", within=20)
    subscription.expect("didUpdateValue", within=5, value=ENTERED)
    pair.daemon.kill()
    subscription.expect("didUpdateValue", within=10, value=SILENT)


@scenario(within=90)
def okaeri_loses_okaeri(folder):
    """bluetoothd restarts, and both sides recover. The adapters are unplugged: both report it, and end at SIGTERM."""
    pair = Pair(folder)
    subscription = pair.subscribe(folder)
    bluez.stop()
    subscription.expect("didDisconnectPeripheral", within=5)
    pair.peripheral.expect_said("bluetoothd is not running")
    bluez.start()
    pair.peripheral.expect_said("can be connected", within=20, past=1)
    subscription.expect("didConnectPeripheral", within=30, past=1)
    pair.daemon.kill()
    subscription.expect("didUpdateValue", within=15, value=SILENT)

    pair.btvirt.kill()
    subscription.expect("didDisconnectPeripheral", within=10, past=1)
    check(subscription.stop() == 0, f"the central did not end well: {subscription.said()}")
    check(pair.peripheral.stop() == 0, f"the peripheral did not end well: {pair.peripheral.said()}")
