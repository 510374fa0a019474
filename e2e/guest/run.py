"""Runs the scenarios that the host wants, one after the other, and reports each as it ends.

The host's folder holds what is wanted (`wanted`, a name a line) and gets a line for each scenario (`results`) and the
logs (`logs/NAME`). Of several machines each has a number and results of its own (`results-1`); who makes the folder for
the logs first plays the scenario.
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

with open("/proc/cmdline", encoding="utf-8") as _parameters:
    NUMBER = next((word.partition("=")[2] for word in _parameters.read().split() if word.startswith("okaeri.machine=")), "")
RESULTS = f"{HOST}/results-{NUMBER}" if NUMBER else f"{HOST}/results"


def report(line):
    """A line for the host, at once."""
    with open(RESULTS, "a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def play(scenario, folder, complaint):
    """In a process of its own, so that nothing of it outlives its time."""
    try:
        machine.reset(scenario.name)
        scenario.play(folder)
    except Failure as failure:
        complaint.send(str(failure))
    except BaseException as error:  # whatever it is, the scenario has failed
        complaint.send(f"{type(error).__name__}: {error}")
        with open(f"{folder}/traceback", "w", encoding="utf-8") as file:
            traceback.print_exc(file=file)


def outcome(scenario, folder):
    """None if it passed, else what went wrong."""
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
    """Whether the radios in software died of a fault of their own, as Debian 13's do on a slow machine: no word about us."""
    said = run("journalctl", "--quiet", "--dmesg", "--no-pager", "--after-cursor", since, may_fail=True)
    return any("btvirt[" in line and ("traps:" in line or "segfault" in line) for line in said.splitlines())


def put_aside(folder):
    """What was written so far. The folder stays: it tells the other machine that the scenario is played."""
    os.mkdir(f"{folder}-crashed")
    for name in os.listdir(folder):
        os.rename(f"{folder}/{name}", f"{folder}-crashed/{name}")


def report_figures(folder):
    """The figures of a measurement."""
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
    # By its place and not by the time: a scenario may set the clock.
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
            # In place of one that runs already, as a service does that a stage before has left.
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
