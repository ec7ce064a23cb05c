"""Words that are right elsewhere, or in another catalogue, or slips: each with its way out."""

import pytest
from studies import checked, codes_told

from evallang.checking.synonyms import OTHER_NAMES, meant_by
from evallang.checking.values import CATALOGUES
from evallang.manual.glossary import nearest
from evallang.protocols.protocol import PROTOCOLS

STUDY = """evallang 1
study
  seed 1
data cancer from sklearn breast_cancer
  positive malignant
model a = GaussianNB
model b = LinearDiscriminantAnalysis
model c = SVC
protocol holdout
"""
NAMES = {what: set(registry.names()) for what, registry, _ in CATALOGUES}
NAMES["protocol"] = {" ".join(entry.declaration.words) for entry in PROTOCOLS}


def found(line, study=STUDY):
    return [d for d in checked(study + line + "\n").diagnostics if d.severity == "error"]


@pytest.mark.parametrize("what", OTHER_NAMES)
def test_a_name_from_elsewhere_leads_to_a_member(what):
    for other, written in OTHER_NAMES[what].items():
        name = written if what == "protocol" else written.split(" ")[0].partition("(")[0]
        assert name in NAMES[what], (other, written)
        assert other not in NAMES[what], other
        assert meant_by(what, other.upper()) == written


@pytest.mark.parametrize(
    "written", sorted({w for w in OTHER_NAMES["metric"].values() if "(" in w or w == "recall"})
)
def test_what_is_proposed_for_a_metric_is_accepted(written):
    assert found(f"measure {written}") == []


@pytest.mark.parametrize(
    ("line", "help_text"),
    [
        ("measure AUC", "did you mean `roc_auc`?"),
        ("measure f1_macro", "did you mean `f1(average=macro)`?"),
        ("compare a, b with mcnemar benjamini-hochberg", "did you mean `fdr_bh`?"),
        ("compare a, b with wilcoxon_signed_rank", "did you mean `wilcoxon`?"),
    ],
)
def test_a_name_from_elsewhere_is_understood(line, help_text):
    (error,) = found(line)
    assert error.help == help_text
    assert error.fixes == ()  # it is a guess at what was meant, not a slip


def test_a_protocol_is_found_under_its_name_elsewhere():
    (error,) = found("", STUDY.replace("holdout", "loocv"))
    assert (error.code, error.help) == ("E123", "did you mean `leave_one_out`?")


def test_explain_knows_names_from_elsewhere():
    assert nearest("tpr") == "recall"
    assert meant_by("metric", "sensitivity") == "recall"
    assert nearest("bh") == "fdr_bh"
    assert meant_by("metric", "roc_auc") is None


@pytest.mark.parametrize(
    ("line", "message", "suggestion"),
    [
        ("compare a, b with f1", "`f1` is a metric, not a test", "evallang list tests"),
        ("compare a, b with cv", "`cv` is a protocol, not a test", "evallang list tests"),
        ("measure holm", "`holm` is a correction, not a metric", "evallang list metrics"),
        ("measure roc", "`roc` is an analysis, not a metric", "did you mean `roc_auc`?"),
        (
            "measure f1\n  interval mcnemar",
            "`mcnemar` is a test, not an interval",
            "evallang list intervals",
        ),
    ],
)
def test_a_word_of_another_catalogue_is_told_where_it_belongs(line, message, suggestion):
    (error,) = found(line)
    assert error.message == message
    assert suggestion in error.help


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("protocol cv(folds=5)", "protocol cv folds=5"),
        ("protocol repeated cv(folds=5, times=2)", "protocol repeated cv folds=5 times=2"),
        ("protocol cv()", "protocol cv"),
        ("protocol repeated cv(folds=5,times=2)", "protocol repeated cv folds=5 times=2"),
        ("protocol once = holdout(test=20%,)", "protocol once = holdout test=20%"),
    ],
)
def test_options_of_a_protocol_in_brackets_are_one_mistake_and_mended(written, meant):
    text = STUDY.replace("protocol holdout", written)
    (error,) = found("", text)
    assert error.code == "E050"
    (fix,) = error.fixes
    for edit in sorted(fix.edits, key=lambda e: e.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert found("", text) == []
    assert (
        checked(text).study.canonical
        == checked(STUDY.replace("protocol holdout", meant)).study.canonical
    )


def test_a_misspelt_in_before_a_file_is_not_mended_into_a_further_model():
    text = (
        'evallang 1\npredictions p from "a.csv", "b.csv"\n  id n\n  correct c as right i "a.csv"\n'
    )
    first = next(d for d in checked(text).diagnostics if d.code == "E046")
    assert not first.fixes[0].safe


@pytest.mark.parametrize(
    "broken",
    [
        "model d = SVC(; C=1)",
        "models d = SVC, e = SVC",
        "estimator d = SVC(",
        "let d = SVC; model e = d",
    ],
)
def test_a_name_whose_line_cannot_be_read_is_not_called_unknown(broken):
    assert [e.code for e in found(f"{broken}\ncompare a, d with mcnemar")] != []
    assert "E101" not in codes_told(found(f"{broken}\ncompare a, d with mcnemar"))
    assert "E110" not in codes_told(found(f"{broken}\nmodel x = d | SVC"))
