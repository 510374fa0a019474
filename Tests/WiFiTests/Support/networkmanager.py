"""NetworkManager for the tests: python-dbusmock's template, and the further parts that a join needs.

The end of an activation is the one that the test has chosen with SetOutcome; see activations.py.
"""

import json
import os
import sys
import uuid

import dbus
from gi.repository import GLib

import dbusmock
from dbusmock import MOCK_IFACE
from dbusmock.templates import networkmanager as stock
from dbusmock.templates.networkmanager import *  # noqa: F401,F403 (the template's own methods)

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(__file__))
from activations import *  # noqa: E402,F401,F403
from logins import *  # noqa: E402,F401,F403

BUS_NAME = stock.BUS_NAME
MAIN_OBJ = stock.MAIN_OBJ
IS_OBJECT_MANAGER = True
SYSTEM_BUS = True

outcome = "activated"
unheard = []
scans = []
added = []
updated = []
activated = []
deactivated = []
scan_delay = 20
refuses_deletion = False
other_connection = None
has_intruder = False


def load(mock, parameters):
    stock.load(mock, parameters)
    manager = dbusmock.get_object(NM)
    manager.AddMethods(stock.MANAGER_IFACE, [
        ("GetPermissions", "", "a{ss}", get_permissions),
        ("ActivateConnection", "ooo", "o", activate),
        ("DeactivateConnection", "o", "", deactivate),
        ("AddAndActivateConnection2", "a{sa{sv}}ooa{sv}", "ooa{sv}", add_and_activate),
    ])
    dbusmock.get_object(stock.SETTINGS_OBJ).AddMethods(stock.SETTINGS_IFACE, [
        ("AddConnection", "a{sa{sv}}", "o", add_only),
    ])
    manager.AddProperties(stock.MANAGER_IFACE, {
        "ConnectivityCheckAvailable": True, "ConnectivityCheckEnabled": True,
        "ConnectivityCheckUri": "http://check.example", "PrimaryConnection": dbus.ObjectPath("/")})
    manager.permissions = parameters.get("Permissions", {
        "org.freedesktop.NetworkManager.network-control": "yes",
        "org.freedesktop.NetworkManager.settings.modify.system": "yes",
        "org.freedesktop.NetworkManager.wifi.scan": "yes",
    })


def get_permissions(self):
    global other_connection
    if other_connection:
        start(*other_connection, [], None)
        device, access_point = other_connection[1:]
        dbusmock.get_object(device).Set(stock.WIRELESS_DEVICE_IFACE, "ActiveAccessPoint", access_point)
        set_state(device, ACTIVATED, 0)
        other_connection = None
    return dbus.Dictionary(self.permissions, signature="ss")


def activate(self, profile, device, access_point):
    global outcome
    if outcome == "denied":
        raise dbus.exceptions.DBusException("Not authorized", name=stock.MANAGER_IFACE + ".PermissionDenied")
    activated.append({"profile": str(profile), "device": str(device), "accessPoint": str(access_point)})
    now, _, later = outcome.partition(",")
    outcome = later or now
    states, end = OUTCOMES[now]
    if has_intruder:
        for state, reason in (CONFIG, 0), (NEED_AUTH, 0), (FAILED, 7), (DISCONNECTED, 0):
            set_state(device, state, reason)
    return start(profile, device, access_point, states, end)


def deactivate(self, path):
    if outcome == "denied":
        raise dbus.exceptions.DBusException("Not authorized", name=stock.MANAGER_IFACE + ".PermissionDenied")
    device = dbusmock.get_object(path).Get(stock.ACTIVE_CONNECTION_IFACE, "Devices")[0]
    deactivated.append(str(dbusmock.get_object(path).Get(stock.ACTIVE_CONNECTION_IFACE, "Id")))
    end_by_user(device)


