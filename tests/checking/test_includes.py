"""`include`: one study out of several files, every place kept."""

from studies import checked

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


def test_a_duplicate_shows_both_places():
    found = checked(MAIN, {"lab/protocol.eval": "evallang 1\nprotocol cv\nmodel a = SVC\n"})
    (error,) = found.diagnostics
    assert error.code == "E102"
    places = {error.path, error.related[0].span.path}
    assert places == {"study.eval", "lab/protocol.eval"}


def test_circles_repeats_and_missing_files_are_errors():
    circle = {"lab/protocol.eval": 'evallang 1\ninclude "../study.eval"\nprotocol cv\n'}
    assert [d.code for d in checked(MAIN, circle).diagnostics] == ["E107"]
    twice = MAIN + 'include "lab/protocol.eval"\n'
    found = checked(twice, {"lab/protocol.eval": "evallang 1\nprotocol cv\n"}).diagnostics
    assert [d.code for d in found] == ["E107"]
    assert "twice" in found[0].message
    missing = checked(MAIN).diagnostics
    assert missing[0].code == "E107"
    assert "cannot read" in missing[0].message


def test_paths_from_elsewhere_are_refused():
    for path in ("/etc/protocol.eval", "https://example.org/protocol.eval"):
        found = checked(f'evallang 1\ninclude "{path}"\n').diagnostics
        assert "E107" in [d.code for d in found]


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
    assert checked(text).gathered.unread == set()


def test_of_a_file_of_a_newer_language_nothing_was_read():
    found = checked("evallang 99\nmodel a = GaussianNB\n")
    assert {"data", "model", "protocol"} <= found.gathered.unread
