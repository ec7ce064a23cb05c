"""The shipped table is what the installed scikit-learn says, and merging is exact."""

import json
import warnings

import pytest
import scanned_classes as scan
import sklearn
import write_catalogue as generate
from specs import call, items, steps

from evallang.models.abilities import abilities
from evallang.models.catalogue import CATALOGUE, REFUSED_CLASSES

SHIPPED = json.loads(generate.TARGET.read_text(encoding="utf-8"))


def test_the_table_knows_the_installed_version():
    """A new scikit-learn: run `python tests/models/write_catalogue.py` under it."""
    minors = [generate.minor(version) for version in SHIPPED["scikit_learn"]]
    assert generate.minor(sklearn.__version__) in minors


def _at(written: list, version: str) -> list | None:
    """Give the edition of a parameter that a version has."""
    editions = written if isinstance(written[0], list) else [[*written, None, None]]
    number = generate._number(version)
    for index, default, since, until in editions:
        after = since is None or number >= generate._number(since)
        if after and (until is None or number <= generate._number(until)):
            return [SHIPPED["constraints"][index], default]
    return None


def test_the_shipped_table_has_the_classes_and_parameters_of_the_installed_version():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {
            name: {} if name in REFUSED_CLASSES else scan.parameters(cls)
            for name, cls in scan._classes()
        }
    for name, parameters in found.items():
        shipped = SHIPPED["classes"][name]["parameters"]
        here = {p: _at(written, sklearn.__version__) for p, written in shipped.items()}
        assert {p: d for p, d in here.items() if d is not None} == parameters, name


@pytest.mark.parametrize(
    "name",
    ["SVC", "SGDClassifier", "VotingClassifier", "StackingClassifier", "OneVsRestClassifier",
     "SimpleImputer", "OneHotEncoder", "StandardScaler", "KNeighborsClassifier", "RFE"],
)  # fmt: skip
def test_scanning_again_gives_the_abilities_of_the_shipped_table(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scan.describe(name, dict(scan._classes())[name])
    shipped = SHIPPED["classes"][name]
    older = shipped.get("older", {}).get(generate.minor(sklearn.__version__), {})
    for fact in found.keys() - {"parameters"}:
        assert found[fact] == older.get(fact, shipped.get(fact)), fact


def test_the_shipped_file_is_what_merging_writes():
    assert generate.as_text(SHIPPED) == generate.TARGET.read_text(encoding="utf-8")


def test_merging_two_versions_says_since_and_until():
    old = {
        "version": "1.6.0",
        "classes": {
            "A": {"module": "m", "weights": True, "parameters": {"p": ["bool", True]}},
            "Gone": {"module": "m", "parameters": {}},
        },
    }
    new = {
        "version": "1.10.0",  # after 1.6, though "1.10" sorts before it
        "classes": {
            "A": {"module": "m", "parameters": {"p": ["none", None], "q": ["bool", False]}},
        },
    }
    merged = generate.merge([new, old])
    assert merged["scikit_learn"] == ["1.6.0", "1.10.0"]
    assert merged["constraints"] == ["bool", "none"]
    assert merged["classes"]["Gone"] == {"module": "m", "until": "1.6", "parameters": {}}
    assert merged["classes"]["A"] == {
        "module": "m",
        "older": {"1.6": {"weights": True}},
        "parameters": {
            "p": [[0, True, None, "1.6"], [1, None, "1.10", None]],
            "q": [[0, False, "1.10", None]],
        },
    }


def test_a_rule_of_the_table_names_the_values_it_depends_on():
    assert CATALOGUE["SGDClassifier"].rule("probabilities") == {
        "loss": ["log_loss", "modified_huber"]  # scikit-learn's manual, 1.5.1
    }
    forest = call("RandomForestClassifier")
    assert abilities(steps(call("VotingClassifier", estimators=items(forest)))).scores is False


SMALL = {"GaussianNB", "LinearRegression", "CountVectorizer", "DBSCAN", "FeatureUnion", "KFold"}


@pytest.fixture
def few_classes(monkeypatch):
    """Make a scan find a few classes of different kinds."""
    found = [(name, cls) for name, cls in scan._classes() if name in SMALL]
    monkeypatch.setattr(scan, "_classes", lambda: found)
    return [name for name, _ in found]


def test_the_command_merges_files_with_the_installed_version_or_alone(
    few_classes, tmp_path, monkeypatch
):
    old = {
        "version": "1.2.0",
        "classes": {"Old": {"module": "m", "parameters": {"p": ["bool", True]}}},
    }
    (tmp_path / "old.json").write_text(json.dumps(old))
    monkeypatch.setattr(generate, "TARGET", tmp_path / "table.json")
    generate.main([str(tmp_path / "old.json"), "--without-installed"])
    alone = json.loads((tmp_path / "table.json").read_text())
    assert (alone["scikit_learn"], list(alone["classes"])) == (["1.2.0"], ["Old"])
    generate.main([str(tmp_path / "old.json")])
    both = json.loads((tmp_path / "table.json").read_text())
    assert both["scikit_learn"] == ["1.2.0", sklearn.__version__]
    assert set(both["classes"]) == {"Old", *few_classes}
