"""Traces: the received advertisements of a beacon, from any source."""

import dataclasses
import random


# Compared by identity, so that derived values can be cached.
@dataclasses.dataclass(frozen=True, eq=False)
class Trace:
    """The received advertisements of one beacon: (seconds, dBm)."""

    name: str
    sightings: list
    # The seed for the cuts.
    seed: str
    # The name of the beacon, and the received advertisements of other devices at the same time: {name: sightings}.
    device: str = "beacon"
    others: dict = dataclasses.field(default_factory=dict)
    # The photosensor's record: (seconds, whether it went in); whether it was in at first; the signal that counts as in.
    crossings: list = dataclasses.field(default_factory=list)
    begins_inside: bool = True
    thresholds: tuple | None = None
    # The configured exit time in seconds, if it is not learned.
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
        """Returns a random one in so many of its sightings."""
        name = f"{self.name}, one in {one_in}, {copy}"
        dice = random.Random(name)
        kept = [sighting for sighting in self.sightings if dice.randrange(one_in) == 0]
        return dataclasses.replace(self, name=name, sightings=kept)
