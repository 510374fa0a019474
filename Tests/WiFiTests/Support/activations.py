"""Activations of the scripted NetworkManager: the device's states as NetworkManager's, to an end that the test chooses."""

import os
import uuid

import dbus
from gi.repository import GLib

import dbusmock
from dbusmock.templates import networkmanager as stock

NM = stock.MANAGER_OBJ
WIRELESS = "802-11-wireless"
SECURITY = "802-11-wireless-security"
UNMANAGED, UNAVAILABLE, DISCONNECTED, PREPARE, CONFIG, NEED_AUTH, IP_CONFIG = 10, 20, 30, 40, 50, 60, 70
ACTIVATED, FAILED = 100, 120
INFRASTRUCTURE, ACCESS_POINT = 2, 3

# In place of a device's state: no change for so many milliseconds.
PAUSE = "pause"

# The states after PREPARE: (device state, reason) ... and the active connection's (state, reason) at the end.
OUTCOMES = {
    "activated": ([(CONFIG, 0), (NEED_AUTH, 0), (IP_CONFIG, 0), (ACTIVATED, 0)], (2, 1)),
    "noSecrets": ([(CONFIG, 0), (NEED_AUTH, 0), (FAILED, 7), (DISCONNECTED, 0)], (4, 9)),
    "supplicantTimeout": ([(CONFIG, 0), (FAILED, 11), (DISCONNECTED, 0)], (4, 3)),
    "linkLost": ([(CONFIG, 0), (IP_CONFIG, 0), (FAILED, 8), (DISCONNECTED, 0)], (4, 3)),
    "begunAnew": ([(CONFIG, 0), (IP_CONFIG, 0), (NEED_AUTH, 8), (FAILED, 7), (DISCONNECTED, 0)], (4, 9)),
    "ssidNotFound": ([(CONFIG, 0), (FAILED, 53), (DISCONNECTED, 0)], (4, 3)),
    "noAddress": ([(CONFIG, 0), (IP_CONFIG, 0), (FAILED, 5), (DISCONNECTED, 0)], (4, 3)),
    "firmwareMissing": ([(CONFIG, 0), (FAILED, 35), (DISCONNECTED, 0)], (4, 3)),
    "userRequested": ([(CONFIG, 0), (110, 39), (DISCONNECTED, 39)], (4, 2)),
    "managerStops": ([(CONFIG, 0), (UNMANAGED, 3)], (4, 3)),
    "hangs": ([(CONFIG, 0)], None),
    "addressLate": ([(CONFIG, 0), (IP_CONFIG, 0), (PAUSE, 700), (ACTIVATED, 0)], (2, 1)),
    "addressNever": ([(CONFIG, 0), (IP_CONFIG, 0)], None),
    "vanishes": ([(CONFIG, 0)], "exit"),
}


def start(profile, device, access_point, states, end):
    """Starts an activation; its further states follow the reply, a step at a time."""
    main = dbusmock.get_object(stock.MAIN_OBJ)
    manager = dbusmock.get_object(NM)
    settings = dbusmock.get_object(profile).settings
    previous = dbusmock.get_object(device).Get(stock.DEVICE_IFACE, "ActiveConnection")
    if previous in dbusmock.get_objects():
        finish(previous, device, 4, 3)
    path = dbus.ObjectPath(f"{NM}/ActiveConnection/{uuid.uuid4().hex}")
    main.AddObject(path, stock.ACTIVE_CONNECTION_IFACE, {
        "Devices": dbus.Array([device], signature="o"), "Default": False, "Default6": False, "Vpn": False,
        "Type": WIRELESS, "Connection": profile, "Master": dbus.ObjectPath("/"), "SpecificObject": access_point,
        "Uuid": settings["connection"]["uuid"], "Id": settings["connection"]["id"],
        "State": dbus.UInt32(1), "StateFlags": dbus.UInt32(0),
    }, [])
    main.object_manager_emit_added(path)
    known = list(manager.Get(stock.MANAGER_IFACE, "ActiveConnections"))
    manager.Set(stock.MANAGER_IFACE, "ActiveConnections", dbus.Array(known + [path], signature="o"))
    dbusmock.get_object(device).Set(stock.DEVICE_IFACE, "ActiveConnection", path)
    set_state(device, PREPARE, 0)

    steps = list(states)

    def step():
        if path not in dbusmock.get_objects():
            return False
        if steps:
            state, reason = steps.pop(0)
            if state == PAUSE:
                GLib.timeout_add(reason, step)
                return False
            if state == ACTIVATED:
                dbusmock.get_object(device).Set(stock.WIRELESS_DEVICE_IFACE, "ActiveAccessPoint", access_point)
            set_state(device, state, reason)
            return True
        if end == "exit":
            os._exit(1)
        if end:
            finish(path, device, *end)
        return False

    GLib.timeout_add(5, step)
    return path


def finish(path, device, state, reason):
    main = dbusmock.get_object(stock.MAIN_OBJ)
    manager = dbusmock.get_object(NM)
    active = dbusmock.get_object(path)
    active.Set(stock.ACTIVE_CONNECTION_IFACE, "State", dbus.UInt32(state))
    active.EmitSignal(stock.ACTIVE_CONNECTION_IFACE, "StateChanged", "uu", [dbus.UInt32(state), dbus.UInt32(reason)])
    if state == 4:
        known = [other for other in manager.Get(stock.MANAGER_IFACE, "ActiveConnections") if other != path]
        manager.Set(stock.MANAGER_IFACE, "ActiveConnections", dbus.Array(known, signature="o"))
        dbusmock.get_object(device).Set(stock.DEVICE_IFACE, "ActiveConnection", dbus.ObjectPath("/"))
        main.object_manager_emit_removed(path)
        main.RemoveObject(path)


def set_state(device, state, reason):
    # Both properties in one signal, as NetworkManager sends them. The mock's own method cannot send a structure.
    properties = {
        "State": dbus.UInt32(state, variant_level=1),
        "StateReason": dbus.Struct((dbus.UInt32(state), dbus.UInt32(reason)), signature="uu", variant_level=1),
    }
    one = dbusmock.get_object(device)
    one.props[stock.DEVICE_IFACE].update(properties)
    one.EmitSignal(dbus.PROPERTIES_IFACE, "PropertiesChanged", "sa{sv}as", [
        stock.DEVICE_IFACE, dbus.Dictionary(properties, signature="sv"), dbus.Array([], signature="s")])
