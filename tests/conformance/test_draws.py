"""What is drawn depends on what is divided, never on what a study describes or reports.

A study is edited line by line under every protocol of the registry that draws. `guess` and `coin`
predict at random and see no feature, so that their estimates show the seeds of the fits.
"""

import numpy as np
import pytest
from studies import study

from evallang.api.preparing import read_and_plan
from evallang.api.running import run
from evallang.diagnostics import has_errors
from evallang.protocols.protocol import PROTOCOLS, written

DRAWING = [e for e in PROTOCOLS if e.declaration.division in ("shuffled", "resampled")]
FEWER = {"folds": 3, "times": 2, "outer": 3, "inner": 2, "rounds": 4}
OTHER = {"folds": 4, "times": 3, "outer": 4, "rounds": 5, "test": 0.4}

BASE = """\
evallang 1
study "Draws"
  seed 3
data storms from "storms.csv"
  target weather
  features wind, height
stratify by target, sex
group by site
model guess = DummyClassifier(strategy=uniform)
model coin = DummyClassifier(strategy=stratified)
model tree = DecisionTreeClassifier(max_features=1)
PROTOCOL
measure accuracy
"""
SEARCHED = "model tuned = DecisionTreeClassifier(max_depth in 1..9)\n"
DRAWN_LINES = (
    "compare guess, coin with permutation(rounds=99)\n",
    "compare guess, coin with bootstrap(rounds=99)\n",
    "compare guess, coin, tree with bootstrap(rounds=99) max_t\n",
    "analyze target_permutation(rounds=3)\n",
    "analyze learning_curve(fractions=[0.8, 1], repeats=2)\n",
)
DESCRIBED = {
    "title": ('study "Draws"', 'study "Another title"'),
    "data renamed": ("data storms from", "data weather from"),
    "data labelled": ("data storms from", 'data storms "Storms at sea" from'),
    "positive": ("  target weather", "  target weather\n  positive calm"),
    "other positive": ("  target weather", "  target weather\n  positive storm"),
    "features": ("  features wind, height", "  features wind"),
    "id": ("  target weather", "  target weather\n  id buoy"),
    "unit": ("  target weather", '  target weather\n  unit "buoys"'),
    "columns in another order": ("storms.csv", "turned.csv"),
    "classes and levels renamed": ("storms.csv", "renamed.csv"),
    "subgroups": ("measure accuracy", "measure accuracy within sex"),
    "metrics": ("measure accuracy", "measure accuracy, f1(average=macro)"),
    "model labelled": ("model tree =", 'model tree "Tree" ='),
    "model renamed": ("model tree =", "model oak ="),
    "model added": ("model tree =", "model bayes = KNeighborsClassifier\nmodel tree ="),
    "model removed": ("model tree = DecisionTreeClassifier(max_features=1)\n", ""),
    "comparison": (
        "measure accuracy\n",
        "measure accuracy\ncompare guess, coin with corrected_t\n",
    ),
    "requirement": ("measure accuracy\n", "measure accuracy\nrequire accuracy of guess >= 1%\n"),
    "analysis": ("measure accuracy\n", "measure accuracy\nanalyze confusion\n"),
    "report": ("measure accuracy\n", "measure accuracy\nreport html\n"),
}
RUN = {"classes and levels renamed", "columns in another order", "model added"}
"""What is planned and run under every protocol; the rest under one."""
DIVIDED = {
    "seed": ("  seed 3", "  seed 4"),
    "rows": ("  target weather", "  target weather\n  where wind > 0.05"),
    "groups": ("group by site", "group by other_site"),
    "strata": ("stratify by target, sex", "stratify by target, colour"),
}


def _write_data(folder):
    rng = np.random.default_rng(1)
    n = 120
    site, sex = np.arange(n) // 2, rng.integers(0, 2, n)
    columns = {
        "buoy": [f"b{i}" for i in range(n)],
        "wind": rng.random(n).round(3),
        "height": rng.normal(size=n).round(3),
        "colour": rng.choice(["red", "green"], n),
        "sex": np.where(sex, "m", "f"),
        "site": [f"s{i}" for i in site],
        "other_site": [f"s{(i + 1) // 2}" for i in range(n)],
        "weather": rng.choice(["calm", "storm"], n),
    }
    renamed = columns | {
        "sex": np.where(sex, "a man", "woman"),
        "site": [f"s{9_999 - i}" for i in site],
        "weather": ["quiet" if w == "calm" else "rough" for w in columns["weather"]],
    }
    turned = dict(reversed(columns.items()))
    for name, found in (("storms", columns), ("turned", turned), ("renamed", renamed)):
        lines = [
            ",".join(found),
            *(",".join(map(str, row)) for row in zip(*found.values(), strict=True)),
        ]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _options(entry, given):
    options = entry.defaults() | {k: v for k, v in given.items() if k in entry.defaults()}
    return written(entry.name, options)


