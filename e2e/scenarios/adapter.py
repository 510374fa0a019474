"""The adapter comes, goes and fails: the state is unknown meanwhile, nobody is sent home or away, and it recovers."""

from lab import bluez
from lab.controller import Controller
from lab.daemon import Daemon, exit_after, region
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check, holds, wait_for

# Another device at home, which is no beacon.
TELEVISION = "raw television data=020106 interval=500ms"


class AtHome:
    """Inside the region, with the beacon in the air."""

    def __init__(self, folder):
        self.controller = Controller(folder)
        self.controller.tell("start home")
        self.exit_after = exit_after()
        self.daemon = Daemon(folder, region(exitAfter=self.exit_after))
        self.daemon.expect("didEnterRegion", within=15)

    def expect_unknown(self, state, within=10):
        """Bluetooth has left `poweredOn` for that state, and the region is unknown."""
        self.daemon.expect_bluetooth(state, within)
        self.daemon.expect("didDetermineState", 2, past=1, state="unknown")

    def expect_recovery(self, within):
        """The region resolves by itself, as if nothing had happened."""
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
    """Unplugged for longer than the exit time."""
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
    """Blocked in software, and unblocked."""
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
    """Switched off and on by btmgmt, as desktops do."""
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
    """Linux starts the controller anew, and nobody tells us to scan again."""
    home = AtHome(folder)
    home.controller.tell("hardware-error")
    home.daemon.expect_bluetooth("resetting", within=10)
    home.expect_recovery(within=20)


@scenario(within=90)
def adapter_useless(folder):
    """An adapter without LE is named as such, one that does not scan is given up, and the third one works."""
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
    """The controller answers and receives nothing, where a device was always received: first a power cycle helps, then nothing."""
    controller = Controller(folder)
    controller.tell(TELEVISION)
    controller.tell("start television")
    # Long beside the silences of a machine that stands still for seconds: three times the longest one is suspect.
    patience = exit_after(30)
    daemon = Daemon(folder, region(exitAfter=patience))
    daemon.expect_bluetooth("poweredOn", within=15)
    # So long the daemon surveys the air with no region inside.
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
