"""Runs the requested scenarios one after the other, and reports each to the host when it ends.

The host's folder contains the names of the scenarios (`wanted`, a name a line). The program writes a line for each scenario
(`results`) and the logs (`logs/NAME`) to it. If several machines share the scenarios, each has a number and results of its
own (`results-1`); the machine that creates a scenario's folder for the logs first runs it.
"""

import multiprocessing
import os
import shutil
import sys
import time
import traceback

from lab import machine, pace, registry
from lab.processes import run
from lab.waiting import Failure

HOST = "/mnt/host"

NUMBER = machine.number()
RESULTS = f"{HOST}/results-{NUMBER}" if NUMBER else f"{HOST}/results"


def report(line):
    """Prints a line for the host at once."""
    with open(RESULTS, "a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def play(scenario, folder, complaint):
    """Runs a scenario in a process of its own, so that none of its parts outlives its time limit."""
    try:
        machine.reset(scenario.name)
        scenario.play(folder)
    except Failure as failure:
        complaint.send(str(failure))
    except BaseException as error:  # any exception fails the scenario
        complaint.send(f"{type(error).__name__}: {error}")
        with open(f"{folder}/traceback", "w", encoding="utf-8") as file:
            traceback.print_exc(file=file)


def outcome(scenario, folder):
    """Returns None if the scenario passed, else the failure."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=play, args=(scenario, folder, sender))
    process.start()
    sender.close()
    limit = pace.Limit(scenario.within)
    while process.is_alive() and not limit.is_over():
        process.join(0.5)
    if process.is_alive():
        process.kill()
        process.join()
        return f"not finished within {limit}"
    if receiver.poll():
        try:
            return receiver.recv()
        except EOFError:
            pass
    return None if process.exitcode == 0 else f"its process ended with {process.exitcode}"


def radios_crashed(since):
    """Whether the simulated radios crashed by a fault of their own, as Debian 13's do on a slow machine. Then the failure is
    not Okaeri's."""
    said = run("journalctl", "--quiet", "--dmesg", "--no-pager", "--after-cursor", since, may_fail=True)
    return any("btvirt[" in line and ("traps:" in line or "segfault" in line) for line in said.splitlines())


def put_aside(folder):
    """Moves the files of the first run away. The folder stays, because it shows the other machine that the scenario is
    taken."""
    os.mkdir(f"{folder}-crashed")
    for name in os.listdir(folder):
        os.rename(f"{folder}/{name}", f"{folder}-crashed/{name}")


def report_figures(folder):
    """Reports the figures of a measurement."""
    try:
        with open(f"{folder}/figures", encoding="utf-8") as file:
            for line in file.read().splitlines():
                report(f"      {line}")
    except FileNotFoundError:
        pass


def run_one(scenario):
    folder = f"{HOST}/logs/{scenario.name}"
    try:
        os.mkdir(folder)
    except FileExistsError:
        return
    began = time.monotonic()
    pace.begin()
    # Finds the messages by the journal's cursor and not by the time, because a scenario may set the clock.
    since = run("journalctl", "--quiet", "--lines=0", "--show-cursor").removeprefix("-- cursor: ")
    complaint = outcome(scenario, folder)
    if complaint is not None and radios_crashed(since):
        report(f"again {scenario.name:<36} {time.monotonic() - began:6.1f} s  btvirt crashed: {complaint[:150]}")
        put_aside(folder)
        complaint = outcome(scenario, folder)
    passed = time.monotonic() - began
    if complaint is None:
        slow = f"  (at {pace.mean():.1f} times the usual)" if pace.mean() >= 2 else ""
        report(f"ok    {scenario.name:<36} {passed:6.1f} s{slow}")
    else:
        machine.describe_threads(f"{folder}/threads")
        with open(f"{folder}/journal", "w", encoding="utf-8") as file:
            file.write(run("journalctl", "--no-pager", "--after-cursor", since, may_fail=True))
        with open(f"{folder}/complaint", "w", encoding="utf-8") as file:
            file.write(complaint + "\n")
        report(f"FAIL  {scenario.name:<36} {passed:6.1f} s  {' '.join(complaint.split())[:200]}")
    report_figures(folder)


def main():
    with open(f"{HOST}/wanted", encoding="utf-8") as file:
        wanted = file.read().split()
    scenarios = registry.load(f"{HOST}/scenarios")
    try:
        for program in os.listdir(f"{HOST}/bin"):
            # Replaces the file by a rename, because the service of an earlier stage may run it.
            shutil.copy(f"{HOST}/bin/{program}", f"/usr/local/bin/{program}.new")
            os.replace(f"/usr/local/bin/{program}.new", f"/usr/local/bin/{program}")
        pace.start()
        machine.prepare()
    except Failure as failure:
        report(f"broken: {failure}")
        return 1
    for name in wanted or [name for name, one in scenarios.items() if one.alone]:
        run_one(scenarios[name])
    report("end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