def _text(entry, folder):
    """Return a study of a protocol with each line that draws and goes with it."""
    text = BASE.replace("PROTOCOL", f"protocol {_options(entry, FEWER)}")
    if entry.declaration.inner_option:
        text = text.replace("protocol", SEARCHED + "protocol") + "tune random 3\n"
    for line in DRAWN_LINES:
        if not has_errors(study(text + line, folder).diagnostics):
            text += line
    return text


def _splits(text, folder):
    planned = read_and_plan(study(text, folder)).planned
    assert not has_errors(planned.diagnostics), planned.diagnostics
    (splits,) = planned.layout.splits.values()
    keys = dict.fromkeys(place.key for place in planned.layout.places)
    inner = {
        tuple(rows.tobytes() for fold in task.inner for rows in fold)
        for task in map(planned.fits.get, keys)
        if task.inner
    }
    candidates = {str(t.candidates) for t in planned.fits.values() if len(t.candidates) > 1}
    return [(s.train.tobytes(), s.test.tobytes()) for s in splits], inner, candidates


def _numbers(text, folder):
    """Return what random fits and resamples made of the models that see no feature."""
    for line in DRAWN_LINES:  # fits of analyses are drawn for by `_splits`
        text = text.replace(line, "") if line.startswith("analyze") else text
    record = run(study(text, folder)).record
    blind = ("guess", "coin")
    estimates = {
        e.model: (e.value, tuple(f.value for f in e.folds), e.interval and e.interval.low)
        for e in record.estimates
        if e.model in blind and e.metric == "accuracy" and e.subgroup is None
    }
    tests = {
        t.test: (t.p, t.estimate.low)
        for c in record.comparisons
        for t in c.pairwise
        if t.models == blind and t.test in ("permutation", "bootstrap") and c.family.size == 1
    }
    return estimates, tests


def _edited(text, edit):
    before, after = edit
    assert text.count(before) >= 1, before
    if before == "model tree =" and "oak" in after:
        return text.replace("guess, coin, tree", "guess, coin, oak").replace(before, after)
    if after == "" and before.startswith("model tree"):
        return text.replace("guess, coin, tree", "guess, coin").replace(before, after)
    return text.replace(before, after, 1)


@pytest.mark.parametrize("entry", DRAWING, ids=lambda e: e.name)
def test_what_describes_or_reports_changes_no_draw(entry, tmp_path):
    _write_data(tmp_path)
    text = _text(entry, tmp_path)
    splits, numbers = _splits(text, tmp_path), _numbers(text, tmp_path)
    for name, edit in DESCRIBED.items():
        if name not in RUN and entry is not DRAWING[0]:
            continue
        edited = _edited(text, edit)
        if has_errors(study(edited, tmp_path).diagnostics):
            assert name in ("comparison", "analysis", "requirement"), name
            continue
        assert _splits(edited, tmp_path) == splits, name
        assert _numbers(edited, tmp_path) == numbers, name


@pytest.mark.parametrize("entry", DRAWING, ids=lambda e: e.name)
def test_what_is_divided_changes_the_splits(entry, tmp_path):
    _write_data(tmp_path)
    text = _text(entry, tmp_path)
    (splits, *_) = _splits(text, tmp_path)
    for name, edit in DIVIDED.items():
        same = name == "strata" and not entry.declaration.keeps_strata
        assert (_splits(_edited(text, edit), tmp_path)[0] == splits) is same, name
    changed = {k: v for k, v in OTHER.items() if k in entry.defaults()}
    for option, value in changed.items():
        other = text.replace(_options(entry, FEWER), _options(entry, FEWER | {option: value}))
        first = _splits(other, tmp_path)[0][: len(splits)]
        assert not set(first) & set(splits) or entry.declaration.full_sample, option
