"""Wi-Fi that does not work, or that imitates the home."""

from lab import radios, wifi
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check, wait_for

from homecoming import come_home


def expect_failure(daemon, code, within=30, event="wifiJoinFailed"):
    """Waits until the daemon reports that it could not join the network, with the cause and the fix."""
    failure = daemon.expect(event, within)
    check(failure["code"] == code, f"the failure is {failure['code']}: {failure['reason']}")


def expect_unavailable(daemon, code, within=30):
    """Waits until the daemon reports that it cannot join the network now, before it tries."""
    expect_failure(daemon, code, within, "wifiUnavailable")


def join(daemon, within=30):
    """Answers the prompt, and waits for the connection."""
    daemon.answer(daemon.expect("wifiPrompt", within=within)["id"], "join")
    daemon.expect("wifiJoined", within=45)
    check(wifi.connected() == wifi.SSID, "not connected")


@scenario(within=90)
def wrong_passphrase(folder):
    """A wrong passphrase is reported, and no profile remains that would connect again and again."""
    wifi.AccessPoint(folder)
    _, daemon = come_home(folder, join="auto", passphraseFile=wifi.passphrase_file("not the passphrase"))
    expect_failure(daemon, "wrongPassphrase", within=60)
    wait_for("no profile left", lambda: wifi.profiles() == [], within=5)


@scenario(within=90)
def wrong_passphrase_saved(folder):
    """A saved profile of NetworkManager stays, because okaeri has not made it."""
    wifi.AccessPoint(folder)
    wifi.save_profile(passphrase="not the passphrase")
    _, daemon = come_home(folder, join="auto")
    expect_failure(daemon, "wrongPassphrase", within=60)
    check(wifi.profiles() == ["home"], f"the profiles are {wifi.profiles()}")


@scenario(within=90)
def weak_signal(folder):
    """At the edge of a network a failed handshake is a weak signal, and the passphrase may be right."""
    wifi.AccessPoint(folder, loses_handshakes=True)
    radios.weaken("wlan0", -88)
    _, daemon = come_home(folder, join="auto", passphraseFile=wifi.passphrase_file())
    expect_failure(daemon, "handshakeFailed", within=60)
    wait_for("no profile left", lambda: wifi.profiles() == [], within=5)


@scenario(within=120)
def out_of_sight(folder):
    """The beacon is received from farther away than the network: the prompt comes when the network is visible."""
    _, daemon = come_home(folder, passphraseFile=wifi.passphrase_file())
    expect_unavailable(daemon, "notInSight")
    wifi.AccessPoint(folder)
    join(daemon, within=60)


@scenario(within=60)
def open_twin(folder):
    """A network without protection that has the home's name is not the home."""
    wifi.AccessPoint(folder, security="")
    _, daemon = come_home(folder, join="auto", passphraseFile=wifi.passphrase_file())
    expect_unavailable(daemon, "onlyUnsecuredInSight")
    check("AP-STA-CONNECTED" not in open(f"{folder}/hostapd-wlan0.out").read(), "it was joined")
    check(wifi.profiles() == [], f"the profiles are {wifi.profiles()}")


@scenario(within=60)
def open_twin_beside_home(folder):
    """If two networks have the name, the daemon joins the protected one."""
    twin = wifi.AccessPoint(folder, security="", device="wlan2", network=8)
    home = wifi.AccessPoint(folder)
    run("nmcli", "device", "wifi", "list", "--rescan", "yes")
    _, daemon = come_home(folder, passphraseFile=wifi.passphrase_file())
    join(daemon)
    check("AP-STA-CONNECTED" in home.hostapd.said(), "home was not joined")
    check("AP-STA-CONNECTED" not in twin.hostapd.said(), "the twin was joined")


@scenario(within=150)
def hidden(folder):
    """The daemon finds a network with a hidden name."""
    wifi.AccessPoint(folder, hidden=True)
    _, daemon = come_home(folder, passphraseFile=wifi.passphrase_file())
    # A scan without a result is repeated after thirty seconds, and after a minute more.
    join(daemon, within=110)


@scenario(within=120)
def radio_off(folder):
    """The radio is off: the answer to the prompt switches it on, and is valid until the access point is there."""
    run("nmcli", "radio", "wifi", "off")
    _, daemon = come_home(folder, passphraseFile=wifi.passphrase_file())
    prompt = daemon.expect("wifiPrompt", within=30)
    check(prompt.get("situation") == "radioOff", f"the prompt is {prompt}")
    check(daemon.status()["wifi"]["obstacle"] == "radioOff", "the status does not show it")
    daemon.answer(prompt["id"], "join")
    wait_for("the radio", lambda: run("nmcli", "radio", "wifi").strip() == "enabled", within=10)
    # Every radio of this machine was off, also that of the access point.
    wifi.AccessPoint(folder)
    daemon.expect("wifiJoined", within=75)
    check(wifi.connected() == wifi.SSID, "not connected")
    check(len(daemon.events("wifiPrompt")) == 1, "it was asked twice")


@scenario(within=90)
def manager_stopped(folder):
    """NetworkManager is stopped, and the daemon reports it; when it has started, the prompt comes."""
    wifi.AccessPoint(folder)
    run("systemctl", "stop", "NetworkManager")
    _, daemon = come_home(folder, passphraseFile=wifi.passphrase_file())
    expect_unavailable(daemon, "noNetworkManager")
    run("systemctl", "start", "NetworkManager")
    join(daemon, within=20)


@scenario(within=120)
def manager_restarted_in_a_join(folder):
    """NetworkManager restarts during a join: the join ends with a reason, and begins again with one profile."""
    # Without a DHCP server the join takes long.
    home = wifi.AccessPoint(folder, dhcp=False)
    _, daemon = come_home(folder, join="auto", passphraseFile=wifi.passphrase_file())
    wait_for("the join", lambda: daemon.status()["wifi"]["activating"], within=20)
    run("systemctl", "restart", "NetworkManager")
    expect_failure(daemon, "interrupted")
    home.serve_addresses()
    daemon.expect("wifiJoined", within=75)
    check(wifi.profiles() == [wifi.SSID], f"the profiles are {wifi.profiles()}")


@scenario(within=180)
def router_comes_back(folder):
    """A network that was joined without a prompt is joined again when its router is back, also with another passphrase."""
    router = wifi.AccessPoint(folder)
    _, daemon = come_home(folder, join="auto", passphraseFile=wifi.passphrase_file())
    daemon.expect("wifiJoined", within=60)
    router.vanish()
    wait_for("the end of the connection", lambda: wifi.connected() is None, within=60)
    changed = "another horse battery"
    wifi.passphrase_file(changed)
    wifi.AccessPoint(folder, security=wifi.WPA2.replace(wifi.PASSPHRASE, changed))
    wait_for("the connection", lambda: wifi.connected() == wifi.SSID, within=120)
    check(wifi.profiles() == [wifi.SSID], f"the profiles are {wifi.profiles()}")
