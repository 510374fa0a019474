"""The Wi-Fi at home (hostapd and a DHCP server on wlan0) and the station (NetworkManager on wlan1)."""

import glob
import os

from .processes import Process, run
from .waiting import Failure, wait_for

# The network at home. Each scenario has its own name for it: the kernel remembers the networks of the one before.
SSID = "home"
PASSPHRASE = "correct horse battery"

WPA2 = f"wpa=2\nwpa_key_mgmt=WPA-PSK\nrsn_pairwise=CCMP\nwpa_passphrase={PASSPHRASE}\n"


class AccessPoint:
    """A network of our own: WPA2 unless `security` says otherwise ("" is open)."""

    def __init__(self, folder, security=WPA2, hidden=False, device="wlan0", network=7):
        self.device = device
        path = f"/run/hostapd-{device}.conf"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"interface={device}\nssid={SSID}\nhw_mode=g\nchannel=6\n{security}")
            file.write("ignore_broadcast_ssid=1\n" if hidden else "")
            # How often the handshake is tried, a second apart: four are too few on a slow machine.
            file.write("wpa_pairwise_update_count=8\n" if security else "")
        run("ip", "address", "flush", "dev", device)
        run("ip", "address", "add", f"192.168.{network}.1/24", "dev", device)
        self.hostapd = Process(folder, f"hostapd-{device}", ["hostapd", path])
        wait_for("the access point", lambda: "AP-ENABLED" in self.hostapd.said(), within=15)
        self.dnsmasq = Process(folder, f"dnsmasq-{device}", [
            "dnsmasq", "--keep-in-foreground", "--port=0", "--bind-interfaces", f"--interface={device}",
            "--conf-file=/dev/null", "--dhcp-authoritative", f"--dhcp-leasefile=/run/leases-{device}",
            f"--dhcp-range=192.168.{network}.10,192.168.{network}.99,1h"])

    def vanish(self):
        """Out of sight."""
        self.hostapd.stop()
        self.dnsmasq.stop()


def passphrase_file(passphrase=PASSPHRASE):
    """A file for `passphraseFile`, as a careful person keeps it."""
    path = "/run/home.psk"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(passphrase + "\n")
    return path


def save_profile(passphrase=PASSPHRASE):
    """A profile in NetworkManager, as a person makes it who joined once. It does not connect by itself."""
    run(
        "nmcli", "connection", "add", "type", "wifi", "con-name", "home", "ifname", "wlan1", "ssid", SSID,
        "autoconnect", "no", "wifi-sec.key-mgmt", "wpa-psk", "wifi-sec.psk", passphrase)


def profiles():
    """The names of NetworkManager's Wi-Fi profiles."""
    lines = run("nmcli", "-g", "NAME,TYPE", "connection", "show").splitlines()
    return [line.rpartition(":")[0] for line in lines if line.endswith(":802-11-wireless")]


def connected():
    """The name of the network the station is connected to, as nl80211 says; None without an address."""
    link = run("iw", "dev", "wlan1", "link", may_fail=True)
    names = [line.partition("SSID:")[2].strip() for line in link.splitlines() if "SSID:" in line]
    address = run("ip", "-4", "-o", "address", "show", "dev", "wlan1")
    return names[0] if names and "192.168." in address else None


def is_ready():
    """Whether NetworkManager has the station's device, and it may connect."""
    return "wlan1:disconnected" in run("nmcli", "-g", "DEVICE,STATE", "device", may_fail=True)


def begin(name):
    """NetworkManager runs, has taken up the station's device, and knows no profile; home has the name of a scenario."""
    global SSID
    SSID = name
    profiles = glob.glob("/etc/NetworkManager/system-connections/*")
    if profiles or run("nmcli", "-g", "BSSID", "device", "wifi", "list", "--rescan", "no", may_fail=True):
        # Both of them: a scan that the end of a connection cut short leaves wpa_supplicant waiting for its result.
        run("systemctl", "stop", "NetworkManager", "wpa_supplicant")
        for profile in profiles:
            os.remove(profile)
    run("systemctl", "start", "NetworkManager")
    run("nmcli", "radio", "wifi", "on")
    try:
        wait_for("wlan1, ready to connect", is_ready, within=15)
    except Failure:
        # Where wpa_supplicant took too long to start, NetworkManager has given the device up.
        run("systemctl", "restart", "wpa_supplicant", "NetworkManager")
        wait_for("wlan1, ready to connect", is_ready, within=30)
