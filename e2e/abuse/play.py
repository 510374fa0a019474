"""play.py PROGRAM FOLDER SECONDS [NAME...]: attacks the daemon, a fresh one for each attack, and checks the budget."""

import multiprocessing
import pathlib
import shutil
import sys
import time
import traceback

import broker_attacks
import file_attacks
import http_attacks
import radio_attacks
from target import SLOWEST_STOP, Failure, Target, Watch, wait_for

ATTACKS = [*http_attacks.ATTACKS, *radio_attacks.ATTACKS, *broker_attacks.ATTACKS, *file_attacks.ATTACKS]


def carry_out(attack, surface, pipe):
    """Runs in a process of its own, which keeps its connections open until the daemon has ended."""
    try:
        pipe.send(attack(surface))
    except Failure as failure:
        pipe.send(str(failure))
    except BaseException as error:  # any exception fails the attack
        traceback.print_exc()
        pipe.send(f"{type(error).__name__}: {error}")
    time.sleep(3600)


class Surface:
    """The resources of an attack: the addresses of the listeners, a session, and the time to take."""

    def __init__(self, target, watch, seconds, broker):
        self.page, self.metrics, self.socket = target.page, target.metrics, target.socket
        self.login, self.target, self.seconds, self.broker = watch.login, target, seconds, broker


def play(name, attack, program, folder, seconds):
    """Returns the figures, or raises a failure."""
    broker = attack.broker() if attack.broker else None
    target = Target(program, folder, **attack.settings, broker=broker and broker.port)
    watch = None
    attacker = None
    try:
        watch = Watch(target, attack.memory)
        watch.start()
        before = target.descriptors
        receiver, sender = multiprocessing.Pipe(duplex=False)
        attacker = multiprocessing.Process(
            target=carry_out, args=(attack.carry_out, Surface(target, watch, seconds, broker), sender), daemon=True)
        attacker.start()
        sender.close()
        if not receiver.poll(seconds * 6 + 60):
            raise Failure("the attack did not end")
        complaints = [line for line in [receiver.recv()] if line]
        time.sleep(0.5)
        complaints += watch.finish()
        if target.process.poll() is not None:
            raise Failure(f"the daemon ended with {target.process.returncode}")
        if complaints:
            raise Failure("; ".join(complaints) + f" ({watch.figures})")
        if not attack.holds:
            attacker.kill()
            wait_for("closing of what the attack had open", 10 * watch.pace, lambda: target.descriptors <= before + 8)
        stopped = target.stop(SLOWEST_STOP * watch.pace)
        attack.check_afterwards(target)
        return f"{watch.figures}, stop {stopped:.1f} s"
    finally:
        if watch:
            watch.ended.set()
        if attacker:
            attacker.kill()
        target.kill()
        if broker:
            broker.stop()


def main():
    program, folder, seconds, wanted = sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4:]
    unknown = set(wanted) - {attack.name for attack in ATTACKS}
    if unknown:
        sys.exit(f"abuse: there is no attack {', '.join(sorted(unknown))}; there are " + ", ".join(a.name for a in ATTACKS))
    passed = failed = 0
    for attack in ATTACKS:
        if wanted and attack.name not in wanted:
            continue
        own = folder / attack.name
        own.mkdir()
        try:
            figures = play(attack.name, attack, program, own, seconds)
            passed += 1
            print(f"ok    {attack.name:<22} {figures}", flush=True)
            shutil.rmtree(own)
        except Failure as failure:
            failed += 1
            print(f"FAIL  {attack.name:<22} {failure}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    sys.exit(main())
