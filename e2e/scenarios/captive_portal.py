"""A network that accepts the device and reaches the Internet only after a login on a web page."""

from lab import wifi
from lab.portal import ADDRESS, Portal
from lab.registry import scenario
from lab.waiting import check, wait_for

from homecoming import come_home


@scenario(within=120)
def captive_portal(folder):
    """After the join an event names the portal and the address to open, and the status shows the portal until the login."""
    portal = Portal(folder)
    _, daemon = come_home(folder, join="auto", passphraseFile=wifi.passphrase_file())
    daemon.expect("wifiJoined", within=45)
    limited = daemon.expect("wifiAccessLimited", within=30)
    check(limited["code"] == "captivePortal", f"the limitation is {limited['code']}: {limited['reason']}")
    check(ADDRESS in limited["reason"], f"no address to open: {limited['reason']}")
    check(daemon.status()["wifi"]["limitation"] == "captivePortal", "the status does not show the portal")
    portal.log_in()
    wait_for("the Internet", lambda: "limitation" not in daemon.status()["wifi"], within=40)
    check(wifi.connected() == wifi.SSID, "not connected any more")
    check(len(daemon.events("wifiAccessLimited")) == 1, "the portal was reported twice")
