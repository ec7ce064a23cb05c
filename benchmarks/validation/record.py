"""What was measured, when and how often: a file that a killed run leaves for the next one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.validation.simulation import Simulation, Tally

MEASURED = Path(__file__).resolve().with_name("measured.json")


@dataclass(frozen=True)
class Record:
    """The tallies of one simulation, with its seed, replications and day (ISO, UTC)."""

    seed: int
    replications: int
    date: str
    tallies: Mapping[str, Tally]

    def answers(self, simulation: Simulation, seed: int, replications: int) -> bool:
        """Return whether the record has all figures of a simulation, drawn as often as wanted."""
        keys = {key for line in simulation.lines for key in line.keys}
        enough = self.replications >= replications and keys <= set(self.tallies)
        return enough and self.seed == seed


def read(path: Path) -> dict[str, Record]:
    """Read the records by the name of their simulation; none where there is no file."""
    if not path.exists():
        return {}
    given = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: Record(
            one["seed"],
            one["replications"],
            one["date"],
            {key: Tally(*values) for key, values in one["tallies"].items()},
        )
        for name, one in given.items()
    }


def write(path: Path, records: Mapping[str, Record], known: Sequence[Simulation]) -> None:
    """Write the records of known simulations, whole or not at all."""
    names = {simulation.name for simulation in known}
    content = {
        name: {
            "seed": one.seed,
            "replications": one.replications,
            "date": one.date,
            "tallies": {key: [t.n, t.total, t.squares] for key, t in one.tallies.items()},
        }
        for name, one in sorted(records.items())
        if name in names
    }
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)
