"""A private session bus and a notification server on it, for one test.

It reads one JSON command a line and answers each with one line. It ends with its standard input, and leaves no process
behind, also if the test crashes.

    {"do": "mock", "capabilities": […]}      starts a mock of a server
    {"do": "dunst"}                          starts dunst, without a visible screen
    {"do": "stop"}                           kills the server
    {"do": "notifications"}                  returns the mock's notifications: [summary, body, actions, expiry]
    {"do": "closed"}                         returns the notifications that the mock had to close
    {"do": "press", "id": …, "key": …}       presses a button of the mock's notification
    {"do": "dismiss", "id": …}               closes the mock's notification as the user does
    {"do": "dunstctl", "arguments": […]}     runs dunst's own remote control
"""

import json
import os
import subprocess
import sys
import tempfile

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"

# No automatic start of services: the test chooses the server.
BUS = """<busconfig><type>session</type><listen>unix:path={path}</listen><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""

# `dunstctl action` presses one button, which this rule selects.
DUNSTRC = """[global]
enable_recursive_icon_lookup = false
[okaeri]
appname = Okaeri
action_name = join
"""


def main():
    try:
        import dbus
        import dbusmock  # noqa: F401
    except ImportError as error:
        return answer({"error": f"{error}; install it: scripts/setup"})
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/bus.conf", "w") as file:
            file.write(BUS.format(path=f"{directory}/bus"))
        with open(f"{directory}/dunstrc", "w") as file:
            file.write(DUNSTRC)
        bench = Bench(dbus, directory)
        try:
            answer({"value": bench.address})
            for line in sys.stdin:
                try:
                    answer({"value": bench.do(**json.loads(line))})
                except Exception as error:
                    answer({"error": f"{type(error).__name__}: {error}"})
        finally:
            bench.end()


def answer(value):
    print(json.dumps(value), flush=True)


class Bench:
    def __init__(self, dbus, directory):
        self.dbus = dbus
        self.directory = directory
        self.bus_daemon = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--print-address", f"--config-file={directory}/bus.conf"],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.address = self.bus_daemon.stdout.readline().strip()
        self.bus = dbus.bus.BusConnection(self.address)
        self.bus.set_exit_on_disconnect(False)
        self.server = None
        self.screen = None
        self.environment = dict(os.environ, DBUS_SESSION_BUS_ADDRESS=self.address)

    def do(self, do, **arguments):
        commands = (self.mock, self.dunst, self.stop, self.notifications, self.closed, self.press, self.dismiss,
                    self.dunstctl)
        return {command.__name__: command for command in commands}[do](**arguments)

    def mock(self, capabilities):
        self.run([sys.executable, "-m", "dbusmock", "--template", "notification_daemon", "--parameters",
                  json.dumps({"capabilities": " ".join(capabilities)})])

    def dunst(self):
        read, write = os.pipe()
        # Without a socket in /tmp, which would remain: the abstract socket is enough.
        self.screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-nolisten", "unix"],
            pass_fds=[write], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as file:
            self.environment["DISPLAY"] = f":{file.readline().strip()}"
        self.run(["dunst", "-conf", f"{self.directory}/dunstrc"])

    def run(self, command):
        self.server = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        for _ in range(1000):
            if self.bus.name_has_owner(NAME):
                return
            try:
                status = self.server.wait(0.01)
            except subprocess.TimeoutExpired:
                continue
            raise RuntimeError(f"{command[0]} ended with status {status}")
        raise RuntimeError(f"{command[0]} did not come up")

    def stop(self):
        for process in (self.server, self.screen):
            if process:
                process.kill()
                process.wait()
        self.server = self.screen = None

    def end(self):
        self.stop()
        self.bus_daemon.kill()
        self.bus_daemon.wait()

    def calls(self, method):
        return [arguments for _, arguments in self.object("org.freedesktop.DBus.Mock").GetMethodCalls(method)]

    def notifications(self):
        return [[str(call[3]), str(call[4]), [str(word) for word in call[5]], int(call[7])]
                for call in self.calls("Notify")]

    def closed(self):
        return [int(call[0]) for call in self.calls("CloseNotification")]

    def press(self, id, key):
        self.object("org.freedesktop.DBus.Mock").EmitSignal(
            NAME, "ActionInvoked", "us", [self.dbus.UInt32(id), key])

    def dismiss(self, id):
        self.object("org.freedesktop.DBus.Mock").EmitSignal(
            NAME, "NotificationClosed", "uu", [self.dbus.UInt32(id), self.dbus.UInt32(2)])

    def dunstctl(self, arguments):
        return subprocess.run(["dunstctl", *arguments], env=self.environment, check=True, capture_output=True,
                              text=True).stdout.strip()

    def object(self, interface):
        return self.dbus.Interface(self.bus.get_object(NAME, PATH), interface)


if __name__ == "__main__":
    main()
