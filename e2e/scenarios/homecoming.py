"""The variants of an arrival: the state at the start, and the answers."""

from lab import wifi
from lab.controller import Controller
from lab.daemon import Daemon, region
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check, wait_for


def come_home(folder, **settings):
    """The beacon arrives, with the given network in beacons.json; returns the controller and the daemon."""
    controller = Controller(folder)
    daemon = Daemon(folder, region(wifi={"ssid": wifi.SSID, **settings}))
    daemon.expect_bluetooth("poweredOn", within=10)
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=10)
    return controller, daemon


def come_home_again(controller, daemon):
    """The beacon leaves, and arrives once more."""
    controller.tell("stop home")
    daemon.expect("didExitRegion", within=15)
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=10, past=1)


def expect_note(daemon, words):
    """Waits until the daemon's log gives the reason for no prompt."""
    note = f"no prompt for “{wifi.SSID}”: {words}"
    wait_for(f"'{note}'", lambda: note in daemon.said(), within=15)


@scenario(within=60)
def already_home_at_start(folder):
    """The beacon advertises before the daemon starts."""
    wifi.AccessPoint(folder)
    controller = Controller(folder)
    controller.tell("start home")
    file = wifi.passphrase_file()
    daemon = Daemon(folder, region(wifi={"ssid": wifi.SSID, "passphraseFile": file}))
    daemon.expect("didEnterRegion", within=10)
    daemon.expect("wifiPrompt", within=20)


@scenario(within=60)
def already_on_that_wifi(folder):
    """There is no prompt if the network is joined."""
    wifi.AccessPoint(folder)
    wifi.save_profile()
    run("nmcli", "connection", "up", "home")
    _, daemon = come_home(folder)
    expect_note(daemon, "it is connected already")
    check(not daemon.events("wifiPrompt"), "a prompt all the same")


@scenario(within=60)
def saved_profile(folder):
    """The daemon uses NetworkManager's own profile, and makes no second one."""
    wifi.AccessPoint(folder)
    wifi.save_profile()
    _, daemon = come_home(folder)
    daemon.answer(daemon.expect("wifiPrompt", within=20)["id"], "join")
    daemon.expect("wifiJoined", within=30)
    check(wifi.connected() == wifi.SSID, "not connected")
    check(wifi.profiles() == ["home"], f"the profiles are {wifi.profiles()}")


@scenario(within=90)
def joined_for_one_visit(folder):
    """`once` makes a profile for the visit, and deletes it after the exit."""
    wifi.AccessPoint(folder)
    controller, daemon = come_home(folder, join="once", passphraseFile=wifi.passphrase_file())
    daemon.answer(daemon.expect("wifiPrompt", within=20)["id"], "join")
    daemon.expect("wifiJoined", within=30)
    check(len(wifi.profiles()) == 1, f"the profiles are {wifi.profiles()}")
    controller.tell("stop home")
    daemon.expect("didExitRegion", within=15)
    wait_for("the end of the profile", lambda: wifi.profiles() == [] and wifi.connected() is None, within=20)


@scenario(within=60)
def answered_later(folder):
    """The answer `later` does not join; the next arrival counts, and its prompt is only delayed."""
    wifi.AccessPoint(folder)
    controller, daemon = come_home(folder, passphraseFile=wifi.passphrase_file())
    daemon.answer(daemon.expect("wifiPrompt", within=20)["id"], "later")
    come_home_again(controller, daemon)
    expect_note(daemon, "the last prompt or attempt is too recent")
    check(wifi.connected() is None, "joined all the same")


@scenario(within=60)
def answered_never(folder):
    """The answer `never` is valid until it is deleted."""
    wifi.AccessPoint(folder)
    controller, daemon = come_home(folder, passphraseFile=wifi.passphrase_file())
    daemon.answer(daemon.expect("wifiPrompt", within=20)["id"], "never")
    come_home_again(controller, daemon)
    expect_note(daemon, "an earlier prompt was answered with never")
    check(wifi.SSID in daemon.ask("prompts")[1], "okaeri prompts does not tell of it")
    check(daemon.ask("prompts", "--clear", wifi.SSID)[0] == 0, "it cannot be taken back")
    check(wifi.SSID not in daemon.ask("prompts")[1], "it was not taken back")
