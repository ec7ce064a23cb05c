"""A study has the same results with and without shortcuts; the record says which were taken."""

from dataclasses import replace

import evallang as ev
from evallang.results import codec

STUDY = """evallang 1
study
  seed 1
data wine from sklearn wine
model baseline = DummyClassifier
model near = StandardScaler | KNeighborsClassifier(n_neighbors in [1, 3, 5, 7])
protocol nested cv outer=2 inner=2
measure accuracy
"""


def results(text, **options):
    found = ev.run(ev.parse(text), **options).record
    made = found.provenance
    plain = replace(found, provenance=replace(made, started="", seconds=0.0, fast_paths=()))
    return codec.dumps(plain), {path.name: path.n_fits for path in made.fast_paths}


def test_shortcuts_change_no_result_and_are_recorded():
    fast, taken = results(STUDY)
    slow, none = results(STUDY, fast_paths=False)
    assert fast == slow
    assert none == {}
    assert taken == {"one neighbour search for all k": 2 * (2 * 4 + 1)}
