"""On request: okaeri switches Bluetooth on at the user's request, and answers a question about a region once."""

import json
import os
import pty
import time

from lab.controller import Controller
from lab.daemon import PROGRAM, UUID, Daemon, region
from lab.processes import Process, finish, run
from lab.registry import scenario
from lab.waiting import check, check_took, wait_for

from rights import as_nobody, named_rights

NO, UNAVAILABLE, NO_PERMISSION = 1, 69, 77
OUTSIDE, UNKNOWN = 1, 2


class Answer:
    """Returns okaeri's output, its exit status, and the duration."""

    def __init__(self, *arguments):
        began = time.monotonic()
        self.status, self.text = finish([PROGRAM, *arguments], within=30)
        self.seconds = time.monotonic() - began

    def expect(self, status, *words):
        check(self.status == status, f"it ended with {self.status}, not {status}: {self.text}")
        for word in words:
            check(word in self.text, f"it does not say '{word}': {self.text}")


def asked_on_terminal(answer, *arguments):
    """Runs okaeri on a terminal, answers its question, and returns the screen and the exit status."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(PROGRAM, [PROGRAM, *arguments])
    screen = b""
    try:
        while b"[y/N]" not in screen:
            screen += os.read(terminal, 1000)
        os.write(terminal, answer.encode() + b"\n")
        while True:
            screen += os.read(terminal, 1000)
    except OSError:
        # The other end is closed, because the program has ended.
        pass
    return screen.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def is_up():
    return "UP RUNNING" in run("hciconfig", "hci0")


def is_blocked():
    return "Soft blocked: yes" in run("rfkill", "list", "bluetooth")


@scenario(within=60)
def bluetooth_on(folder):
    """Bluetooth is blocked and switched off: okaeri reports it, asks, and does what the answer says."""
    Controller(folder)
    Answer("bluetooth").expect(0, "poweredOn")
    run("rfkill", "block", "bluetooth")
    Answer("bluetooth", "status").expect(UNAVAILABLE, "poweredOff", "rfkill")

    Answer("bluetooth", "on").expect(UNAVAILABLE, "nothing is done", "--yes")
    screen, status = asked_on_terminal("n", "bluetooth", "on")
    check("lift rfkill's block of hci0 and switch it on" in screen, f"the question is: {screen}")
    check(status == NO, f"after a no it ended with {status}: {screen}")
    check(is_blocked() and not is_up(), "it was switched on without a yes")

    screen, status = asked_on_terminal("y", "bluetooth", "on")
    check(status == 0 and "hci0 is switched on" in screen, f"after a yes it ended with {status}: {screen}")
    check(is_up() and not is_blocked(), "it was not switched on")
    Answer("bluetooth", "on").expect(0)

    run("hciconfig", "hci0", "down")
    run("rfkill", "block", "bluetooth")
    answer = Answer("bluetooth", "on", "--yes")
    answer.expect(0)
    check(answer.text == "", f"it is not silent: {answer.text}")
    check(is_up(), "it was not switched on")


@scenario(within=60)
def bluetooth_on_unprivileged(folder):
    """The command names the missing right and exits 77; the suggested fix works."""
    Controller(folder)
    run("hciconfig", "hci0", "down")
    said = as_nobody("bluetooth", "on", "--yes")
    rights = named_rights(said)
    check(rights and said.endswith(f"status {NO_PERMISSION}"), f"without rights: {said}")
    run("setcap", f"{rights}+eip", PROGRAM)
    said = as_nobody("bluetooth", "on", "--yes")
    check(said == "status 0" and is_up(), f"after the mend: {said}")

    run("rfkill", "block", "bluetooth")
    said = as_nobody("bluetooth", "on", "--yes")
    check(said.endswith(f"status {NO_PERMISSION}") and is_blocked(), f"without the right to unblock: {said}")
    check("sudo rfkill unblock bluetooth" in said, f"no mend: {said}")
    run("rfkill", "unblock", "bluetooth")
    said = as_nobody("bluetooth", "on", "--yes")
    check(said == "status 0" and is_up(), f"after the mend: {said}")
    run("setcap", "-r", PROGRAM)


def locate(*arguments):
    return Answer("locate", "--config", "/run/okaeri.json", *arguments)


@scenario(within=60)
def locate_inside(folder):
    """The command answers at the first advertisement, beside a daemon and without one."""
    controller = Controller(folder)
    daemon = Daemon(folder, region())
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=10)
    for _ in range(2):
        answer = locate("--json")
        answer.expect(0)
        found = json.loads(answer.text)["regions"][0]
        check(found["state"] == "inside" and found["beacon"]["rssi"] == -60, f"it says {answer.text}")
        check_took("the answer", answer.seconds, within=6)
        daemon.stop()
    locate().expect(0, "home  inside   major 100 minor 100  -60 dBm")


@scenario(within=60)
def locate_off(folder):
    """Without Bluetooth the command gives the reason, at once, and does not answer outside."""
    Controller(folder)
    Daemon(folder, region()).stop()
    run("hciconfig", "hci0", "down")
    answer = locate()
    answer.expect(UNAVAILABLE, "hci0 is switched off")
    check_took("the answer", answer.seconds, within=4)
    run("rfkill", "block", "bluetooth")
    locate().expect(UNAVAILABLE, "rfkill unblock bluetooth")
    run("rfkill", "unblock", "bluetooth")


@scenario(within=60)
def locate_nothing(folder):
    """The answer is outside, after the whole time and no later."""
    Controller(folder).tell("start home")
    Daemon(folder, region(minor=7)).stop()
    answer = locate("--timeout", "5")
    answer.expect(OUTSIDE, "home  outside  nothing was received from it")
    check(answer.seconds >= 5, f"it took {answer.seconds:.1f} s")
    check_took("the answer", answer.seconds, within=7)


@scenario(within=90)
def locate_follows(folder):
    """Bluetooth is switched off meanwhile: the command continues once it is on again, and gives the reason otherwise; in
    time in both cases."""
    controller = Controller(folder)
    Daemon(folder, region()).stop()
    for comes_back, status in ((True, 0), (False, UNKNOWN)):
        began = time.monotonic()
        question = Process(
            folder, f"locate-{comes_back}", [PROGRAM, "locate", "--config", "/run/okaeri.json", "--timeout", "12"])
        wait_for("the scan", lambda: controller.is_scanning, within=6)
        run("hciconfig", "hci0", "down")
        wait_for("the reason", lambda question=question: "hci0 is switched off" in question.said(), within=4)
        if comes_back:
            controller.switch_on()
            controller.tell("start home")
        check(question.ended(within=14) == status, f"not {status}: {question.said()}")
        check_took("the answer", time.monotonic() - began, within=14)
        controller.tell("stop home")


@scenario(within=150)
def commands_follow(folder):
    """Bluetooth is switched off and on: every command receives again."""
    controller = Controller(folder)
    controller.tell("start home")
    Daemon(folder, region()).stop()
    capture = "/run/recorded.btsnoop"
    commands = {
        "scan": ["scan"], "range": ["range", "home", "--config", "/run/okaeri.json"], "record": ["record", capture],
        "calibrate": ["calibrate", "home", "--config", "/run/okaeri.json", "--duration", "15"],
    }
    if os.path.exists(capture):
        os.remove(capture)
    listeners = {
        name: Process(folder, name, [PROGRAM, *arguments]) for name, arguments in commands.items()}

    def heard():
        for name in ("scan", "range", "record"):
            check(listeners[name].is_running, f"{name} has ended: {listeners[name].said()[-300:]}")
        return {
            "scan": listeners["scan"].said().count('"major":100'),
            "range": listeners["range"].said().count('"rssi":-60'),
            "record": os.path.getsize(capture) if os.path.exists(capture) else 0,
        }

    wait_for("all of them hear", lambda: all(heard().values()), within=10)
    run("hciconfig", "hci0", "down")
    wait_for("all of them say why", lambda: all(
        "hci0 is switched off" in listener.said() for listener in listeners.values()), within=5)
    before = heard()
    controller.switch_on()
    # Four scanners that start at once disable each other's scan for a while.
    wait_for("all of them hear again", lambda: all(heard()[name] > count for name, count in before.items()), within=30)
    check(listeners["calibrate"].ended(within=20) == 0, f"calibrate: {listeners['calibrate'].said()}")
    for name in ("scan", "range", "record"):
        check(listeners[name].stop() == 0, f"{name} did not end well: {listeners[name].said()[-300:]}")


@scenario(within=60)
def example_program(folder):
    """The program in the library's documentation waits for Bluetooth, and receives enter and exit events."""
    controller = Controller(folder)
    run("hciconfig", "hci0", "down")
    program = Process(folder, "example", ["stdbuf", "-oL", "WatchRegion", UUID])
    wait_for("the reason", lambda: "hci0 is switched off" in program.said(), within=5)
    check(not controller.is_scanning, "it scans on an adapter that is switched off")
    controller.switch_on()
    wait_for("the scan", lambda: controller.is_scanning, within=5)
    check("entered" not in program.said(), f"the beacon is absent, and the program prints {program.said()}")
    controller.tell("start home")
    wait_for("the enter", lambda: "entered home, " in program.said(), within=5)
    run("hciconfig", "hci0", "down")
    wait_for("the reason", lambda: program.said().count("hci0 is switched off") == 2, within=5)
    controller.switch_on()
    wait_for("the scan again", lambda: controller.is_scanning, within=5)
    check("left" not in program.said(), f"switched off, it says {program.said()}")