def end_by_user(device_path):
    device = dbusmock.get_object(device_path)
    finish(device.Get(stock.DEVICE_IFACE, "ActiveConnection"), dbus.ObjectPath(device_path), 4, 2)
    set_state(dbus.ObjectPath(device_path), 110, 39)
    device.Set(stock.WIRELESS_DEVICE_IFACE, "ActiveAccessPoint", dbus.ObjectPath("/"))
    set_state(dbus.ObjectPath(device_path), DISCONNECTED, 39)


def add_and_activate(self, settings, device, access_point, _options):
    if outcome == "denied":
        raise dbus.exceptions.DBusException("Not authorized", name=stock.MANAGER_IFACE + ".PermissionDenied")
    if outcome == "refused":
        raise dbus.exceptions.DBusException("no room", name=stock.MANAGER_IFACE + ".Failed")
    added.append(settings)
    profile = add_profile(settings, device)
    return (profile, activate(self, profile, device, access_point), dbus.Dictionary({}, signature="sv"))


def add_only(self, settings):
    if outcome == "denied":
        raise dbus.exceptions.DBusException("Not authorized", name=stock.SETTINGS_IFACE + ".PermissionDenied")
    added.append(settings)
    return add_profile(settings, f"{NM}/Devices/wlan0")


def add_profile(settings, device):
    """The same as the template's AddWiFiConnection, with settings of the test."""
    settings_object = dbusmock.get_object(stock.SETTINGS_OBJ)
    known = settings_object.ListConnections()
    number = 0
    while f"{stock.SETTINGS_OBJ}/{number}" in known:
        number += 1
    path = dbus.ObjectPath(f"{stock.SETTINGS_OBJ}/{number}")
    properties = {"Unsaved": False, "Flags": dbus.UInt32(0)}
    dbusmock.get_object(stock.MAIN_OBJ).AddObject(path, stock.CSETTINGS_IFACE, properties, [
        ("Delete", "", "", "self.ConnectionDelete(self)"),
        ("GetSettings", "", "a{sa{sv}}", "ret = self.ConnectionGetSettings(self)"),
        ("GetSecrets", "s", "a{sa{sv}}", "ret = self.ConnectionGetSecrets(self, args[0])"),
        ("Update2", "a{sa{sv}}ua{sv}", "a{sv}", update),
    ])
    profile = dbusmock.get_object(path)
    profile.settings = settings
    profile.connection_path = path
    profile.ConnectionDelete = delete
    profile.ConnectionGetSettings = without_secrets
    profile.ConnectionGetSecrets = only_secrets
    dbusmock.get_object(stock.MAIN_OBJ).object_manager_emit_added(path)
    for owner, interface, name in ((dbusmock.get_object(device), stock.DEVICE_IFACE, "AvailableConnections"),
                                   (settings_object, stock.SETTINGS_IFACE, "Connections")):
        owner.Set(interface, name, dbus.Array(list(owner.Get(interface, name)) + [path], signature="o"))
    settings_object.EmitSignal(stock.SETTINGS_IFACE, "NewConnection", "o", [path])
    return path


def update(self, settings, _flags, _arguments):
    self.settings = settings
    updated.append(settings)
    return dbus.Dictionary({}, signature="sv")


def delete(self):
    if refuses_deletion:
        raise dbus.exceptions.DBusException("busy", name=stock.CSETTINGS_IFACE + ".Failed")
    stock.ConnectionDelete(self)


def only_secrets(self, name):
    if outcome == "denied":
        raise dbus.exceptions.DBusException("Not authorized", name=stock.SETTINGS_IFACE + ".PermissionDenied")
    secrets = {key: value for key, value in self.settings.get(name, {}).items() if key == "psk"}
    return dbus.Dictionary({name: dbus.Dictionary(secrets, signature="sv")}, signature="sa{sv}")


def without_secrets(self):
    return dbus.Dictionary({
        name: dbus.Dictionary({key: value for key, value in setting.items() if key != "psk"}, signature="sv")
        for name, setting in self.settings.items()
    }, signature="sa{sv}")


