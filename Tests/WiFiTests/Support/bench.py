"""A private bus and a NetworkManager on it, for one test. The one argument, if any, is the path of the bus.

It reads one JSON command a line and answers each with one line. It ends with its standard input, and leaves no process
behind, also if the test crashes.

    {"do": "start"}                              starts NetworkManager, with the parameters in "parameters"
    {"do": "stop"}                               kills it
    {"do": "end"}                                kills the bus, and NetworkManager with it
    {"do": "call", "name": …, "arguments": […]}  calls a method of the mock
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "org.freedesktop.NetworkManager"


def main():
    try:
        import dbus
        import dbusmock  # noqa: F401
    except ImportError as error:
        return answer({"error": f"{error}; install it: sudo apt-get install python3-dbusmock"})

    with tempfile.TemporaryDirectory() as directory:
        path = sys.argv[1] if len(sys.argv) > 1 else f"{directory}/bus"
        address = f"unix:path={path}"
        try:
            daemon = subprocess.Popen(
                ["dbus-daemon", "--session", "--nofork", "--print-address", f"--address={address}"],
                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        except FileNotFoundError:
            return answer({"error": "dbus-daemon is missing; install it: sudo apt-get install dbus"})
        bench = None
        try:
            address = daemon.stdout.readline().strip()
            bench = Bench(dbus, address, daemon)
            answer({"value": address})
            for line in sys.stdin:
                try:
                    answer({"value": bench.do(**json.loads(line))})
                except Exception as error:
                    answer({"error": f"{type(error).__name__}: {error}"})
        finally:
            if bench:
                bench.stop()
            daemon.kill()
            daemon.wait()


def answer(value):
    print(json.dumps(value), flush=True)


class Bench:
    def __init__(self, dbus, address, daemon):
        self.dbus = dbus
        self.daemon = daemon
        self.environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=address, DBUS_SESSION_BUS_ADDRESS=address)
        self.bus = dbus.bus.BusConnection(address)
        self.bus.set_exit_on_disconnect(False)
        self.mock = None

    def do(self, do, **arguments):
        return {"start": self.start, "stop": self.stop, "end": self.end, "call": self.call}[do](**arguments)

    def start(self, parameters=None):
        template = os.path.join(HERE, "networkmanager.py")
        self.mock = subprocess.Popen(
            [sys.executable, "-m", "dbusmock", "--template", template, "--parameters", json.dumps(parameters or {})],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        for _ in range(1000):
            if self.bus.name_has_owner(NAME) and self.is_ready():
                return None
            try:
                status = self.mock.wait(0.01)
            except subprocess.TimeoutExpired:
                continue
            raise RuntimeError(f"the mock ended with status {status}")
        raise RuntimeError("the mock did not come up")

    def is_ready(self):
        try:
            self.call("Report", [])
        except self.dbus.exceptions.DBusException:
            return False
        return True

    def stop(self):
        if self.mock:
            self.mock.kill()
            self.mock.wait()
            self.mock = None

    def end(self):
        self.stop()
        self.daemon.kill()
        self.daemon.wait()

    def call(self, name, arguments):
        main = self.bus.get_object(NAME, "/org/freedesktop")
        result = self.dbus.Interface(main, "org.freedesktop.DBus.Mock").get_dbus_method(name)(*arguments)
        return None if result is None else str(result)


if __name__ == "__main__":
    main()
