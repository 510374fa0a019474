"""The registered scenarios: functions with the decorator @scenario, @stage or @measurement."""

import importlib
import os
import sys


class Scenario:
    """A function that takes the folder for its logs, with its name, its time limit in seconds, and whether it runs only by
    name."""

    def __init__(self, play, within, alone=True):
        self.name = play.__name__
        self.play = play
        self.within = within
        self.alone = alone


SCENARIOS = {}


def scenario(within):
    """Registers a function under its own name. It fails by an exception, or when its time is up."""
    def register(play):
        SCENARIOS[play.__name__] = Scenario(play, within)
        return play
    return register


def stage(within):
    """Registers a stage of a longer test, which runs only by name: a script on the host starts the stages."""
    def register(play):
        SCENARIOS[play.__name__] = Scenario(play, within, alone=False)
        return play
    return register


def measurement(within):
    """Registers a measurement, which takes long and runs only by name. It writes its figures to `figures` in its folder."""
    return stage(within)


def load(folder):
    """Imports every file of the folder, in the order of their names."""
    sys.path.insert(0, folder)
    for file in sorted(os.listdir(folder)):
        if file.endswith(".py"):
            importlib.import_module(file.removesuffix(".py"))
    return SCENARIOS