def scan(self, options):
    """Adds the access points that wait for a scan, hidden ones only by name; ends a little after the reply."""
    names = [bytes(name).decode() for name in options.get("ssids", [])]
    scans.append(names)
    if self.Get(stock.DEVICE_IFACE, "State") <= UNAVAILABLE:
        raise dbus.exceptions.DBusException(
            "Scanning not allowed while unavailable", name="org.freedesktop.NetworkManager.Device.NotAllowed")
    main = dbusmock.get_object(stock.MAIN_OBJ)

    def end():
        if other_connection:
            dbusmock.get_object(NM).EmitSignal(stock.MANAGER_IFACE, "CheckPermissions", "", [])
        for waiting in [one for one in unheard if one["is_hidden"] is False or one["access_point"][0] in names]:
            unheard.remove(waiting)
            main.Hear(self.path, *waiting["access_point"])
        last = self.Get(stock.WIRELESS_DEVICE_IFACE, "LastScan")
        self.Set(stock.WIRELESS_DEVICE_IFACE, "LastScan", dbus.Int64(max(last, 0) + 1000))
        return False

    GLib.timeout_add(scan_delay, end)


@dbus.service.method(MOCK_IFACE, in_signature="u", out_signature="")
def SetScanDelay(_self, milliseconds):
    """Sets the time between a scan's acceptance and its end."""
    global scan_delay
    scan_delay = milliseconds


@dbus.service.method(MOCK_IFACE, in_signature="b", out_signature="")
def SetIntruder(_self, is_there):
    """Sets whether another activation fails on the device after each request and before the answer to it."""
    global has_intruder
    has_intruder = bool(is_there)


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def Serve(self, device_path, ssid):
    """Makes the device serve a hotspot."""
    path = self.Hear(device_path, ssid, 1, 0, 0x188, 100)
    dbusmock.get_object(path).Set(stock.ACCESS_POINT_IFACE, "Mode", dbus.UInt32(ACCESS_POINT))
    device = dbusmock.get_object(device_path)
    device.Set(stock.WIRELESS_DEVICE_IFACE, "Mode", dbus.UInt32(ACCESS_POINT))
    device.Set(stock.WIRELESS_DEVICE_IFACE, "ActiveAccessPoint", dbus.ObjectPath(path))
    set_state(dbus.ObjectPath(device_path), ACTIVATED, 0)


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="")
def SetOutcome(_self, name):
    """Sets the end of the next activations: one of OUTCOMES, or several with commas for one after the other, or denied,
    refused."""
    global outcome
    outcome = name


@dbus.service.method(MOCK_IFACE, in_signature="su", out_signature="s")
def AddRadio(self, name, state):
    """Adds a Wi-Fi device that can scan."""
    path = self.AddWiFiDevice(name, name, state)
    device = dbusmock.get_object(path)
    device.AddProperties(stock.WIRELESS_DEVICE_IFACE, {
        "LastScan": dbus.Int64(-1), "ActiveAccessPoint": dbus.ObjectPath("/")})
    device.AddProperties(stock.DEVICE_IFACE, {"FirmwareMissing": False})
    device.AddMethod(stock.WIRELESS_DEVICE_IFACE, "RequestScan", "a{sv}", "", scan)
    device.AddProperties(stock.DEVICE_IFACE, {"Ip4Connectivity": dbus.UInt32(0), "Ip6Connectivity": dbus.UInt32(0)})
    # Again, with the properties added since, which the client has not received.
    self.object_manager_emit_added(path)
    return path


@dbus.service.method(MOCK_IFACE, in_signature="su", out_signature="")
def SetDeviceState(_self, device_path, state):
    set_state(dbus.ObjectPath(device_path), state, 0)


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="u")
def DeviceState(_self, device_path):
    return dbusmock.get_object(device_path).Get(stock.DEVICE_IFACE, "State")


