"""Programs that run beside a scenario, each with its output in a file of its own."""

import os
import signal
import subprocess

from .pace import Limit
from .waiting import Failure, wait_for

# The longest wait for a process at once.
GLANCE = 0.5


class Process:
    """A program in the background. Its output is kept in NAME.out and NAME.err in the scenario's folder."""

    def __init__(self, folder, name, command, environment=None, talks=False):
        self.name = name
        self.output = os.path.join(folder, f"{name}.out")
        self.errors = os.path.join(folder, f"{name}.err")
        with open(self.output, "wb") as output, open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE if talks else subprocess.DEVNULL, stdout=output, stderr=errors,
                env=environment)

    @property
    def is_running(self):
        return self.process.poll() is None

    def said(self):
        """Returns its whole output so far, with standard error last."""
        text = ""
        for path in (self.output, self.errors):
            with open(path, encoding="utf-8", errors="replace") as file:
                text += file.read()
        return text

    def expect_said(self, words, within=10, past=0):
        """Waits until its output contains the text more than `past` times."""
        wait_for(f"{self.name}: {words}", lambda: self.said().count(words) > past, within)

    def tell(self, line):
        """Writes a line to its standard input, which exists only with `talks`."""
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def stop(self, number=signal.SIGTERM, within=10):
        """Ends it and returns its exit status; fails if it does not end in time."""
        if self.is_running:
            self.process.send_signal(number)
        return self.ended(within)

    def ended(self, within):
        """Returns its exit status; fails if it has not ended in time."""
        limit = Limit(within)
        while True:
            try:
                return self.process.wait(GLANCE)
            except subprocess.TimeoutExpired:
                if limit.is_over():
                    raise Failure(f"{self.name} has not ended within {limit}") from None

    def kill(self):
        """Kills it, to clean up."""
        self.process.kill()
        self.process.wait()


def run(*command, may_fail=False, within=60):
    """Runs a tool to its end and returns its output."""
    status, text = finish(command, within)
    if status != 0 and not may_fail:
        raise Failure(f"{' '.join(command)} ended with {status}: {text}")
    return text


def finish(command, within=60):
    """Runs a tool to its end; returns its exit status and its output."""
    limit = Limit(within)
    with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        while True:
            try:
                output, _ = process.communicate(timeout=GLANCE)
                return process.returncode, output.decode(errors="replace").strip()
            except subprocess.TimeoutExpired:
                if limit.is_over():
                    process.kill()
                    raise Failure(f"{' '.join(command)} has not ended within {limit}") from None
