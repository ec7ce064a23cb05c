"""`include`: one study out of several files, every place kept."""

import pytest
from studies import checked

from evallang.api.study_file import open_study

MAIN = """evallang 1
include "lab/protocol.eval"
study
  seed 1
data iris from sklearn iris
model a = GaussianNB
measure balanced_accuracy
"""


def test_statements_of_an_included_file_count():
    found = checked(MAIN, {"lab/protocol.eval": "evallang 1\nprotocol cv folds=4\n"})
    assert found.diagnostics == ()
    assert found.study.protocols[0].options["folds"] == 4
    assert [f.path for f in found.study.files] == ["study.eval", "lab/protocol.eval"]


def test_an_error_points_into_the_included_file():
    found = checked(MAIN, {"lab/protocol.eval": "evallang 1\nprotocol cv fold=4\n"})
    (error,) = found.diagnostics
    assert (error.code, error.path) == ("E130", "lab/protocol.eval")
    assert found.sources[error.path].position(error.span.start).line == 2


def test_a_path_is_relative_to_the_file_that_names_it():
    files = {
        "lab/protocol.eval": 'evallang 1\ninclude "folds.eval"\n',
        "lab/folds.eval": "evallang 1\nprotocol cv\n",
    }
    assert checked(MAIN, files).diagnostics == ()


def test_an_included_file_need_not_say_the_version():
    assert checked(MAIN, {"lab/protocol.eval": "protocol cv folds=4\n"}).diagnostics == ()


def test_statements_that_could_not_be_read_are_remembered_by_their_word():
    text = MAIN.replace("model a = GaussianNB", "model = GaussianNB")
    found = checked(text, {"lab/protocol.eval": "protocol\n"})
    assert found.gathered.unread == {"model", "protocol"}


def test_a_faulty_clause_leaves_its_statement_readable():
    text = MAIN.replace("  seed 1", "  seed").replace(
        'include "lab/protocol.eval"\n', "protocol cv\n"
    )
    assert checked(text).gathered.unread == {"seed"}


def test_a_file_outside_the_folder_of_the_study_is_not_read():
    outside = {"secret.eval": "model root = SVC\n", "../secret.eval": "model root = SVC\n"}
    for path in ("../secret.eval", "lab/../../secret.eval", "..", "../study/../secret.eval"):
        (found,) = [
            d
            for d in checked(
                f"{MAIN.replace('lab/protocol.eval', path)}protocol cv\n", outside
            ).diagnostics
            if d.severity == "error"
        ]
        assert (found.code, "outside the study's folder" in found.message) == ("E107", True)


def test_a_file_above_the_one_that_names_it_is_fine_inside_the_folder():
    files = {
        "lab/protocol.eval": 'evallang 1\ninclude "../folds.eval"\n',
        "folds.eval": "evallang 1\nprotocol cv\n",
    }
    assert checked(MAIN, files).diagnostics == ()


def test_a_folder_a_pipe_and_a_missing_file_are_worded_in_lower_case(tmp_path):
    (tmp_path / "lab").mkdir()
    path = tmp_path / "study.eval"
    for name in ("lab", "missing.eval"):
        path.write_text(f'evallang 1\ninclude "{name}"\n', encoding="utf-8")
        said = open_study(path).diagnostics[-1]
        assert said.code == "E107"
        assert said.message.split(": ")[1][0].islower()


def test_a_missing_file_is_the_only_thing_said(tmp_path):
    text = """evallang 1
include "gone.eval"
model a = prep | LogisticRegression(C=strength)
compare a, other with mcnemar
measure f1
"""
    assert [d.code for d in checked(text).diagnostics] == ["E107"]
    misspelled = text.replace("LogisticRegression", "LogisticRegresion")
    assert [d.code for d in checked(misspelled).diagnostics] == ["E107", "E110"]
    damaged = {"gone.eval": "\udcff\udcfee\x00v\x00"}
    assert [(d.code, d.path) for d in checked(text, damaged).diagnostics] == [("E003", "gone.eval")]


