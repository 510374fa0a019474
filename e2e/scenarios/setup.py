"""`okaeri setup` on a terminal: from nothing to a beacon and a Wi-Fi, interrupted at each of its questions, and as root with the
service."""

import json
import os
import pty
import re
import select
import signal
import termios

from lab import machine, wifi
from lab.controller import Controller
from lab.daemon import PROGRAM, UUID, Daemon, region
from lab.pace import Limit
from lab.processes import finish, run
from lab.registry import scenario
from lab.waiting import Failure, check, wait_for

from package import CONFIGURATION, shipped, state, status
from package import PROGRAM as INSTALLED
from request import is_blocked, is_up

FILE = "/run/setup/beacons.json"
DECLINED, USAGE, UNAVAILABLE = 1, 64, 69
INTERRUPT, END = "\x03", "\x04"

FIRST, BROKER = "the first or only Pi", "the MQTT broker of the house"
BLUETOOTH, BEACON, NAME = "Bluetooth is off", "Which beacon is yours?", "Whose beacon is this?"
NETWORK, STAYS = "Which Wi-Fi", "Does this machine stay here"
CALIBRATION, PLACE = "Measure the signal", "press Enter:"
PASSPHRASE = "Enter the passphrase, which is not shown"
NEAR, CONSENT = "only while the beacon is near", "Write that to"


class Screen:
    """okaeri setup on a controlling terminal of its own: its screen and its input."""

    def __init__(self, *arguments, program=PROGRAM, file=FILE, **environment):
        self.text = ""
        self.read = 0
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            named = ["--config", file] if file else []
            os.execve(program, [program, "setup", *named, *arguments], {**os.environ, **environment})

    def expect(self, words, within=30):
        """Waits until the text is on the screen, behind the text expected before."""
        limit = Limit(within)
        while words not in self.text[self.read:]:
            if limit.is_over() or not self.look():
                os.kill(self.child, signal.SIGKILL)
                raise Failure(f"no '{words}' on the screen: {self.text[-600:]}")
        self.read = self.text.index(words, self.read) + len(words)

    def look(self):
        """Reads the available output; false at the program's end."""
        if not select.select([self.terminal], [], [], 0.5)[0]:
            return True
        try:
            shown = os.read(self.terminal, 10000)
        except OSError:
            return False
        self.text += shown.decode(errors="replace")
        return bool(shown)

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def answer(self, question, keys, within=30):
        self.expect(question, within)
        self.type(keys)

    def shows_input(self):
        """Whether the terminal shows the characters that are typed."""
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def ended(self, within=20):
        """Waits for its end, and returns its exit status."""
        limit = Limit(within)
        while self.look():
            if limit.is_over():
                os.kill(self.child, signal.SIGKILL)
                raise Failure(f"it has not ended: {self.text[-600:]}")
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


def begin():
    """A path without a file in an existing folder."""
    os.makedirs(os.path.dirname(FILE), exist_ok=True)
    for name in os.listdir(os.path.dirname(FILE)):
        os.remove(os.path.join(os.path.dirname(FILE), name))


def written():
    with open(FILE, encoding="utf-8") as file:
        return json.load(file)["regions"]


def files():
    return sorted(os.listdir(os.path.dirname(FILE)))


