"""The apt repository: a machine installs from it, upgrades, removes and purges; apt refuses a repository that was tampered
with."""

import glob
import gzip
import json
import os

from lab.controller import Controller
from lab.processes import run
from lab.registry import scenario
from lab.repository import SERVED, SUITE, Repository
from lab.waiting import check, wait_for

from package import CONFIGURATION, PROGRAM, check_nothing_left, configure, owned_files, state, status

STATE = "/var/lib/okaeri"


def install(repository):
    """The second command of docs/getting-started.md: checks that the service runs, without a region."""
    repository.apt("update")
    said = repository.apt("install", "-y", "okaeri")
    check("'sudo okaeri setup'" in said, f"the installation does not say what comes next: {said}")
    wait_for("the service", lambda: status() and status()["regions"] == [], within=30)


def history():
    """Returns the events in the history."""
    return [json.loads(line) for line in run(PROGRAM, "history", "--json").splitlines()]


def arrivals():
    """Returns the number of enter events in the history."""
    return [event["event"] for event in history()].count("didEnterRegion")


def pid():
    """Returns the service's process."""
    return run("systemctl", "show", "--value", "--property=MainPID", "okaeri")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def purge(repository):
    repository.apt("purge", "-y", "okaeri")
    repository.forget()


@scenario(within=600)
def apt_upgrades(folder):
    """After an upgrade the state is kept, the new program runs, and apt asks about the changed configuration."""
    Controller(folder).tell("start home")
    repository = Repository(folder, "before")
    try:
        install(repository)
        configure()
        run("systemctl", "reload", "okaeri")
        wait_for("the kept arrival", lambda: b'"inside"' in read(f"{STATE}/state.json"), within=10)
        configured, old, inode = read(CONFIGURATION), pid(), os.stat(f"{STATE}/history.sqlite").st_ino
        check(arrivals() == 1, f"{arrivals()} arrivals before the upgrade")

        repository.serve("now")
        repository.apt("update")
        said = repository.apt("upgrade", "-y", answer="N\n")
        check("Modified (by you or by a script)" in said and "Package distributor has shipped an updated" in said,
              f"a changed default is not asked about: {said}")
        check(read(CONFIGURATION) == configured, "the upgrade has touched the configuration")
        new = read(f"{CONFIGURATION}.dpkg-dist")
        check(b'"regions": []' in new and b"patient" not in new, "the new default is not beside it")
        check("~before" not in run("dpkg-query", "-W", "okaeri"), "apt has upgraded nothing")

        wait_for("home inside after the upgrade", lambda: state() == "inside", within=30)
        check(pid() not in ("0", old), "the service was not restarted")
        running = os.stat(f"/proc/{pid()}/exe")
        check(os.path.samestat(running, os.stat(PROGRAM)) and not read(PROGRAM).endswith(b"before\n"),
              "the service does not run the new program")
        check(arrivals() == 1, "the upgrade has caused an enter event")
        check(os.stat(f"{STATE}/history.sqlite").st_ino == inode, "the history was begun anew")
    finally:
        purge(repository)


def backup_survives_purge(repository):
    """A backup before a purge, restored after a new installation: regions, secret, state and history are as they were."""
    backup, secret = "/run/backup.tar", "/etc/okaeri/home.psk"
    run("install", "-o", "okaeri", "-m", "0600", "/dev/null", secret)
    with open(secret, "w", encoding="utf-8") as file:
        file.write("a passphrase\n")
    configure(join="auto", passphraseFile=secret)
    run("systemctl", "reload", "okaeri")
    configured, known = read(CONFIGURATION), history()
    run(PROGRAM, "backup", backup)
    check(os.stat(backup).st_mode & 0o777 == 0o600, "others have access to the backup")
    repository.apt("purge", "-y", "okaeri")
    check(not os.path.exists(CONFIGURATION) and not os.path.exists(STATE), "the purge has left files")

    repository.apt("install", "-y", "okaeri")
    wait_for("the service", lambda: status() and status()["regions"] == [], within=30)
    said = run(PROGRAM, "restore", backup, "--yes", within=60)
    wait_for("home inside after the restoration", lambda: state() == "inside", within=30)
    check(read(CONFIGURATION) == configured, f"the configuration is another one: {said}")
    check(read(secret) == b"a passphrase\n", "the passphrase is another one")
    check(run("stat", "--format=%U %a", secret) == "okaeri 600", "others have access to the passphrase")
    check(history()[:len(known)] == known and arrivals() == 1, f"the history is another one: {history()}")
    os.remove(backup)


