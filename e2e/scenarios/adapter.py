"""The adapter is plugged in, unplugged and fails: the state is unknown meanwhile, no region is entered or left, and the
daemon recovers."""

from lab import bluez
from lab.controller import Controller
from lab.daemon import Daemon, exit_after, region
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check, holds, wait_for

# Another device at home, which is not a beacon.
TELEVISION = "raw television data=020106 interval=500ms"


class AtHome:
    """Starts the beacon and waits until the daemon is inside the region."""

    def __init__(self, folder):
        self.controller = Controller(folder)
        self.controller.tell("start home")
        self.exit_after = exit_after()
        self.daemon = Daemon(folder, region(exitAfter=self.exit_after))
        self.daemon.expect("didEnterRegion", within=15)

    def expect_unknown(self, state, within=10):
        """Waits until Bluetooth has another state than `poweredOn`, and the region is unknown."""
        self.daemon.expect_bluetooth(state, within)
        self.daemon.expect("didDetermineState", 2, past=1, state="unknown")

    def expect_recovery(self, within):
        """Waits until the region is inside again without an event."""
        self.daemon.expect("didDetermineState", within, past=1, state="inside")
        self.daemon.expect_sightings("after the recovery", within=3)
        check(not self.daemon.events("didExitRegion"), "didExitRegion, though the beacon was there all the time")
        check(len(self.daemon.events("didEnterRegion")) == 1, "a second didEnterRegion")


@scenario(within=60)
def adapter_absent_at_start(folder):
    """The daemon waits for an adapter that is plugged in later."""
    daemon = Daemon(folder, region())
    daemon.expect_bluetooth("unsupported", within=10)
    controller = Controller(folder, is_up=False)
    controller.tell("start home")
    controller.switch_on()
    daemon.expect("didEnterRegion", within=10)


@scenario(within=60)
def adapter_unplugged_and_back(folder):
    """The adapter is unplugged for longer than the exit time."""
    home = AtHome(folder)
    home.controller.tell("vanish")
    home.expect_unknown("unsupported")
    holds("no exit", lambda: not home.daemon.events("didExitRegion"), during=home.exit_after + 1)
    home.controller.tell("return")
    home.controller.expect("controller hci0 created", 10, past=1)
    home.controller.switch_on()
    home.expect_recovery(within=15)


@scenario(within=60)
def adapter_rfkill(folder):
    """rfkill blocks the adapter, and unblocks it."""
    home = AtHome(folder)
    run("rfkill", "block", "bluetooth")
    home.expect_unknown("poweredOff")
    check("rfkill unblock bluetooth" in home.daemon.events("bluetoothStateDidUpdate")[-1]["reason"],
          "the way out is not named")
    run("rfkill", "unblock", "bluetooth")
    home.controller.switch_on()
    home.expect_recovery(within=15)


@scenario(within=60)
def adapter_power_cycled(folder):
    """btmgmt switches the adapter off and on, as desktops do."""
    home = AtHome(folder)
    bluez.btmgmt("power", "off")
    home.expect_unknown("poweredOff")
    bluez.btmgmt("power", "on")
    home.expect_recovery(within=15)


@scenario(within=90)
def adapter_stops_answering(folder):
    """The controller ignores commands and reports nothing, for longer than the exit time."""
    home = AtHome(folder)
    home.controller.tell("ignore commands")
    home.controller.tell("stall until=resume")
    home.expect_unknown("resetting", within=30)
    home.controller.tell("answer commands")
    home.controller.tell("resume")
    home.expect_recovery(within=30)


@scenario(within=60)
def adapter_hardware_error(folder):
    """Linux restarts the controller, and the daemon receives no event that its scan has ended."""
    home = AtHome(folder)
    home.controller.tell("hardware-error")
    home.daemon.expect_bluetooth("resetting", within=10)
    home.expect_recovery(within=20)


@scenario(within=90)
def adapter_useless(folder):
    """The daemon names an adapter without LE as the reason, gives up one that does not scan, and uses the third one."""
    Controller(folder, has_le=False)
    daemon = Daemon(folder, region())
    without = daemon.expect_bluetooth("unsupported", within=15)
    check("hci0 has no Bluetooth LE" in without["reason"], f"the reason is {without['reason']}")
    mute = Controller(folder, number=1, is_up=False)
    mute.tell("ignore 0x200B 0x200C")
    mute.switch_on()
    daemon.expect("bluetoothStateDidUpdate", 20, state="resetting", adapter="hci1")
    working = Controller(folder, number=2)
    working.tell("start home")
    daemon.expect("didEnterRegion", within=40)
    bluetooth = daemon.events("bluetoothStateDidUpdate")[-1]
    check((bluetooth["state"], bluetooth["adapter"]) == ("poweredOn", "hci2"), f"Bluetooth is {bluetooth}")


@scenario(within=240)
def adapter_deaf(folder):
    """The controller answers and receives nothing, although a device advertises all the time: a power cycle helps first,
    then nothing."""
    controller = Controller(folder)
    # Whether the reports ended at once is decided by their number, and two devices are few with half of the advertisements.
    controller.tell("windows off")
    controller.tell(TELEVISION)
    controller.tell("start television")
    # Longer than the silences of a machine that stops for seconds: after three times the longest silence the controller is
    # suspect.
    patience = exit_after(30)
    daemon = Daemon(folder, region(exitAfter=patience))
    daemon.expect_bluetooth("poweredOn", within=15)
    # The time of the daemon's survey without a region inside.
    holds("no entry", lambda: not daemon.events("didEnterRegion"), during=75)
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=15)
    unknown = len(daemon.events("didDetermineState", state="unknown"))
    resets = len(controller.log("reset"))
    controller.tell("stall until=reset")
    controller.expect("reset", 2 * patience + 10, past=resets)
    daemon.expect_sightings("after the power cycle", within=10)
    holds("inside", lambda: not daemon.events("didExitRegion"), during=6)
    check(len(daemon.events("didDetermineState", state="unknown")) == unknown, "unknown, though the power cycle helped")
    check(any("switched off and on" in event["reason"] for event in daemon.events("bluetoothStateDidUpdate")),
          "the power cycle was not reported")
    controller.tell("stall until=resume")
    deaf = daemon.expect_bluetooth("resetting", 2 * patience + 20)
    check("receives nothing" in deaf["reason"], f"the reason is {deaf['reason']}")
    daemon.expect("didDetermineState", 2, past=unknown, state="unknown")
    holds("no exit", lambda: not daemon.events("didExitRegion"), during=6)
    controller.tell("resume")
    wait_for("inside again", lambda: daemon.events("didDetermineState")[-1]["state"] == "inside", within=10)
    check(not daemon.events("didExitRegion"), "didExitRegion, though the beacon was there all the time")
    check(len(daemon.events("didEnterRegion")) == 1, "a second didEnterRegion")