@scenario(within=240)
def setup_by_terminal(folder):
    """From nothing: Bluetooth on, the nearest beacon, a name, a Wi-Fi with a profile, a measurement, the file; then a
    change."""
    wifi.AccessPoint(folder)
    wifi.save_profile()
    controller = Controller(folder)
    controller.tell("start home")
    begin()
    run("rfkill", "block", "bluetooth")

    # Interrupts it at each question, by ^C and by ^D in turn: nothing has changed.
    answers = [(FIRST, "\n"), (BLUETOOTH, "\n"), (BEACON, "\n"), (NAME, "keys\n"), (NETWORK, f"{wifi.SSID}\n"), (STAYS, "\n"), (CALIBRATION, "y\n"),
               (PLACE, "\n"), (NEAR, "\n"), (CONSENT, "\n")]
    for count, (question, _) in enumerate(answers[:-1]):
        screen = Screen()
        for asked, keys in answers[:count]:
            screen.expect(asked)
            if asked == BEACON:
                screen.expect(UUID.upper())
            screen.type(keys)
        screen.answer(question, (INTERRUPT, END)[count % 2])
        status = screen.ended()
        check(status == DECLINED, f"ended at '{question}' it is {status}: {screen.text[-300:]}")
        check("nothing was written" in screen.text, f"it does not say so: {screen.text[-300:]}")
        check(not files(), f"there is {files()}")
        check(is_blocked() and not is_up(), f"Bluetooth is on after the end at '{question}'")
        check(screen.text.count("\x1b7") == screen.text.count("\x1b8"), "the cursor did not come back")

    # A further Pi of a house: `okaeri join` asks the other questions, and a broker that does not answer changes nothing.
    for answer in (INTERRUPT, "localhost:1\n"):
        screen = Screen()
        screen.answer(FIRST, "n\n")
        screen.answer(BROKER, answer)
        if answer != INTERRUPT:
            screen.answer("User name at the broker", "\n")
        status = screen.ended()
        check(status == (DECLINED if answer == INTERRUPT else UNAVAILABLE), f"it is {status}: {screen.text[-300:]}")
        check(not files() and is_blocked(), f"it changed something: {files()}")

    screen = Screen()
    for asked, keys in answers:
        screen.expect(asked)
        if asked == BEACON:
            screen.expect(UUID.upper())
        screen.type(keys)
    screen.expect("Next:")
    check(screen.ended() == 0, f"it did not end well: {screen.text[-600:]}")
    check("NetworkManager can join this network" in screen.text, f"it does not know the profile: {screen.text}")
    check(written() == [{
        "identifier": "keys", "uuid": UUID.upper(), "major": 100, "minor": 100, "measuredPower": -60,
        "wifi": {"ssid": wifi.SSID, "join": "prompt"}}], f"it wrote {written()}")
    check(not controller.is_scanning, "it left the scan on")

    # The same beacon again: another name changes nothing else; without the Wi-Fi; the earlier file is kept.
    screen = Screen()
    screen.expect(BEACON)
    screen.expect(UUID.upper())
    screen.type("1\n")
    screen.answer("[keys]", "\n")
    screen.answer(NETWORK, "-\n")
    screen.answer(CALIBRATION, "n\n")
    screen.answer(NEAR, "n\n")
    screen.answer(CONSENT, "y\n")
    check(screen.ended() == 0 and "wifi" not in written()[0], f"the Wi-Fi is still there: {written()}")
    check(written()[0]["measuredPower"] == -60, "the measurement is lost")
    check(files() == ["beacons.json", "beacons.json.bak"], f"there is {files()}")


@scenario(within=180)
def setup_beside_daemon(folder):
    """The daemon reports its beacons; for a network without a profile the set-up makes one with the passphrase."""
    wifi.AccessPoint(folder)
    controller = Controller(folder)
    daemon = Daemon(folder, region(minor=7))
    daemon.expect_bluetooth("poweredOn", within=10)
    controller.tell("start home")
    begin()
    screen = Screen("--socket", daemon.socket)
    screen.answer(FIRST, "\n")
    screen.expect(BEACON)
    screen.expect(UUID.upper())
    screen.type("\n")
    screen.answer(NAME, "home\n")
    screen.answer(NETWORK, f"{wifi.SSID}\n")
    screen.expect("At present this network cannot be joined")
    screen.answer(STAYS, "\n")
    screen.answer(CALIBRATION, "n\n")
    screen.answer(NEAR, "n\n")
    screen.answer(CONSENT, "\n")

    # Ended at the passphrase, the file stays, the command is named, and the terminal shows again what is typed.
    screen.expect(PASSPHRASE)
    screen.type(INTERRUPT)
    screen.expect(f"sudo nmcli --ask device wifi connect {wifi.SSID}")
    check(screen.shows_input(), "the terminal shows nothing that is typed")
    check(screen.ended() == DECLINED, f"it did not end: {screen.text[-600:]}")
    check(written()[0]["identifier"] == "home", f"it wrote {written()}")

    screen = Screen("--socket", daemon.socket)
    screen.expect(BEACON)
    screen.expect(UUID.upper())
    screen.type("\n")
    for question in (NAME, NETWORK, CALIBRATION, NEAR):
        screen.answer(question, f"{wifi.SSID}\n" if question == NETWORK else "\n")
    screen.answer(CONSENT, "\n")
    screen.answer(PASSPHRASE, "short\n")
    screen.expect("a passphrase has 8 to 63")
    screen.answer(PASSPHRASE, f"{wifi.PASSPHRASE}\n")
    screen.expect("wlan1 has joined the network", within=60)
    check(screen.ended() == 0, f"it did not end well: {screen.text[-600:]}")
    check(wifi.PASSPHRASE not in screen.text, "the passphrase is on the screen")
    check(wifi.profiles() == [wifi.SSID], f"there is {wifi.profiles()}")


