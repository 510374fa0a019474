"""A user without rights gets an error with the fix."""

import re

from lab.controller import Controller
from lab.daemon import PROGRAM, Daemon, region
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check

NOBODY = "65534"
EXIT_NO_PERMISSION = 77


def as_nobody(*arguments):
    """Returns okaeri's output for a user without rights, and its exit status behind it."""
    command = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", PROGRAM, *arguments]
    return run("sh", "-c", '"$@"; echo "status $?"', "sh", *command)


def named_rights(said):
    """Returns the capabilities that a message asks for, as setcap takes them; None without any."""
    found = re.search(r"AmbientCapabilities=(CAP_[A-Z_]+(?: CAP_[A-Z_]+)*)", said)
    return found and found[1].lower().replace(" ", ",")


@scenario(within=90)
def unprivileged(folder):
    """The command names the missing right and exits 77; `doctor` names the missing rights, and with these it works."""
    controller = Controller(folder)
    controller.tell("start home")
    said = as_nobody("scan", "--duration", "3")
    check(said.endswith(f"status {EXIT_NO_PERMISSION}"), f"okaeri scan: {said}")
    check("CAP_NET_RAW" in said, f"it does not name what is missing: {said}")

    said = as_nobody("doctor")
    rights = named_rights(said)
    check(rights, f"doctor does not say how to mend it: {said}")
    run("setcap", f"{rights}+eip", PROGRAM)

    said = as_nobody("scan", "--duration", "3")
    check('"major":100' in said and said.endswith("status 0"), f"after the mend, okaeri scan: …{said[-300:]}")
    check("CAP_NET_RAW is missing" not in as_nobody("doctor"), "doctor still complains")
    daemon = Daemon(folder, region(), as_user=NOBODY)
    daemon.expect("didEnterRegion", within=10)
    run("setcap", "-r", PROGRAM)
