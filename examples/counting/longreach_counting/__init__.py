"""Whether a model can count events spread over a long context."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Literal

from longreach.core.settings import LengthSpec, setting
from longreach.families.planting import LENGTH, Axis, Case, Counts, Curve, Heatmap, Key, PlantingFamily

PLACES = ("Ardmoor", "Brethel", "Calder Point", "Dunmarrow", "Eskwater", "Fallowgate", "Greyhaven", "Hartlow")


class CountingSpec(LengthSpec):
    """Some events at random places of each length."""

    family: Literal["counting"] = "counting"
    counts: Counts = setting((2, 4, 8), "how many events to insert: 2,4,8")
    samples: int = setting(3, "contexts per length and count", ge=1, le=1000)


class Counting(PlantingFamily[CountingSpec]):
    name, version, title, spec_type = "counting", 2, "Counting", CountingSpec
    about = "A bell rings at several places of a long text. Every ring must be found, and none counted twice."
    prompt = Path(__file__).with_name("count.txt")
    axes = (
        LENGTH,
        Axis(name="count", title="Events", scale="linear"),
        Axis(name="sample", title="Sample", scale="linear"),
        Axis(name="question_type", title="Question type"),
    )
    charts = (
        Heatmap(id="map", title="Score by number of events and length", x="length", y="count"),
        Curve(id="by-length", title="At which length does the score fall?", x="length", lines=("question_type",)),
    )

    def cases(self, spec: CountingSpec, random: Random) -> Iterator[Case]:
        places = random.sample(PLACES, len(PLACES))
        for turn, count in enumerate(spec.counts):
            for sample in range(spec.samples):
                bell = places[(turn + sample) % len(places)]
                asked, key = f"How many times did the bell of {bell} ring?", Key(kind="number", answer=str(count))
                rings = [f"The bell of {bell} rang once. "] * count
                yield Case(rings, asked, key, "count", cell={"count": count, "sample": sample})


FAMILY = Counting()
