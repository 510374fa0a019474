"""An attack."""

import dataclasses
from collections.abc import Callable

from target import MOST_MEMORY


@dataclasses.dataclass
class Attack:
    """`carry_out` gets a `Surface` and returns `None` or a complaint.

    `settings` are those of `Target`. If it `holds`, its connections are open while the daemon stops. `memory` is the most that the
    daemon may need during it, in KiB of RssAnon.
    """

    carry_out: Callable
    settings: dict
    holds: bool = True
    broker: Callable | None = None
    check_afterwards: Callable = lambda target: None
    memory: int = MOST_MEMORY

    @property
    def name(self):
        return self.carry_out.__name__


def registry():
    """An empty list of attacks, and the decorator that adds one."""
    attacks = []

    def attack(holds=True, broker=None, check_afterwards=lambda target: None, memory=MOST_MEMORY, **settings):
        def add(function):
            attacks.append(Attack(function, settings, holds, broker, check_afterwards, memory))
            return function
        return add

    return attacks, attack