@scenario(within=600)
def apt_removes_and_purges(folder):
    """After a removal the service is gone and its state stays; after a new installation the service uses it; after a purge
    no files are left; a backup brings all back."""
    before = owned_files()
    Controller(folder).tell("start home")
    repository = Repository(folder, "now")
    try:
        install(repository)
        # The step in docs/getting-started.md that allows a user to send requests.
        run("usermod", "-aG", "okaeri", "nobody")
        configure()
        run("systemctl", "reload", "okaeri")
        wait_for("the kept arrival", lambda: b'"inside"' in read(f"{STATE}/state.json"), within=10)
        configured = read(CONFIGURATION)

        repository.apt("remove", "-y", "okaeri")
        check(run("systemctl", "is-active", "okaeri", may_fail=True) == "inactive", "the service runs still")
        check(not run("pgrep", "-u", "okaeri", may_fail=True), "something of it runs still")
        check(not os.path.exists("/run/okaeri"), "the socket is left behind")
        check(read(CONFIGURATION) == configured, "the removal has touched the configuration")
        check(os.path.exists(f"{STATE}/history.sqlite"), "the removal has taken the history away")

        repository.apt("install", "-y", "okaeri")
        wait_for("home inside again", lambda: state() == "inside", within=30)
        check(arrivals() == 1, "the history does not go on")

        backup_survives_purge(repository)
    finally:
        purge(repository)
    check_nothing_left(before)


def spoil(path, old, new):
    """Changes a file of the repository; its last byte if `old` is None."""
    intact = read(f"{SERVED}/{path}")
    spoiled = intact.replace(old, new) if old else intact[:-1] + bytes([intact[-1] ^ 1])
    check(spoiled != intact, f"{path} has no {old}")
    with open(f"{SERVED}/{path}", "wb") as file:
        file.write(spoiled)


def refuses(repository, what, *reasons):
    """Checks that apt installs nothing from the repository, and gives one of these reasons."""
    said = repository.apt("update", may_fail=True) + repository.apt("install", "-y", "okaeri", may_fail=True)
    check(any(reason in said for reason in reasons), f"{what}: apt does not refuse it: {said}")
    check(not os.path.exists(PROGRAM), f"{what}: apt has installed it")


@scenario(within=600)
def apt_refuses(folder):
    """apt installs nothing from a repository without a signature, with another key's, or changed after it was signed."""
    repository = Repository(folder, "now")
    release = f"dists/{SUITE}"
    packages = f"{release}/main/binary-{run('dpkg', '--print-architecture')}/Packages"
    try:
        for file in ("InRelease", "Release.gpg"):
            os.remove(f"{SERVED}/{release}/{file}")
        refuses(repository, "without a signature", "is not signed")

        repository.serve("foreign")
        refuses(repository, "signed by another", "is not signed")

        repository.serve("now")
        spoil(f"{release}/InRelease", b"Label: Okaeri", b"Label: Okaerj")
        refuses(repository, "a changed Release", "is not signed")

        repository.serve("now")
        spoil(packages, b"Section: net", b"Section: web")
        with gzip.open(f"{SERVED}/{packages}.gz", "wb") as file:
            file.write(read(f"{SERVED}/{packages}"))
        refuses(repository, "a changed list", "Hash Sum mismatch", "unexpected size")

        repository.serve("now")
        spoil(os.path.relpath(glob.glob(f"{SERVED}/pool/main/o/okaeri/*.deb")[0], SERVED), None, None)
        refuses(repository, "a changed package", "Hash Sum mismatch", "unexpected size")
    finally:
        repository.forget()
