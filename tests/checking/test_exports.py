"""`export` lines: what may be written, where, and from which studies."""

import pytest
from many_cases import for_each
from studies import TWO_MODELS, checked

from evallang.checking.resolve_export import path_objection

HEAD = "data iris from sklearn iris\nmodel bayes = GaussianNB\nprotocol cv folds=5\n"


def errors(text: str) -> list[str]:
    return [d.code for d in checked(text).diagnostics if d.severity == "error"]


def test_a_model_and_the_best_one_are_exported_to_files_named_after_them_by_default():
    found = checked(HEAD + "export bayes\nexport best\n")
    assert [(e.model, e.path) for e in found.study.exports] == [
        ("bayes", "bayes.skops"),
        (None, "best.skops"),
    ]
    stated = {d.clause: d.value for d in found.study.defaults}
    assert stated["export bayes to"] == "bayes.skops"
    assert stated["export best to"] == "best.skops"


def test_a_written_path_is_no_default_and_is_kept_in_its_shortest_form():
    found = checked(HEAD + 'export best to "./models//best.skops"\n').study
    assert found.exports[0].path == "models/best.skops"
    assert not [d for d in found.defaults if d.clause.startswith("export")]


@for_each(
    "path",
    ["/models/model.skops", "../model.skops", "models/../../model.skops", "~/model.skops",
     "C:/model.skops", "models\\\\model.skops", "https://example.org/model.skops",
     "file://model.skops", "model.pkl", "model.joblib", "model", ".skops", "models/", "",
     "a\\u0007.skops"],
)  # fmt: skip
def test_a_path_outside_the_folder_or_of_another_kind_is_refused(path):
    assert errors(HEAD + f'export best to "{path}"\n') == ["E171"]


def test_the_help_for_a_pickle_names_the_skops_file():
    assert "`models/net.skops`" in path_objection("models/net.pkl")[1]


def test_two_exports_to_one_file_are_refused_also_where_folders_ignore_case():
    two = 'export bayes to "m.skops"\nexport best to "M.skops"\n'
    assert errors(HEAD + two) == ["E172"]


def test_a_name_that_is_no_model_is_an_unknown_name():
    assert errors(HEAD + "export bayse\n") == ["E101"]
    assert errors(HEAD + "export iris\n") == ["E101"]


def test_several_data_sets_have_no_one_model_to_export():
    assert errors(HEAD + "data wine from sklearn wine\nexport best\n") == ["E170"]


def test_predictions_made_elsewhere_have_no_model_to_export():
    text = "counts c\n  models a, b\n  table [[5, 1], [2, 3]]\nexport best\n"
    assert errors(text) == ["E170"]


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("../elsewhere", "is outside the study's folder"),
        ("/var/results", "is outside the study's folder"),
        ("~/results", "is outside the study's folder"),
        ("s3://bucket/results", "is an address"),
        ("a\\\\b", "has backslashes"),
    ],
)
def test_results_are_not_written_where_a_study_says_outside_its_folder(folder, said):
    text = TWO_MODELS + f'report html\n  to "{folder}"\n'
    found = [d for d in checked(text).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == ["E173"]
    assert said in found[0].message


def test_results_may_stand_below_the_studys_folder():
    text = TWO_MODELS + 'report html\n  to "results/one"\n'
    assert [d for d in checked(text).diagnostics if d.severity == "error"] == []
