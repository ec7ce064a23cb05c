"""`export` lines: what may be written, where, and from which studies."""

from studies import TWO_MODELS, checked

HEAD = "data iris from sklearn iris\nmodel bayes = GaussianNB\nprotocol cv folds=5\n"


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


def test_results_may_stand_below_the_studys_folder():
    text = TWO_MODELS + 'report html\n  to "results/one"\n'
    assert [d for d in checked(text).diagnostics if d.severity == "error"] == []
