"""Packages around scikit-learn: known without them, quiet and reproducible with them."""

import inspect
import json
import warnings

import imblearn
import lightgbm
import numpy as np
import pytest
import scanned_classes as scan
import xgboost
from many_cases import for_each
from sklearn.datasets import load_wine
from studies import checked, run_into, study
from write_catalogue import EXTRAS, extras_as_text

from evallang.api.checked_file import StudyError
from evallang.api.preparing import read_and_plan
from evallang.models import catalogue, packages
from evallang.models.build import BuildContext, build
from evallang.models.catalogue import CATALOGUE
from evallang.models.model import EstimatorSpec, PipelineSpec

SHIPPED = json.loads(EXTRAS.read_text(encoding="utf-8"))
HERE = {"xgboost": xgboost, "lightgbm": lightgbm, "imbalanced-learn": imblearn}
CLASSES = [(p, name) for p in HERE for name in packages.PACKAGES[p].classes]
WINE = "report html\ndata wine from sklearn wine\n"


def class_of(package, name):
    return scan.find_class(packages.PACKAGES[package], name)


def errors(line: str) -> list[str]:
    found = checked(f"{WINE}{line}\nprotocol cv\n").diagnostics
    return [d.code for d in found if d.severity == "error"]


@pytest.mark.parametrize(("package", "name"), CLASSES)
def test_the_shipped_table_is_what_the_installed_package_says(package, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scan.describe_extra(packages.PACKAGES[package], name, class_of(package, name))
    assert found == SHIPPED["classes"][name]


@for_each(("package", "name"), CLASSES)
def test_every_parameter_of_a_class_is_either_taken_or_refused_with_a_reason(package, name):
    if CATALOGUE[name].refused:
        return
    found = class_of(package, name)
    takes = {*found().get_params(), *inspect.signature(found).parameters} - {"kwargs"}
    assert takes == set(CATALOGUE[name].parameters)


def test_the_shipped_file_is_what_the_generator_writes():
    text = EXTRAS.read_text(encoding="utf-8")
    assert text == extras_as_text(SHIPPED["versions"], SHIPPED["classes"])


def test_parameters_that_take_functions_files_or_folders_are_refused():
    assert errors("model a = XGBClassifier(callbacks=x)") == ["E113"]
    assert errors('model a = CatBoostClassifier(train_dir="somewhere")') == ["E113"]
    assert errors('model a = CatBoostClassifier(snapshot_file="s")') == ["E113"]
    assert errors("model a = XGBClassifier(early_stopping_rounds=5)") == ["E113"]
    assert errors('model a = LGBMClassifier(forcedsplits_filename="f")') == ["E111"]


def test_values_are_checked_as_those_of_scikit_learn():
    assert errors("model a = XGBClassifier(booster=gbtre)") == ["E112"]
    assert errors("model a = LGBMClassifier(num_leaves=1)") == ["E112"]
    assert errors("model a = CatBoostClassifier(depth=40)") == ["E112"]
    assert errors("model a = XGBClassifier(max_dpeth=3)") == ["E111"]
    assert errors("model a = XGBClassifier(max_depth=3, n_jobs=8)") == []


def test_a_package_that_is_missing_is_said_before_anything_is_fitted(monkeypatch):
    monkeypatch.setattr(catalogue, "installed", lambda package: False)
    made = study(f"{WINE}model a = StandardScaler | XGBClassifier\nprotocol cv folds=3\n")
    with pytest.raises(StudyError, match=r"pip install 'evallang\[xgboost\]'") as error:
        read_and_plan(made)
    assert [d.code for d in error.value.diagnostics if d.severity == "error"] == ["E475"]
    assert read_and_plan(made, missing_is_fine=True).planned.plan.n_fits == 3


def test_one_thread_no_messages_and_a_seed_for_every_instance():
    context = BuildContext((), lambda name, place: 7)
    boosted = build(PipelineSpec((EstimatorSpec("XGBClassifier", (("n_jobs", 8),)),)), context)
    params = boosted.get_params()
    assert (params["n_jobs"], params["verbosity"], params["random_state"]) == (1, 0, 7)
    leaves = build(PipelineSpec((EstimatorSpec("LGBMRegressor"),)), context).get_params()
    assert (leaves["n_jobs"], leaves["verbosity"], leaves["random_state"]) == (1, -1, 7)


def test_text_labels_work_and_exported_models_predict_them_in_a_fresh_process(tmp_path, capfd):
    import skops.io

    made = study(
        f"{WINE}model xgb = XGBClassifier(n_estimators=5, max_depth=2)\n"
        "model lgb = StandardScaler | LGBMClassifier(n_estimators=5, min_child_samples=5)\n"
        "protocol cv folds=3\nmeasure accuracy, log_loss, roc_auc\nexport xgb\nexport lgb\n",
        tmp_path,
    )
    record = run_into(tmp_path / "out", made).record
    assert record.failures == ()
    assert record.warnings == ()
    assert record.provenance.packages["xgboost"] == xgboost.__version__
    assert record.provenance.packages["lightgbm"] == lightgbm.__version__
    rows = load_wine().data
    for export in record.exports:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = skops.io.load(tmp_path / export.path, trusted=list(export.trusted_types))
            predicted = model.predict(rows)
        assert set(predicted) == {"class_0", "class_1", "class_2"}
        assert np.mean(predicted == load_wine().target_names[load_wine().target]) > 0.9
        assert model.feature_names_in_.tolist() == list(load_wine().feature_names)
    assert capfd.readouterr().err == ""


def test_an_exported_booster_is_the_booster_fitted_on_class_codes(tmp_path):
    """The vote of one that turns labels into codes changes no prediction."""
    import skops.io

    rows, codes = load_wine(return_X_y=True)
    made = study(
        f"{WINE}model xgb = XGBClassifier(n_estimators=5, random_state=3)\nprotocol cv folds=3\n"
        "export xgb\n",
        tmp_path,
    )
    export = run_into(tmp_path / "out", made).record.exports[0]
    model = skops.io.load(tmp_path / "xgb.skops", trusted=list(export.trusted_types))
    plain = xgboost.XGBClassifier(n_estimators=5, random_state=3, n_jobs=1).fit(rows, codes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(
            model.predict_proba(rows), plain.predict_proba(rows), atol=1e-6
        )  # XGBoost predicts in single precision