@dbus.service.method(MOCK_IFACE, in_signature="ssuuuy", out_signature="s")
def Hear(self, device_path, ssid, flags, wpa, rsn, strength):
    """Adds an access point, with each of its three flag words."""
    number = sum("/AccessPoint/" in path for path in dbusmock.get_objects())
    path = dbus.ObjectPath(f"{NM}/AccessPoint/{number}")
    self.AddObject(path, stock.ACCESS_POINT_IFACE, {
        "Ssid": dbus.ByteArray(ssid.encode()), "HwAddress": f"02:00:00:00:00:{number:02x}",
        "Flags": dbus.UInt32(flags), "WpaFlags": dbus.UInt32(wpa), "RsnFlags": dbus.UInt32(rsn),
        "Frequency": dbus.UInt32(2412), "MaxBitrate": dbus.UInt32(54000), "Mode": dbus.UInt32(2),
        "Strength": dbus.Byte(strength), "LastSeen": dbus.Int32(1),
    }, [])
    self.object_manager_emit_added(path)
    device = dbusmock.get_object(device_path)
    device.access_points.append(path)
    known = list(device.Get(stock.WIRELESS_DEVICE_IFACE, "AccessPoints"))
    device.Set(stock.WIRELESS_DEVICE_IFACE, "AccessPoints", dbus.Array(known + [path], signature="o"))
    return path


@dbus.service.method(MOCK_IFACE, in_signature="su", out_signature="")
def SetFrequency(_self, path, frequency):
    """Sets the frequency of an access point, in MHz."""
    dbusmock.get_object(path).Set(stock.ACCESS_POINT_IFACE, "Frequency", dbus.UInt32(frequency))


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def Lose(_self, device_path, path):
    """Removes an access point from the device's reception."""
    device = dbusmock.get_object(device_path)
    device.access_points.remove(path)
    known = [other for other in device.Get(stock.WIRELESS_DEVICE_IFACE, "AccessPoints") if other != path]
    device.Set(stock.WIRELESS_DEVICE_IFACE, "AccessPoints", dbus.Array(known, signature="o"))


@dbus.service.method(MOCK_IFACE, in_signature="suuuyb", out_signature="")
def Await(_self, ssid, flags, wpa, rsn, strength, is_hidden):
    """Adds an access point that the next scan brings in sight; a hidden one only if the scan requests its name."""
    unheard.append({"access_point": (ssid, flags, wpa, rsn, strength), "is_hidden": bool(is_hidden)})


@dbus.service.method(MOCK_IFACE, in_signature="ssst", out_signature="s")
def Save(self, device_path, ssid, security, last_use):
    """Adds a profile. `security` is the 802-11-wireless-security setting as JSON, empty for none; 0: it has never connected."""
    settings = {
        "ipv4": {"method": "auto", "dhcp-timeout": dbus.Int32(1)},
        "connection": {"id": ssid, "uuid": str(uuid.uuid4()), "type": WIRELESS, "timestamp": dbus.UInt64(last_use)},
        WIRELESS: {"ssid": dbus.ByteArray(ssid.encode()), "mode": "infrastructure"},
    }
    if security:
        settings[SECURITY] = {
            key: dbus.Array(value, signature="s") if isinstance(value, list) else value
            for key, value in json.loads(security).items()}
        settings[WIRELESS]["security"] = SECURITY
        if "psk-flags" in settings[SECURITY]:
            settings[SECURITY]["psk-flags"] = dbus.UInt32(settings[SECURITY]["psk-flags"])
        if settings[SECURITY]["key-mgmt"] == "wpa-eap":
            settings["802-1x"] = {
                "eap": dbus.Array(["peap"], signature="s"), "identity": "me", "phase2-auth": "mschapv2"}
    return add_profile(settings, dbus.ObjectPath(device_path))


