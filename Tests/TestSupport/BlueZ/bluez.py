"""A private bus and a mock of bluetoothd on it, for one test.

It reads one JSON command a line and answers each with one line. It ends with its standard input, and leaves no process behind,
also if the test crashes.

    {"do": "start"}                                     starts bluetoothd, without an adapter
    {"do": "stop"}                                      kills it
    {"do": "end"}                                       kills the bus, and bluetoothd with it
    {"do": "deny"}                                      makes the bus deny calls to bluetoothd
    {"do": "permit"}                                    makes the bus allow them again

Actions of bluetoothd:

    {"do": "adapter", "name": "hci0", "powered": true}  plugs an adapter in, or switches it
    {"do": "unplug", "name": "hci0"}
    {"do": "air", "address": …, "name": …, "uuids": […], "rssi": -60, "services": […]}
                                                        adds a peripheral in range, or changes one; it becomes an object
                                                        when it is discovered. A service is {"uuid": …,
                                                        "characteristics": [{"uuid": …, "flags": […], "value": "hex",
                                                        "descriptors": [{"uuid": …, "value": "hex"}]}], "includes": [1]},
                                                        the included ones by their number; "mtu" is that of the link;
                                                        null: they are never discovered. With "announced": false no signal
                                                        reports the connection, a fault of 5.66 now and then.
                                                        "manufacturer" and "data" are hexadecimal, by company and by UUID,
                                                        "power" is in dBm
    {"do": "silence", "address": …}                     removes it, and ends its connection
    {"do": "lose", "address": …, "reason": …, "message": …}
                                                        ends its connection only; with a reason as 5.82 signals it
    {"do": "rediscover", "address": …}                  removes its services while it is connected, and adds those of now
    {"do": "notify", "uuid": …, "value": "hex"}         changes the value of a subscribed characteristic
    {"do": "flood", "address": …, "count": 5000, "rssi": -60}
                                                        receives that discovered device so often, each time with another
                                                        RSSI than before; the last time, and only then, with this one
    {"do": "behave", "method": …, "error": …, "message": …, "times": 1}
                                                        makes the next calls of that method fail; without an error they
                                                        hang. Disconnect ends a Connect that hangs, as in the real one
    {"do": "values"}                                    returns the value of each characteristic, in hexadecimal
    {"do": "calls"}                                     returns the calls so far
"""

import json
import os
import subprocess
import sys
import tempfile

NAME = "org.bluez"
NAME_OF_BUS = "org.freedesktop.DBus"
ADAPTER, DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
DESCRIPTOR = "org.bluez.GattDescriptor1"
MANAGER, PROPERTIES = "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Properties"

BUS = """<busconfig><type>session</type><listen>unix:path={path}</listen><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>{more}</policy></busconfig>"""


def answer(value):
    print(json.dumps(value), flush=True)


def main():
    try:
        import dbus  # noqa: F401
        from gi.repository import GLib  # noqa: F401
    except ImportError as error:
        return answer({"error": f"{error}; install it: scripts/setup"})
    if sys.argv[1:]:
        return serve(sys.argv[1])
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(directory)
        try:
            answer({"value": bench.address})
            for line in sys.stdin:
                try:
                    answer({"value": bench.do(json.loads(line))})
                except Exception as error:
                    answer({"error": f"{type(error).__name__}: {error}"})
        finally:
            bench.end()