@scenario(within=60)
def setup_without_terminal(folder):
    """The options have the same effect; without them the command ends with 64 and names them."""
    begin()
    status, text = finish([PROGRAM, "setup", "--config", FILE])
    check(status == USAGE and "--beacon" in text and "--identifier" in text, f"it ended with {status}: {text}")
    status, text = finish([
        PROGRAM, "setup", "--config", FILE, "--beacon", f"{UUID}/100", "--identifier", "home", "--ssid", "HomeNet"])
    check(status == 0, f"it ended with {status}: {text}")
    check(written() == [{
        "identifier": "home", "uuid": UUID.upper(), "major": 100, "wifi": {"ssid": "HomeNet", "join": "prompt"}}],
        f"it wrote {written()}")
    check(finish([PROGRAM, "config", "check", "--config", FILE])[0] == 0, "the configuration is not valid")


def browse(folder, link):
    """Has the host's browser open the page, and returns when it has ended its walk."""
    run("ip", "address", "replace", "10.0.2.15/24", "dev", "eth0")
    run("ip", "link", "set", "eth0", "up")
    try:
        printed, text = finish([INSTALLED, "web", "link", "--plain"])
        check(printed == 0 and "http://10.0.2.15:" in text and "127.0.0.1" not in text, f"the link is not one of the network: {text}")
        with open(f"{folder}/browse.new", "w", encoding="utf-8") as file:
            file.write(f"{machine.number()} {link}\n")
        os.rename(f"{folder}/browse.new", f"{folder}/browse")
        wait_for("the browser", lambda: os.path.exists(f"{folder}/browsed"), within=240)
        with open(f"{folder}/browsed", encoding="utf-8") as file:
            said = file.read()
        check(said == "ok\n", f"the browser found: {said}")
    finally:
        run("ip", "link", "set", "eth0", "down")


@scenario(within=480)
def setup_with_service(folder):
    """From the package to the page on a phone in three actions: the installation, `okaeri setup`, and the link. The service uses
    the file, the user joins its group, and the page, the room and the broker are set; JSON is not edited."""
    controller = Controller(folder)
    controller.tell("start home")
    run("useradd", "--comment", "Anna Example", "anna")
    run("dpkg", "-i", shipped(), within=120)
    try:
        wait_for("the service", lambda: (status() or {}).get("bluetooth", {}).get("state") == "poweredOn", within=60)
        screen = Screen(program=INSTALLED, file=None, SUDO_USER="anna")
        screen.expect(f"the command writes {CONFIGURATION}")
        screen.answer(FIRST, "\n")
        screen.expect(BEACON)
        screen.expect(UUID.upper())
        screen.type("\n")
        screen.answer("keys [Anna]", "\n")
        for question in (NETWORK, CALIBRATION, NEAR, CONSENT, "Use this configuration in the service okaeri now?"):
            screen.answer(question, "\n")
        screen.expect("has reloaded its configuration")
        wait_for("the region", lambda: state() == "inside", within=20)
        screen.answer("Add anna to the group okaeri", "\n")
        screen.expect("anna is in the group okaeri")
        screen.answer("Open the page", "y\n")
        screen.answer("In which room", "kitchen\n")
        for question, answer in (("MQTT broker", "localhost"), ("Its port", ""), ("Your user name", "pi"), ("The password", "secret")):
            screen.answer(question, f"{answer}\n")
        screen.expect("The service okaeri has reloaded", within=60)
        screen.expect("#login=", within=30)
        link = re.search(r"http://\S+#login=[\w-]+", screen.text)[0]
        check(screen.ended() == 0, f"it did not end well: {screen.text[-600:]}")
        check("secret" not in screen.text, "the password is on the screen")

        check("anna" in run("getent", "group", "okaeri"), "the user is not in the group")
        with open(CONFIGURATION, encoding="utf-8") as file:
            written_now = json.load(file)
        check(written_now["regions"][0]["identifier"] == "Anna" and written_now["node"] == {"room": "kitchen"},
              f"it wrote {written_now}")
        check(written_now["mqtt"]["passwordFile"] == "/etc/okaeri/mqtt.password", f"it wrote {written_now}")
        check(run("stat", "--format=%U %a", "/etc/okaeri/mqtt.password") == "okaeri 600", "others have access to the password")
        browse(folder, link)
        with open(CONFIGURATION, encoding="utf-8") as file:
            check(json.load(file) == written_now, "the page has changed root's file")
        with open("/var/lib/okaeri/regions.json", encoding="utf-8") as file:
            check(json.load(file) == {"regions": []}, "the change is not taken back")
    finally:
        run("dpkg", "--purge", "okaeri", within=120)
        run("userdel", "anna")
