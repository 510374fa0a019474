"""Podman with a storage of its own, for the tests that run the container image."""

import subprocess
import time

IMAGE = "localhost/okaeri"
# The time in which a container ends, and that in which a condition must be met on a slow machine, in seconds.
QUICK, PATIENCE = 5, 60
# The limits of this process may be lower than those that Podman sets, and it may have no group of its own to put a container into.
COMMON = ["--cgroups=disabled", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]
RESTRICTED = ["--read-only", "--cap-drop", "all", "--cap-add", "NET_RAW", "--cap-add", "NET_ADMIN"]


class Failure(Exception):
    """The image did not meet an expectation."""


def check(is_so, complaint):
    if not is_so:
        raise Failure(complaint)


def run(*words, may_fail=False):
    """Runs a command to its end; returns its output, and its status if it may fail."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    if may_fail:
        return done.returncode, done.stdout
    check(done.returncode == 0, f"`{' '.join(map(str, words))}` ended with {done.returncode}: {done.stdout[-1500:]}")
    return done.stdout


def wait_for(what, probe):
    end = time.monotonic() + PATIENCE
    while True:
        found = probe()
        if found:
            return found
        check(time.monotonic() < end, f"{what}: not within {PATIENCE} s")
        time.sleep(0.2)


class Podman:
    """Podman with a storage of its own."""

    def __init__(self, folder):
        self.words = ["podman", "--root", f"{folder}/storage", "--runroot", f"{folder}/run", "--storage-driver", "vfs",
                      "--cgroup-manager", "cgroupfs", "--events-backend", "none"]

    def __call__(self, *words, **options):
        return run(*self.words, *words, **options)

    def once(self, *words, options=(), **rest):
        """Runs a command in a new container; returns its output, and its status if it may fail."""
        return self("run", "--rm", "--no-healthcheck", *COMMON, "--network", "host", *options, IMAGE, *words, **rest)