class Bench:
    """The bus, and bluetoothd as a process of its own that can be killed."""

    def __init__(self, directory):
        self.directory = directory
        self.configure()
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--print-address", f"--config-file={directory}/bus.conf"],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.address = self.bus.stdout.readline().strip()
        self.server = None

    def configure(self, more=""):
        with open(f"{self.directory}/bus.conf", "w", encoding="utf-8") as file:
            file.write(BUS.format(path=f"{self.directory}/bus", more=more))

    def reconfigure(self, more=""):
        import dbus.bus
        self.configure(more)
        bus = dbus.bus.BusConnection(self.address)
        bus.call_blocking(NAME_OF_BUS, "/org/freedesktop/DBus", NAME_OF_BUS, "ReloadConfig", "", ())
        bus.close()

    def do(self, command):
        own = {"start": self.start, "stop": self.stop, "end": self.end, "permit": self.reconfigure,
               "deny": lambda: self.reconfigure(f'<deny send_destination="{NAME}"/>')}.get(command["do"])
        return own() if own else self.ask(command)

    def start(self):
        self.server = subprocess.Popen(
            [sys.executable, "-B", __file__, self.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.read()

    def ask(self, command):
        self.server.stdin.write(json.dumps(command) + "\n")
        self.server.stdin.flush()
        return self.read()

    def read(self):
        said = json.loads(self.server.stdout.readline() or '{"error": "bluetoothd has ended"}')
        if "error" in said:
            raise RuntimeError(said["error"])
        return said["value"]

    def stop(self):
        if self.server:
            self.server.kill()
            self.server.wait()
            self.server = None

    def end(self):
        self.stop()
        self.bus.kill()
        self.bus.wait()


def serve(address):
    import dbus
    import dbus.bus
    import dbus.mainloop.glib
    import dbus.service
    from gi.repository import GLib

    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(address)
    loop = GLib.MainLoop()

    def octets(text):
        return dbus.Array([dbus.Byte(byte) for byte in bytes.fromhex(text)], signature="y")

    def typed(interface, name, value):
        """Adds the D-Bus type, because Python's values have neither the type of an empty list nor the width of a number."""
        if name in ("RSSI", "TxPower"):
            return dbus.Int16(value)
        if name == "ManufacturerData":
            return dbus.Dictionary({dbus.UInt16(int(key)): octets(one) for key, one in value.items()}, signature="qv")
        if name == "ServiceData":
            return dbus.Dictionary({key: octets(one) for key, one in value.items()}, signature="sv")
        if name in ("UUIDs", "Flags"):
            return dbus.Array(value, signature="s")
        if name == "Value":
            return octets(value)
        if name in ("Adapter", "Device", "Service", "Characteristic"):
            return dbus.ObjectPath(value)
        if name == "Includes":
            return dbus.Array(value, signature="o")
        if name == "MTU":
            return dbus.UInt16(value)
        return value

    class Failure(dbus.DBusException):
        def __init__(self, name, message):
            super().__init__(message)
            self._dbus_error_name = name

    class Node(dbus.service.Object):
        """An object with one interface of BlueZ's."""

        def __init__(self, path, interface, properties):
            super().__init__(bus, path)
            self.path, self.interface = path, interface
            self.properties = properties
            nodes[path] = self
            root.InterfacesAdded(dbus.ObjectPath(path), self.described())

        def described(self):
            values = {name: typed(self.interface, name, value) for name, value in self.properties.items()}
            return {self.interface: dbus.Dictionary(values, signature="sv")}

        def change(self, **properties):
            self.properties.update(properties)
            values = {name: typed(self.interface, name, value) for name, value in properties.items()}
            self.PropertiesChanged(self.interface, dbus.Dictionary(values, signature="sv"), dbus.Array([], signature="s"))

        def forget(self, name):
            if self.properties.pop(name, None) is not None:
                self.PropertiesChanged(
                    self.interface, dbus.Dictionary({}, signature="sv"), dbus.Array([name], signature="s"))

        def remove(self):
            del nodes[self.path]
            self.remove_from_connection()
            root.InterfacesRemoved(dbus.ObjectPath(self.path), dbus.Array([self.interface], signature="s"))

        @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
        def PropertiesChanged(self, interface, changed, invalidated):
            pass

    class Root(dbus.service.Object):
        @dbus.service.method(MANAGER, out_signature="a{oa{sa{sv}}}")
        def GetManagedObjects(self):
            calls.append(["GetManagedObjects"])
            objects = {dbus.ObjectPath(path): node.described() for path, node in nodes.items()}
            return dbus.Dictionary(objects, signature="oa{sa{sv}}")

        @dbus.service.signal(MANAGER, signature="oa{sa{sv}}")
        def InterfacesAdded(self, path, interfaces):
            pass

        @dbus.service.signal(MANAGER, signature="oas")
        def InterfacesRemoved(self, path, interfaces):
            pass

    def called(method, then, reply, error, *arguments):
        """Records the call and answers as the test requests: with an error, not at all, or with the result of `then`."""
        calls.append([method, *arguments])
        for behaviour in behaviours:
            if behaviour["method"] == method and behaviour["times"] > 0:
                behaviour["times"] -= 1
                if behaviour.get("error"):
                    error(Failure(behaviour["error"], behaviour.get("message", "")))
                elif method == "Connect":
                    connecting.append(error)
                return
        try:
            result = then()
        except Failure as failure:
            return error(failure)
        reply() if result is None else reply(result)

    class Adapter(Node):
        filter = {}
        is_discovering = False

        @dbus.service.method(ADAPTER, in_signature="a{sv}", async_callbacks=("reply", "error"))
        def SetDiscoveryFilter(self, filter, reply, error):
            def then():
                self.filter = plain(filter)
            called("SetDiscoveryFilter", then, reply, error, plain(filter))

        @dbus.service.method(ADAPTER, async_callbacks=("reply", "error"))
        def StartDiscovery(self, reply, error):
            def then():
                if not self.properties["Powered"]:
                    raise Failure("org.bluez.Error.NotReady", "Resource Not Ready")
                if self.is_discovering:
                    raise Failure("org.bluez.Error.InProgress", "Operation already in progress")
                self.is_discovering = True
                # After the answer, as with a real radio.
                GLib.idle_add(discover)
            called("StartDiscovery", then, reply, error)

        @dbus.service.method(ADAPTER, async_callbacks=("reply", "error"))
        def StopDiscovery(self, reply, error):
            def then():
                if not self.is_discovering:
                    raise Failure("org.bluez.Error.Failed", "No discovery started")
                self.stop_discovering()
            called("StopDiscovery", then, reply, error)

        def stop_discovering(self):
            self.is_discovering = False
            for device in devices():
                device.forget("RSSI")

        def hears(self, peripheral):
            if not self.is_discovering:
                return False
            wanted = self.filter.get("UUIDs")
            pattern = self.filter.get("Pattern")
            return (not wanted or set(wanted) & set(peripheral["uuids"])) and (
                not pattern or peripheral["address"].startswith(pattern))

    class Device(Node):
        @dbus.service.method(DEVICE, async_callbacks=("reply", "error"))
        def Connect(self, reply, error):
            def then():
                if self.properties["Connected"]:
                    raise Failure("org.bluez.Error.AlreadyConnected", "Already Connected")
                if self.properties["Address"] not in air:
                    raise Failure("org.bluez.Error.Failed", "le-connection-abort-by-local")
                peripheral = air[self.properties["Address"]]
                if peripheral["announced"]:
                    self.change(Connected=True)
                else:
                    self.properties["Connected"] = True
                if peripheral["services"] is None:
                    return
                self.discover(peripheral)
                uuids = {service["uuid"] for service in peripheral["services"]}
                self.change(ServicesResolved=True, UUIDs=sorted(uuids | set(self.properties["UUIDs"])))
            called("Connect", then, reply, error, self.properties["Address"])

        def discover(self, peripheral):
            for number, service in enumerate(peripheral["services"]):
                path = f"{self.path}/service{number:04x}"
                included = [f"{self.path}/service{one:04x}" for one in service.get("includes", ())]
                Node(path, SERVICE, {
                    "UUID": service["uuid"], "Primary": True, "Device": self.path, "Includes": included})
                for index, one in enumerate(service["characteristics"]):
                    Characteristic(f"{path}/char{index:04x}", CHARACTERISTIC, {
                        "UUID": one["uuid"], "Service": path, "Flags": one["flags"],
                        "Value": one.get("value", ""), "Notifying": False, **peripheral["link"]})
                    for place, descriptor in enumerate(one.get("descriptors", ())):
                        Descriptor(f"{path}/char{index:04x}/desc{place:04x}", DESCRIPTOR, {
                            "UUID": descriptor["uuid"], "Characteristic": f"{path}/char{index:04x}",
                            "Value": descriptor.get("value", "")})

        def forget_services(self):
            for node in [node for path, node in nodes.items() if path.startswith(self.path + "/")]:
                node.remove()

        @dbus.service.signal(DEVICE, signature="ss")
        def Disconnected(self, name, message):
            pass

        @dbus.service.method(DEVICE, async_callbacks=("reply", "error"))
        def Disconnect(self, reply, error):
            called("Disconnect", self.lose, reply, error, self.properties["Address"])

        def lose(self, reason=None, message=""):
            while connecting:
                connecting.pop()(Failure("org.bluez.Error.Failed", "br-connection-canceled"))
            if self.properties["Connected"]:
                self.forget_services()
                self.change(ServicesResolved=False)
                if reason:
                    self.Disconnected(reason, message)
                self.change(Connected=False)

    class Characteristic(Node):
        @dbus.service.method(
            CHARACTERISTIC, in_signature="a{sv}", out_signature="ay", async_callbacks=("reply", "error"))
        def ReadValue(self, options, reply, error):
            def then():
                return typed(CHARACTERISTIC, "Value", self.properties["Value"])
            called("ReadValue", then, reply, error, self.properties["UUID"])

        @dbus.service.method(CHARACTERISTIC, in_signature="aya{sv}", async_callbacks=("reply", "error"))
        def WriteValue(self, value, options, reply, error):
            def then():
                self.properties["Value"] = bytes(value).hex()
            called("WriteValue", then, reply, error, self.properties["UUID"], bytes(value).hex(), plain(options))

        @dbus.service.method(CHARACTERISTIC, async_callbacks=("reply", "error"))
        def StartNotify(self, reply, error):
            called("StartNotify", lambda: self.change(Notifying=True), reply, error, self.properties["UUID"])

        @dbus.service.method(CHARACTERISTIC, async_callbacks=("reply", "error"))
        def StopNotify(self, reply, error):
            called("StopNotify", lambda: self.change(Notifying=False), reply, error, self.properties["UUID"])

    class Descriptor(Node):
        @dbus.service.method(DESCRIPTOR, in_signature="a{sv}", out_signature="ay", async_callbacks=("reply", "error"))
        def ReadValue(self, options, reply, error):
            def then():
                return typed(DESCRIPTOR, "Value", self.properties["Value"])
            called("ReadDescriptor", then, reply, error, self.properties["UUID"])

        @dbus.service.method(DESCRIPTOR, in_signature="aya{sv}", async_callbacks=("reply", "error"))
        def WriteValue(self, value, options, reply, error):
            def then():
                self.properties["Value"] = bytes(value).hex()
            called("WriteDescriptor", then, reply, error, self.properties["UUID"], bytes(value).hex())

    def plain(value):
        """Converts the types of D-Bus to those of JSON."""
        if isinstance(value, dict):
            return {str(key): plain(one) for key, one in value.items()}
        if isinstance(value, list):
            return [plain(one) for one in value]
        return bool(value) if isinstance(value, dbus.Boolean) else str(value)

    def devices():
        return [node for node in nodes.values() if isinstance(node, Device)]

    def discover():
        for adapter in [node for node in nodes.values() if isinstance(node, Adapter)]:
            for peripheral in air.values():
                if not adapter.hears(peripheral):
                    continue
                path = f"{adapter.path}/dev_{peripheral['address'].replace(':', '_')}"
                seen = {"RSSI": peripheral["rssi"], "UUIDs": peripheral["uuids"], **peripheral["more"]}
                if path in nodes:
                    nodes[path].change(**seen)
                else:
                    named = {"Name": peripheral["name"]} if peripheral["name"] else {}
                    Device(path, DEVICE, {
                        "Address": peripheral["address"], "Adapter": adapter.path, "Connected": False,
                        "ServicesResolved": False, **named, **seen})
        return False

    class Commands:
        def adapter(self, name, powered=True):
            path = f"/org/bluez/{name}"
            if path not in nodes:
                Adapter(path, ADAPTER, {"Address": "00:AA:01:00:00:00", "Powered": powered})
            elif nodes[path].properties["Powered"] != powered:
                if not powered:
                    nodes[path].stop_discovering()
                    for device in devices():
                        device.lose()
                nodes[path].change(Powered=powered)

        def unplug(self, name):
            for path in [path for path in nodes if path.startswith(f"/org/bluez/{name}")]:
                nodes[path].remove()

        def air(self, address, name=None, uuids=(), rssi=-60, services=(), announced=True, manufacturer=None,
                data=None, power=None, mtu=None):
            more = {"ManufacturerData": manufacturer, "ServiceData": data, "TxPower": power}
            air[address] = {
                "more": {name: value for name, value in more.items() if value is not None},
                "address": address, "name": name, "uuids": list(uuids), "rssi": rssi, "services": services,
                "announced": announced, "link": {} if mtu is None else {"MTU": mtu}}
            discover()

        def lose(self, address, reason=None, message=""):
            self.device(address).lose(reason, message)

        def rediscover(self, address):
            device = self.device(address)
            device.forget_services()
            device.discover(air[address])

        def device(self, address):
            return next(device for device in devices() if device.properties["Address"] == address)

        def flood(self, address, count, rssi):
            device = self.device(address)
            for number in range(count - 1, -1, -1):
                device.change(RSSI=rssi - 1 - number % 2 if number else rssi)

        def silence(self, address):
            air.pop(address, None)
            for device in devices():
                if device.properties["Address"] == address:
                    device.lose()
                    device.forget("RSSI")

        def notify(self, uuid, value):
            for node in list(nodes.values()):
                if node.properties.get("UUID") == uuid and node.properties.get("Notifying"):
                    node.change(Value=value)

        def behave(self, **behaviour):
            behaviours.append({"times": 1, **behaviour})

        def values(self):
            return {node.properties["UUID"]: node.properties["Value"] for node in nodes.values()
                    if isinstance(node, Characteristic)}

        def calls(self):
            return calls

    def read(channel, _):
        line = sys.stdin.readline()
        if not line:
            loop.quit()
            return False
        command = json.loads(line)
        try:
            answer({"value": getattr(Commands(), command.pop("do"))(**command)})
        except Exception as error:
            answer({"error": f"{type(error).__name__}: {error}"})
        return True

    nodes, air, behaviours, calls, connecting = {}, {}, [], [], []
    root = Root(bus, "/")
    bus.request_name(NAME)
    GLib.io_add_watch(GLib.IOChannel.unix_new(0), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, read)
    answer({"value": None})
    loop.run()


if __name__ == "__main__":
    main()
