"""Wi-Fi devices that are in use: by a hotspot of this machine, or by another network."""

from lab import wifi
from lab.controller import Controller
from lab.daemon import Daemon, region
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check, wait_for

from homecoming import come_home
from trouble import expect_unavailable, join


@scenario(within=90)
def serves_hotspot(folder):
    """A hotspot with the home's name on the only device is not a connection to the home, and it stays up."""
    wifi.AccessPoint(folder)
    wifi.start_hotspot(wifi.SSID)
    _, daemon = come_home(folder, join="auto", passphraseFile=wifi.passphrase_file())
    expect_unavailable(daemon, "servesHotspot")
    check(wifi.is_active("hotspot"), "the hotspot was stopped")


@scenario(within=90)
def beside_a_hotspot(folder):
    """If one of two devices serves a hotspot, the other one joins without a prompt, and the hotspot stays up."""
    wifi.AccessPoint(folder)
    # The device with the hotspot has received the home's network before.
    run("nmcli", "device", "wifi", "list", "--rescan", "yes")
    wifi.start_hotspot("garden")
    wifi.manage_second_station()
    _, daemon = come_home(folder, join="auto", passphraseFile=wifi.passphrase_file())
    joined = daemon.expect("wifiJoined", within=60)
    check(joined["device"] == "wlan2", f"{joined['device']} joined")
    check(wifi.connected("wlan2") == wifi.SSID, "not connected")
    check(not daemon.events("wifiPrompt"), "a prompt all the same")
    check(wifi.is_active("hotspot"), "the hotspot was stopped")


@scenario(within=120)
def connected_elsewhere(folder):
    """The only device leaves another network after the answer to a prompt, and not with `join: auto`."""
    wifi.AccessPoint(folder)
    wifi.AccessPoint(folder, device="wlan2", network=8, ssid="office")
    wifi.save_profile(name="office", ssid="office")
    run("nmcli", "connection", "up", "office")
    home = {"passphraseFile": wifi.passphrase_file()}
    controller, daemon = come_home(folder, join="auto", **home)
    expect_unavailable(daemon, "connectedElsewhere", within=45)
    check(wifi.connected() == "office", "office was left without an answer")
    daemon.stop()
    daemon = Daemon(folder, region(wifi={"ssid": wifi.SSID, **home}), name="asking")
    join(daemon)


@scenario(within=120)
def hotspot_by_arrival(folder):
    """The arrival opens a hotspot, and the departure closes it, without a question."""
    wifi.save_hotspot("garden")
    settings = {"ssid": "garden", "join": "auto", "onArrival": "hotspot", "onDeparture": "hotspot-off"}
    controller = Controller(folder)
    daemon = Daemon(folder, region(wifi=settings))
    daemon.expect_bluetooth("poweredOn", within=10)
    check(not wifi.is_active("hotspot"), "the hotspot is open before the arrival")
    controller.tell("start home")
    opened = daemon.expect("wifiActionCompleted", within=45)
    check(opened["action"] == "hotspot" and opened["device"] == "wlan1", f"the event is {opened}")
    check(wifi.is_active("hotspot"), "the hotspot is not open")
    controller.tell("stop home")
    closed = daemon.expect("wifiActionCompleted", within=45, past=1)
    check(closed["action"] == "hotspot-off", f"the event is {closed}")
    check(not wifi.is_active("hotspot"), "the hotspot stayed open")
    check(not daemon.events("wifiPrompt") and not daemon.events("wifiActionFailed"), "a question, or a failure")


@scenario(within=150)
def laptop_comes_home(folder):
    """A machine with its beacon fixed at home goes and comes back: away its Wi-Fi is off, at home it joins."""
    home = wifi.AccessPoint(folder)
    wifi.save_profile()
    run("nmcli", "connection", "up", "home")
    controller = Controller(folder)
    controller.tell("start home")
    daemon = Daemon(folder, region(wifi={"ssid": wifi.SSID, "join": "auto", "onDeparture": "radio-off"}))
    daemon.expect("didEnterRegion", within=15)
    check(wifi.connected() == wifi.SSID, "not connected at the start")
    home.vanish()
    controller.tell("stop home")
    off = daemon.expect("wifiActionCompleted", within=60)
    check(off["action"] == "radio-off", f"the event is {off}")
    check(run("nmcli", "radio", "wifi").strip() == "disabled", "Wi-Fi is on")
    controller.tell("start home")
    wait_for("the radio", lambda: run("nmcli", "radio", "wifi").strip() == "enabled", within=30)
    # Every radio of this machine was off, also that of the access point.
    wifi.AccessPoint(folder)
    daemon.expect("wifiJoined", within=75)
    check(wifi.connected() == wifi.SSID, "not connected")
    check(not daemon.events("wifiPrompt"), "a question")
