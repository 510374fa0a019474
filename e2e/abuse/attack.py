"""An attack."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass
class Attack:
    """`carry_out` gets a `Surface` and returns `None` or a complaint.

    `settings` are those of `Target`. If it `holds`, its connections are open while the daemon stops.
    """

    carry_out: Callable
    settings: dict
    holds: bool = True
    broker: Callable | None = None
    check_afterwards: Callable = lambda target: None

    @property
    def name(self):
        return self.carry_out.__name__


def registry():
    """An empty list of attacks, and the decorator that adds one."""
    attacks = []

    def attack(holds=True, broker=None, check_afterwards=lambda target: None, **settings):
        def add(function):
            attacks.append(Attack(function, settings, holds, broker, check_afterwards))
            return function
        return add

    return attacks, attack