def test_a_link_does_not_lead_out_of_the_folder(tmp_path):
    lab, elsewhere = tmp_path / "lab", tmp_path / "elsewhere"
    lab.mkdir()
    elsewhere.mkdir()
    for folder in (lab, elsewhere):
        (folder / "protocol.eval").write_text("evallang 1\nprotocol cv\n")
    (lab / "inside.eval").symlink_to("protocol.eval")
    (lab / "file.eval").symlink_to(elsewhere / "protocol.eval")
    (lab / "folder").symlink_to(elsewhere)
    main = lab / "study.eval"
    for path, refused in (("inside", False), ("file", True), ("folder/protocol", True)):
        main.write_text(MAIN.replace("lab/protocol", path))
        found = open_study(main).diagnostics
        assert [d.code for d in found] == ["E107"] * refused, path
        assert all("a link leads outside the study's folder" in d.message for d in found)


@pytest.mark.parametrize(
    ("path", "said"),
    [("", "the path is empty"), (".", "`.` names no file"), ("./", "`./` names no file")],
)
def test_an_include_that_names_no_file_says_so(path, said):
    text = MAIN.replace("lab/protocol.eval", path)
    (found,) = [d for d in checked(text).diagnostics if d.code == "E107"]
    assert found.message == said


def test_links_in_a_circle_are_no_file(tmp_path):
    (tmp_path / "loop.eval").symlink_to("loop.eval")
    (tmp_path / "study.eval").write_text(MAIN.replace("lab/protocol", "loop"))
    found = [d for d in open_study(tmp_path / "study.eval").diagnostics if d.code == "E107"]
    assert "too many levels of symbolic links" in found[0].message


def test_a_long_chain_of_includes_is_refused_where_it_becomes_too_deep():
    chain = {f"lab/{i}.eval": f'include "{i + 1}.eval"\n' for i in range(1_000)}
    text = MAIN.replace("protocol.eval", "0.eval") + "protocol cv\n"
    (found,) = [d for d in checked(text, chain).diagnostics if d.severity == "error"]
    assert (found.code, found.path) == ("E107", "lab/63.eval")
    assert "64 deep" in found.message


def test_what_is_stated_follows_the_includes_and_names_what_it_declares():
    files = {
        "study.eval": 'evallang 1\nstudy "Two \\"quoted\\" words"\n  seed 1\n'
        "data iris from sklearn iris\n"
        'include "lab.eval"\nprotocol cv folds=5\nmeasure accuracy\n'
        "compare with mcnemar\ncompare b vs a with mcnemar exploratory\n",
        "lab.eval": "evallang 1\nmodel a = GaussianNB\nmodel b = DummyClassifier\n",
    }
    study = checked(files["study.eval"], files).study
    assert study is not None
    found = [(s.statement, s.number, s.clause, s.name, s.value) for s in study.stated]
    assert found == [
        ("study", 0, None, None, 'Two "quoted" words'),
        ("study", 0, "seed", None, "1"),
        ("data", 0, None, "iris", "iris from sklearn iris"),
        ("include", 0, None, None, "lab.eval"),
        ("model", 0, None, "a", "a = GaussianNB"),
        ("model", 1, None, "b", "b = DummyClassifier"),
        ("protocol", 0, None, "cv", "cv folds=5"),
        ("measure", 0, None, None, "accuracy"),
        ("compare", 0, None, None, "with mcnemar"),
        ("compare", 1, None, None, "b vs a with mcnemar exploratory"),
    ]


def test_a_study_may_be_named_by_a_path_that_leads_upwards(tmp_path, monkeypatch):
    lab = tmp_path / "lab"
    (lab / "parts").mkdir(parents=True)
    (lab / "parts" / "protocol.eval").write_text("evallang 1\nprotocol cv\n")
    (tmp_path / "secret.eval").write_text("evallang 1\nprotocol cv\n")
    (lab / "study.eval").write_text(MAIN.replace("lab/protocol", "parts/protocol"))
    (lab / "other.eval").write_text(MAIN.replace("lab/protocol", "../secret"))
    monkeypatch.chdir(lab / "parts")
    for folder in ("..", "../../lab", "../parts/.."):
        assert not [d for d in open_study(f"{folder}/study.eval").diagnostics if d.code == "E107"]
        found = open_study(f"{folder}/other.eval").diagnostics
        assert [d.code for d in found if d.severity == "error"] == ["E107"]
