"""What was heard of a beacon, from wherever it comes."""

import dataclasses
import random


# Compared by identity: what is derived from one can be kept.
@dataclasses.dataclass(frozen=True, eq=False)
class Trace:
    """What was heard of one beacon: (seconds, dBm)."""

    name: str
    sightings: list
    # For the dice that choose where it is cut short.
    seed: str
    # This one's name, and what was heard of other devices at the same time: {name: sightings}.
    device: str = "beacon"
    others: dict = dataclasses.field(default_factory=dict)
    # What a photosensor saw: (seconds, whether it went in). Whether it was in at first; how strong "in" is.
    crossings: list = dataclasses.field(default_factory=list)
    begins_inside: bool = True
    thresholds: tuple | None = None
    # The configured exit time in seconds, where it is not learned.
    exit_after: float | None = None

    @property
    def start(self):
        return self.sightings[0][0]

    @property
    def end(self):
        return self.sightings[-1][0]

    @property
    def hours(self):
        return (self.end - self.start) / 3600

    def with_sightings(self, sightings):
        return dataclasses.replace(self, sightings=sightings)

    def thinned(self, one_in, copy):
        """One in so many of its sightings, by chance."""
        name = f"{self.name}, one in {one_in}, {copy}"
        dice = random.Random(name)
        kept = [sighting for sighting in self.sightings if dice.randrange(one_in) == 0]
        return dataclasses.replace(self, name=name, sightings=kept)
