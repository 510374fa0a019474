"""Wi-Fi and Bluetooth share the antenna: the scan leaves half of the time to Wi-Fi, and is continuous while a beacon is late."""

from lab import wifi
from lab.controller import Controller
from lab.daemon import Daemon, region, seconds
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check, wait_for

# The scan as the controller receives it, in units of 0.625 ms.
SHARED = "scan enabled dup=0 passive interval=142 window=71"
CONTINUOUS = "scan enabled dup=0 passive interval=142 window=142"


def scan(daemon):
    return daemon.status()["bluetooth"]["scan"]


def is_learned(daemon):
    """Whether the daemon has received enough gaps of the beacon to judge its silence."""
    beacons = daemon.status()["regions"][0]["beacons"]
    return bool(beacons) and beacons[0]["exitReason"] == "learned" and "gaps" not in beacons[0]


@scenario(within=180)
def late_beacon(folder):
    """While a beacon is late, the window is as long as the interval, until it is received or the region is left; after each it is
    half of it again, for the Wi-Fi at 2.4 GHz."""
    wifi.AccessPoint(folder)
    wifi.save_profile()
    run("nmcli", "device", "wifi", "list", "--rescan", "yes")
    run("nmcli", "connection", "up", "home", within=60)
    controller = Controller(folder)
    described = region()
    del described["exitAfter"]
    daemon = Daemon(folder, described)
    daemon.expect_bluetooth("poweredOn", within=10)
    controller.expect(SHARED, within=10)
    wait_for("the reason", lambda: scan(daemon)["reason"] == "wifiInUse", within=10)
    check(scan(daemon)["share"] == 0.5, f"the scan is {scan(daemon)}")
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=10)
    wait_for("enough gaps", lambda: is_learned(daemon), within=60)

    # It falls silent, and is received again before it counts as gone.
    late, shared = len(controller.log(CONTINUOUS)), len(controller.log(SHARED))
    controller.tell("stop home")
    controller.expect(CONTINUOUS, 30, past=late)
    controller.tell("start home")
    controller.expect(SHARED, 15, past=shared)
    check(not daemon.events("didExitRegion"), "didExitRegion, though the beacon was received in time")

    # It falls silent, and is gone.
    late, shared = len(controller.log(CONTINUOUS)), len(controller.log(SHARED))
    controller.tell("stop home")
    began = controller.expect(CONTINUOUS, 30, past=late)
    left = seconds(daemon.expect("didExitRegion", within=60))
    ended = controller.expect(SHARED, 15, past=shared)
    check(began < left, "the scan was not continuous before the exit")
    check(ended > began, "the scan was not shared again")
    status = daemon.ask("explain", "home")[1]
    check("Scan 50 % of the time: 2.4 GHz Wi-Fi is in use" in status, f"okaeri explain shows {status}")


@scenario(within=90)
def configured_scan(folder):
    """A scan of the configuration is obeyed, and a reload changes it without a new session with the controller."""
    controller = Controller(folder)
    daemon = Daemon(folder, region(), more={"scan": {"interval": 200, "window": 50}})
    daemon.expect_bluetooth("poweredOn", within=10)
    controller.expect("scan enabled dup=0 passive interval=320 window=80", within=10)
    check(scan(daemon)["reason"] == "configured", f"the scan is {scan(daemon)}")
    identified = len(controller.log("command Read Local Supported Commands"))
    daemon.reload(region(), scan="continuous")
    controller.expect(CONTINUOUS, within=10)
    check(len(daemon.events("bluetoothStateDidUpdate")) == 1, "the state of Bluetooth was reported again")
    check(len(controller.log("command Read Local Supported Commands")) == identified, "a new session began")
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=10)
