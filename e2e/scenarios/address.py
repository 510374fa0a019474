"""Home networks that accept the device and give it no address, or give it late."""

from lab import wifi
from lab.registry import scenario
from lab.waiting import check, holds, wait_for

from homecoming import come_home
from trouble import expect_failure


@scenario(within=90)
def no_address(folder):
    """The event names the missing address as soon as the profile's time for one is over, and the join is not repeated."""
    wifi.AccessPoint(folder, dhcp=False)
    wifi.save_profile("ipv4.dhcp-timeout", "10")
    _, daemon = come_home(folder, join="auto")
    expect_failure(daemon, "noAddress", within=30)
    check(wifi.profiles() == ["home"], f"the profiles are {wifi.profiles()}")
    wait_for("NetworkManager has given up as well", wifi.is_ready, within=60)
    check(len(daemon.events("wifiJoinFailed")) == 1, "the join was repeated")


@scenario(within=270)
def late_address(folder):
    """A profile may allow more time for its address than a join has without one: a lease after that time counts."""
    home = wifi.AccessPoint(folder, dhcp=False)
    wifi.save_profile("ipv4.dhcp-timeout", "200")
    _, daemon = come_home(folder, join="auto")
    wait_for("the request for an address", wifi.is_requesting_address, within=20)
    holds("the join under way", lambda: not daemon.events("wifiJoinFailed"), during=46)
    home.serve_addresses()
    # The client repeats its request at about 62 and 126 s; the second one is enough if the first one is lost.
    daemon.expect("wifiJoined", within=100)
    check(wifi.connected() == wifi.SSID, "not connected")
