"""A lamp: BlueZ's own GATT server on hci1. Centrals can read its level and subscribe to it; they can switch and alert it.

It reads commands from its standard input, and ends with it.

    level 7           sets the level and notifies it
    slow              stops answering reads
    away, back        stops advertising, starts it again
"""

import sys

# Automation IO, Analog, Digital, Alert Level: bluetoothd itself handles none of them.
SERVICE, LEVEL, SWITCH, ALERT = "1815", "2A58", "2A56", "2A06"
NAME = "okaeri-lamp"


def main():
    import dbus
    import dbus.mainloop.glib
    import dbus.service
    from gi.repository import GLib

    def full(uuid):
        return f"0000{uuid.lower()}-0000-1000-8000-00805f9b34fb"

    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    adapter = bus.get_object("org.bluez", "/org/bluez/hci1")
    properties = "org.freedesktop.DBus.Properties"
    characteristic = "org.bluez.GattCharacteristic1"

    def say(words):
        print(words, flush=True)

    class Node(dbus.service.Object):
        def __init__(self, path, interface, **values):
            super().__init__(bus, path)
            self.path, self.interface, self.values = path, interface, values

        @dbus.service.method(properties, in_signature="s", out_signature="a{sv}")
        def GetAll(self, interface):
            return dbus.Dictionary(self.values, signature="sv")

        @dbus.service.signal(properties, signature="sa{sv}as")
        def PropertiesChanged(self, interface, changed, invalidated):
            pass

    class Application(dbus.service.Object):
        @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
        def GetManagedObjects(self):
            return {dbus.ObjectPath(node.path): {node.interface: dbus.Dictionary(node.values, signature="sv")}
                    for node in (service, level, switch, alert)}

    class Characteristic(Node):
        def __init__(self, path, uuid, flags, value):
            super().__init__(
                path, characteristic, UUID=full(uuid), Service=dbus.ObjectPath("/lamp/service"),
                Flags=dbus.Array(flags, signature="s"))
            self.uuid, self.value, self.is_slow = uuid, value, False

        @dbus.service.method(characteristic, in_signature="a{sv}", out_signature="ay", async_callbacks=("reply", "error"))
        def ReadValue(self, options, reply, error):
            say(f"read {self.uuid}")
            if not self.is_slow:
                reply(dbus.Array(self.value, signature="y"))

        @dbus.service.method(characteristic, in_signature="aya{sv}")
        def WriteValue(self, value, options):
            if len(value) > 1:
                raise dbus.DBusException("too long", name="org.bluez.Error.InvalidValueLength")
            self.value = bytes(value)
            say(f"written {self.uuid} {self.value.hex()}")

        @dbus.service.method(characteristic)
        def StartNotify(self):
            say("subscribed")

        @dbus.service.method(characteristic)
        def StopNotify(self):
            say("unsubscribed")

        def become(self, value):
            self.value = value
            self.PropertiesChanged(
                characteristic, {"Value": dbus.Array(value, signature="y")}, dbus.Array([], signature="s"))

    class Advertisement(Node):
        @dbus.service.method("org.bluez.LEAdvertisement1")
        def Release(self):
            pass

    application = Application(bus, "/lamp")
    service = Node("/lamp/service", "org.bluez.GattService1", UUID=full(SERVICE), Primary=True)
    level = Characteristic("/lamp/service/level", LEVEL, ["read", "notify"], b"\x64")
    switch = Characteristic("/lamp/service/switch", SWITCH, ["write"], b"\x00")
    alert = Characteristic("/lamp/service/alert", ALERT, ["write-without-response"], b"\x00")
    advertisement = Advertisement(
        "/lamp/advertisement", "org.bluez.LEAdvertisement1", Type="peripheral", LocalName=NAME,
        ServiceUUIDs=dbus.Array([full(SERVICE)], signature="s"))
    advertiser = dbus.Interface(adapter, "org.bluez.LEAdvertisingManager1")

    def failed(error):
        say(f"failed: {error}")
        loop.quit()

    def refused(error):
        # btvirt sometimes loses a command, and the kernel then reports busy. The scenarios that wait for the lamp have their
        # own limits.
        say(f"not in the air yet: {error}")
        GLib.timeout_add_seconds(1, appear)

    def appear():
        advertiser.RegisterAdvertisement(
            "/lamp/advertisement", dbus.Dictionary({}, signature="sv"), reply_handler=lambda: say("advertised"),
            error_handler=refused)
        return False  # ends the timer after one call

    def obey(channel, _):
        words = sys.stdin.readline().split()
        if not words:
            loop.quit()
            return False
        if words[0] == "level":
            level.become(bytes([int(words[1])]))
        elif words[0] == "slow":
            level.is_slow = True
        elif words[0] == "away":
            advertiser.UnregisterAdvertisement("/lamp/advertisement")
        elif words[0] == "back":
            appear()
        return True

    loop = GLib.MainLoop()
    GLib.io_add_watch(GLib.IOChannel.unix_new(0), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, obey)
    dbus.Interface(adapter, "org.bluez.GattManager1").RegisterApplication(
        "/lamp", dbus.Dictionary({}, signature="sv"), reply_handler=appear, error_handler=failed)
    loop.run()


if __name__ == "__main__":
    main()