@dbus.service.method(MOCK_IFACE, in_signature="sss", out_signature="s")
def SaveWith(self, device_path, ssid, further):
    """Adds a profile with WPA2 and further settings, as JSON."""
    settings = {
        "connection": {"id": ssid, "uuid": str(uuid.uuid4()), "type": WIRELESS},
        WIRELESS: {"ssid": dbus.ByteArray(ssid.encode()), "mode": "infrastructure", "security": SECURITY},
        SECURITY: {"key-mgmt": "wpa-psk"},
    }
    for name, setting in json.loads(further).items():
        for key, value in setting.items():
            if isinstance(value, list):
                value = dbus.Array(value, signature="s")
            if key == "bssid":
                value = dbus.ByteArray(bytes.fromhex(value.replace(":", "")))
            settings[name][key] = value
    return add_profile(settings, dbus.ObjectPath(device_path))


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="")
def Complete(_self, device_path):
    """Completes a connection that requests an address."""
    path = dbusmock.get_object(device_path).Get(stock.DEVICE_IFACE, "ActiveConnection")
    access_point = dbusmock.get_object(path).Get(stock.ACTIVE_CONNECTION_IFACE, "SpecificObject")
    dbusmock.get_object(device_path).Set(stock.WIRELESS_DEVICE_IFACE, "ActiveAccessPoint", access_point)
    set_state(dbus.ObjectPath(device_path), ACTIVATED, 0)
    finish(path, dbus.ObjectPath(device_path), 2, 1)


@dbus.service.method(MOCK_IFACE, in_signature="sss", out_signature="")
def Connect(_self, device_path, profile, access_point):
    """Connects as another program would."""
    start(dbus.ObjectPath(profile), dbus.ObjectPath(device_path), dbus.ObjectPath(access_point),
          [(ACTIVATED, 0)], (2, 1))


@dbus.service.method(MOCK_IFACE, in_signature="sss", out_signature="")
def RequestAddress(_self, device_path, profile, access_point):
    """Makes the network accept the device with that profile, without an address yet."""
    start(dbus.ObjectPath(profile), dbus.ObjectPath(device_path), dbus.ObjectPath(access_point),
          [(IP_CONFIG, 0)], None)


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def StartHotspot(_self, device_path, ssid):
    """Makes the device begin to serve a hotspot; its mode does not show that yet."""
    settings = {
        "connection": {"id": ssid, "uuid": str(uuid.uuid4()), "type": WIRELESS},
        WIRELESS: {"ssid": dbus.ByteArray(ssid.encode()), "mode": "ap"},
    }
    device = dbus.ObjectPath(device_path)
    start(add_profile(settings, device), device, dbus.ObjectPath("/"), [(CONFIG, 0)], None)


@dbus.service.method(MOCK_IFACE, in_signature="ssb", out_signature="s")
def SaveHotspot(_self, name, ssid, is_secured):
    """Adds a profile of a hotspot, with WPA2 or without anything."""
    settings = {
        "connection": {"id": name, "uuid": str(uuid.uuid4()), "type": WIRELESS},
        WIRELESS: {"ssid": dbus.ByteArray(ssid.encode()), "mode": "ap"},
    }
    if is_secured:
        settings[WIRELESS]["security"] = SECURITY
        settings[SECURITY] = {
            "key-mgmt": "wpa-psk", "proto": dbus.Array(["rsn"], signature="s"),
            "pairwise": dbus.Array(["ccmp"], signature="s")}
    return add_profile(settings, dbus.ObjectPath(f"{NM}/Devices/wlan0"))


@dbus.service.method(MOCK_IFACE, in_signature="sss", out_signature="")
def ConnectInPermissionCheck(_self, device_path, profile, access_point):
    """Makes a check of the permissions follow the next scan, during which the device connects with that profile."""
    global other_connection
    other_connection = dbus.ObjectPath(profile), dbus.ObjectPath(device_path), dbus.ObjectPath(access_point)


@dbus.service.method(MOCK_IFACE, in_signature="b", out_signature="")
def SetRefusesDeletion(_self, refuses):
    """Sets whether profiles can not be deleted."""
    global refuses_deletion
    refuses_deletion = bool(refuses)


@dbus.service.method(MOCK_IFACE, in_signature="su", out_signature="")
def SetConnectivity(_self, device_path, connectivity):
    """Sets the result of the connectivity check: an NMConnectivityState."""
    dbusmock.get_object(device_path).Set(stock.DEVICE_IFACE, "Ip4Connectivity", dbus.UInt32(connectivity))


