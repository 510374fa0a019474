"""Logins over this machine's connections, for the scripted NetworkManager."""

import socket
import uuid

import dbus

import dbusmock
from dbusmock import MOCK_IFACE
from dbusmock.templates import networkmanager as stock

sockets = []


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def SetAddress(self, device_path, address):
    """Gives the device an IPv4 address."""
    path = dbus.ObjectPath(f"{stock.MANAGER_OBJ}/IP4Config/{uuid.uuid4().hex}")
    data = dbus.Array([dbus.Dictionary(
        {"address": dbus.String(address, variant_level=1), "prefix": dbus.UInt32(24, variant_level=1)},
        signature="sv")], signature="a{sv}")
    self.AddObject(path, "org.freedesktop.NetworkManager.IP4Config", {"AddressData": data, "Gateway": ""}, [])
    self.object_manager_emit_added(path)
    device = dbusmock.get_object(device_path)
    device.AddProperties(stock.DEVICE_IFACE, {"Ip4Config": dbus.ObjectPath("/")})
    device.Set(stock.DEVICE_IFACE, "Ip4Config", path)


@dbus.service.method(MOCK_IFACE, in_signature="sbs", out_signature="")
def LogIn(self, address, is_remote, host):
    """Opens a TCP connection over an address of this machine, and a session of logind."""
    listener = socket.create_server((address, 0))
    client = socket.create_connection(listener.getsockname(), source_address=(address, 0))
    sockets.extend([listener, client, listener.accept()[0]])
    session = dbus.ObjectPath("/org/freedesktop/login1/session/_31")
    self.AddObject(session, "org.freedesktop.login1.Session", {"Remote": bool(is_remote), "RemoteHost": host}, [])
    self.AddObject("/org/freedesktop/login1", "org.freedesktop.login1.Manager", {}, [
        ("ListSessions", "", "a(susso)", f'ret = [("1", 1000, "anna", "", dbus.ObjectPath("{session}"))]')])
    self.connection.request_name("org.freedesktop.login1")
