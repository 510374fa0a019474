"""The Wi-Fi at home (hostapd and a DHCP server on wlan0) and the station (NetworkManager on wlan1).

wlan2 is a second access point, or, as a scenario chooses, a second station.
"""

import glob
import os

from . import radios
from .processes import Process, run
from .waiting import Failure, wait_for

# The name of the network at home. Each scenario has its own name, because the kernel caches the networks of the last one.
SSID = "home"
PASSPHRASE = "correct horse battery"

WPA2 = f"wpa=2\nwpa_key_mgmt=WPA-PSK\nrsn_pairwise=CCMP\nwpa_passphrase={PASSPHRASE}\n"


class AccessPoint:
    """A network of the home: `ssid` and `security` change its name and its protection, which is WPA2 by default; "" means none."""

    def __init__(self, folder, security=WPA2, hidden=False, device="wlan0", network=7, ssid=None, dhcp=True,
                 dns=False, loses_handshakes=False, namespace=None):
        """`dhcp`: whether its DHCP server runs from the start. `dns`: whether every name resolves to the access point.

        `loses_handshakes`: whether it loses the handshake frames of stations. `namespace`: see `radios.move_away`.
        """
        self.folder = folder
        self.device = device
        self.network = f"192.168.{network}"
        self.dns = ["--no-resolv", f"--address=/#/{self.network}.1"] if dns else ["--port=0"]
        self.inside = ["ip", "netns", "exec", namespace] if namespace else []
        path = f"/run/hostapd-{device}.conf"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"interface={device}\nssid={ssid or SSID}\nhw_mode=g\nchannel=6\n{security}")
            file.write("ignore_broadcast_ssid=1\n" if hidden else "")
            # The number of attempts at the handshake, a second apart: four are too few on a slow machine.
            file.write("wpa_pairwise_update_count=8\n" if security else "")
            # With this setting, handshake frames pass the traffic control.
            file.write("driver_params=control_port=0\n" if loses_handshakes else "")
        run(*self.inside, "ip", "address", "flush", "dev", device)
        run(*self.inside, "ip", "address", "add", f"{self.network}.1/24", "dev", device)
        if loses_handshakes:
            radios.drop_handshakes(device)
        self.hostapd = Process(folder, f"hostapd-{device}", [*self.inside, "hostapd", path])
        wait_for("the access point", lambda: "AP-ENABLED" in self.hostapd.said(), within=15)
        self.dnsmasq = None
        if dhcp:
            self.serve_addresses()

    def serve_addresses(self):
        """Starts the DHCP server."""
        self.dnsmasq = Process(self.folder, f"dnsmasq-{self.device}", [
            *self.inside, "dnsmasq", "--keep-in-foreground", *self.dns, "--bind-interfaces", f"--interface={self.device}",
            "--conf-file=/dev/null", "--dhcp-authoritative", f"--dhcp-leasefile=/run/leases-{self.device}",
            f"--dhcp-range={self.network}.10,{self.network}.99,1h"])

    def vanish(self):
        """Stops the network."""
        self.hostapd.stop()
        if self.dnsmasq:
            self.dnsmasq.stop()


def passphrase_file(passphrase=PASSPHRASE):
    """Writes a passphrase file for `passphraseFile`, with the required mode."""
    path = "/run/home.psk"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(passphrase + "\n")
    return path


def save_profile(*settings, passphrase=PASSPHRASE, name="home", ssid=None):
    """A profile in NetworkManager, as a user creates it by joining once. It does not connect automatically.

    `settings`: further settings, as `nmcli connection add` takes them.
    """
    run(
        "nmcli", "connection", "add", "type", "wifi", "con-name", name, "ifname", "wlan1", "ssid", ssid or SSID,
        "autoconnect", "no", "wifi-sec.key-mgmt", "wpa-psk", "wifi-sec.psk", passphrase, *settings)


def save_hotspot(ssid):
    """A profile of a hotspot on wlan1, named `hotspot`."""
    radios.mark_changed()
    save_profile("mode", "ap", "ipv4.method", "manual", "ipv4.addresses", "192.168.9.1/24",
                 # This machine may not use some of the channels that NetworkManager picks at random.
                 "wifi.band", "bg", "wifi.channel", "1", name="hotspot", ssid=ssid)


def start_hotspot(ssid):
    """Makes NetworkManager serve a hotspot on wlan1, as `hotspot`."""
    save_hotspot(ssid)
    run("nmcli", "connection", "up", "hotspot")


def is_active(profile):
    """Whether NetworkManager has activated the profile."""
    return f"{profile}:activated" in run("nmcli", "-g", "NAME,STATE", "connection", "show", "--active").splitlines()


def manage_second_station():
    """Gives wlan2 to NetworkManager as a second station."""
    radios.configure_manager("keyfile", "unmanaged-devices=interface-name:wlan0")


def profiles():
    """Returns the names of NetworkManager's Wi-Fi profiles."""
    lines = run("nmcli", "-g", "NAME,TYPE", "connection", "show").splitlines()
    return [line.rpartition(":")[0] for line in lines if line.endswith(":802-11-wireless")]


def connected(device="wlan1"):
    """Returns the name of the station's network according to nl80211, or None without an address."""
    link = run("iw", "dev", device, "link", may_fail=True)
    names = [line.partition("SSID:")[2].strip() for line in link.splitlines() if "SSID:" in line]
    address = run("ip", "-4", "-o", "address", "show", "dev", device)
    return names[0] if names and "192.168." in address else None


def is_ready():
    """Whether NetworkManager manages the station's device, and it may connect."""
    return "wlan1:disconnected" in run("nmcli", "-g", "DEVICE,STATE", "device", may_fail=True)


def is_requesting_address():
    """Whether the network has accepted the station, and NetworkManager requests an address."""
    return "wlan1:connecting (getting IP configuration)" in run("nmcli", "-g", "DEVICE,STATE", "device", may_fail=True)


def begin(name):
    """Starts NetworkManager with the station's device and without profiles; names the network at home after the scenario."""
    global SSID
    SSID = name
    profiles = glob.glob("/etc/NetworkManager/system-connections/*")
    changed = radios.are_changed()
    if profiles or changed or run("nmcli", "-g", "BSSID", "device", "wifi", "list", "--rescan", "no", may_fail=True):
        # Both, because wpa_supplicant waits forever for the result of a scan that the end of a connection interrupted.
        run("systemctl", "stop", "NetworkManager", "wpa_supplicant")
        for profile in profiles:
            os.remove(profile)
        if changed:
            radios.restore()
    run("systemctl", "start", "NetworkManager")
    run("nmcli", "radio", "wifi", "on")
    try:
        wait_for("wlan1, ready to connect", is_ready, within=15)
    except Failure:
        # NetworkManager gives up the device if wpa_supplicant takes too long to start.
        run("systemctl", "restart", "wpa_supplicant", "NetworkManager")
        wait_for("wlan1, ready to connect", is_ready, within=30)