@dbus.service.method(MOCK_IFACE, in_signature="bb", out_signature="")
def SetRadio(_self, enabled, hardware):
    manager = dbusmock.get_object(NM)
    manager.UpdateProperties(stock.MANAGER_IFACE, {"WirelessEnabled": enabled, "WirelessHardwareEnabled": hardware})


@dbus.service.method(MOCK_IFACE, in_signature="sy", out_signature="")
def SetStrength(_self, path, strength):
    """Sets the strength of an access point's signal, in percent."""
    dbusmock.get_object(path).Set(stock.ACCESS_POINT_IFACE, "Strength", dbus.Byte(strength))


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="")
def Disconnect(_self, device_path):
    """Ends the connection of the device, as a user does."""
    end_by_user(device_path)


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="")
def Plug(self, name):
    """Connects this machine by Ethernet, which becomes the primary connection."""
    device = self.AddEthernetDevice(name, name, ACTIVATED)
    path = dbus.ObjectPath(f"{NM}/ActiveConnection/{uuid.uuid4().hex}")
    self.AddObject(path, stock.ACTIVE_CONNECTION_IFACE, {
        "Devices": dbus.Array([device], signature="o"), "Default": True, "Default6": False, "Vpn": False,
        "Type": "802-3-ethernet", "Connection": dbus.ObjectPath("/"), "Master": dbus.ObjectPath("/"),
        "SpecificObject": dbus.ObjectPath("/"), "Uuid": str(uuid.uuid4()), "Id": name,
        "State": dbus.UInt32(2), "StateFlags": dbus.UInt32(0),
    }, [])
    self.object_manager_emit_added(path)
    manager = dbusmock.get_object(NM)
    known = list(manager.Get(stock.MANAGER_IFACE, "ActiveConnections"))
    manager.Set(stock.MANAGER_IFACE, "ActiveConnections", dbus.Array(known + [path], signature="o"))
    manager.Set(stock.MANAGER_IFACE, "PrimaryConnection", path)


@dbus.service.method(MOCK_IFACE, in_signature="u", out_signature="")
def SetOnline(_self, connectivity):
    """Sets the result of the check of the whole machine: an NMConnectivityState."""
    dbusmock.get_object(NM).UpdateProperties(stock.MANAGER_IFACE, {"Connectivity": dbus.UInt32(connectivity)})


@dbus.service.method(MOCK_IFACE, in_signature="b", out_signature="")
def SetNetworking(_self, enabled):
    """Sets whether NetworkManager's networking is on, for all devices."""
    dbusmock.get_object(NM).UpdateProperties(stock.MANAGER_IFACE, {"NetworkingEnabled": enabled})


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="")
def SetFirmwareMissing(_self, device_path):
    dbusmock.get_object(device_path).Set(stock.DEVICE_IFACE, "FirmwareMissing", dbus.Boolean(True))


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def SetPermission(_self, name, result):
    manager = dbusmock.get_object(NM)
    manager.permissions["org.freedesktop.NetworkManager." + name] = result
    manager.EmitSignal(stock.MANAGER_IFACE, "CheckPermissions", "", [])


@dbus.service.method(MOCK_IFACE, in_signature="", out_signature="s")
def Report(_self):
    """Returns the calls to NetworkManager so far, as JSON."""
    known = dbusmock.get_object(stock.SETTINGS_OBJ).ListConnections()
    profiles = [dbusmock.get_object(path).settings for path in known]
    return json.dumps({
        "scans": scans,
        "activated": activated,
        "deactivated": deactivated,
        "added": [plain(settings) for settings in added],
        "updated": [plain(settings) for settings in updated],
        "profiles": [str(settings["connection"]["id"]) for settings in profiles],
    })


def plain(value):
    if isinstance(value, dbus.ByteArray) or (isinstance(value, dbus.Array) and value.signature == "y"):
        return bytes(value).decode()
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dbus.Boolean):
        return bool(value)
    if isinstance(value, int):
        return int(value)
    return str(value)
