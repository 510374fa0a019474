"""The ways a homecoming can go: what is known already, and what is answered."""

from lab import wifi
from lab.controller import Controller
from lab.daemon import Daemon, region
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check, wait_for


def come_home(folder, **settings):
    """Arrives with the network of beacons.json as given; the controller and the daemon."""
    controller = Controller(folder)
    daemon = Daemon(folder, region(wifi={"ssid": wifi.SSID, **settings}))
    daemon.expect_bluetooth("poweredOn", within=10)
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=10)
    return controller, daemon


def come_home_again(controller, daemon):
    """Leaves, and arrives once more."""
    controller.tell("stop home")
    daemon.expect("didExitRegion", within=15)
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=10, past=1)


def expect_note(daemon, words):
    """The daemon's log says why it does not ask."""
    note = f"no prompt for {wifi.SSID}: {words}"
    wait_for(f"'{note}'", lambda: note in daemon.said(), within=15)


@scenario(within=60)
def already_home_at_start(folder):
    """The beacon is in the air before the daemon is."""
    wifi.AccessPoint(folder)
    controller = Controller(folder)
    controller.tell("start home")
    file = wifi.passphrase_file()
    daemon = Daemon(folder, region(wifi={"ssid": wifi.SSID, "passphraseFile": file}))
    daemon.expect("didEnterRegion", within=10)
    daemon.expect("wifiPrompt", within=20)


@scenario(within=60)
def already_on_that_wifi(folder):
    """No prompt: there is nothing to ask."""
    wifi.AccessPoint(folder)
    wifi.save_profile()
    run("nmcli", "connection", "up", "home")
    _, daemon = come_home(folder)
    expect_note(daemon, "it is connected already")
    check(not daemon.events("wifiPrompt"), "a prompt all the same")


@scenario(within=60)
def saved_profile(folder):
    """NetworkManager's own profile is used, and no second one is made."""
    wifi.AccessPoint(folder)
    wifi.save_profile()
    _, daemon = come_home(folder)
    daemon.answer(daemon.expect("wifiPrompt", within=20)["id"], "join")
    daemon.expect("wifiJoined", within=30)
    check(wifi.connected() == wifi.SSID, "not connected")
    check(wifi.profiles() == ["home"], f"the profiles are {wifi.profiles()}")


@scenario(within=60)
def answered_later(folder):
    """`later` does not join; the next arrival counts, and is only put off."""
    wifi.AccessPoint(folder)
    controller, daemon = come_home(folder, passphraseFile=wifi.passphrase_file())
    daemon.answer(daemon.expect("wifiPrompt", within=20)["id"], "later")
    come_home_again(controller, daemon)
    expect_note(daemon, "the last prompt or attempt is too recent")
    check(wifi.connected() is None, "joined all the same")


@scenario(within=60)
def answered_never(folder):
    """`never` lasts until it is taken back."""
    wifi.AccessPoint(folder)
    controller, daemon = come_home(folder, passphraseFile=wifi.passphrase_file())
    daemon.answer(daemon.expect("wifiPrompt", within=20)["id"], "never")
    come_home_again(controller, daemon)
    expect_note(daemon, "an earlier prompt was answered with never")
    check(wifi.SSID in daemon.ask("prompts")[1], "okaeri prompts does not tell of it")
    check(daemon.ask("prompts", "--clear", wifi.SSID)[0] == 0, "it cannot be taken back")
    check(wifi.SSID not in daemon.ask("prompts")[1], "it was not taken back")
