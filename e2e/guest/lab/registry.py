"""The scenarios: functions that are decorated with @scenario."""

import importlib
import os
import sys


class Scenario:
    """A function that takes the folder for its logs; its name, its time limit in seconds."""

    def __init__(self, play, within):
        self.name = play.__name__
        self.play = play
        self.within = within


SCENARIOS = {}


def scenario(within):
    """Registers a function under its own name. It fails by an exception, or when its time is up."""
    def register(play):
        SCENARIOS[play.__name__] = Scenario(play, within)
        return play
    return register


def load(folder):
    """Imports every file of the folder, in the order of their names."""
    sys.path.insert(0, folder)
    for file in sorted(os.listdir(folder)):
        if file.endswith(".py"):
            importlib.import_module(file.removesuffix(".py"))
    return SCENARIOS
