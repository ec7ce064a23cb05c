"""Advice waits until what it is about is free of errors, and follows from none."""

import pytest
from studies import checked

from evallang.api.preparing import check_data
from evallang.api.study_file import open_study

ROWS = """evallang 1
study
  seed 1
predictions p from "p.csv"
  truth y
  models a, b, c
  positive 1
"""
TABLE = """evallang 1
study
  seed 1
data d from "d.csv"
  target y
  positive 1
model a = GaussianNB
model b = LogisticRegression
model c = LinearDiscriminantAnalysis
"""


def codes(text):
    return [d.code for d in checked(text).diagnostics]


@pytest.mark.parametrize(
    ("text", "error", "advice"),
    [
        # the first measure could not be read, so which one it is nobody knows
        (ROWS + "measure {}, f1\ncompare a, b with mcnemar\n", "accuracyy", "balanced_accuracy"),
        (
            ROWS.replace("seed 1", "seed 1\n  alpha {}\n  confidence 90%")
            + "measure accuracy\ncompare a, b with mcnemar\n",
            "five", "0.05",
        ),
        # of the statement that is faulty itself
        (ROWS + "measure accuracy\n  interval wald\n{}", "  intervall wald\n", ""),
        (ROWS + "  where y in [0, 1]\n  {}\nmeasure accuracy\n", 'unitt "rows"', 'unit "rows"'),
        # how many pairs there are hangs on the model
        (
            TABLE + "model z = {}\nprotocol holdout\nmeasure accuracy\n"
            "compare with mcnemar uncorrected\n",
            "DumyClassifier", "DummyClassifier",
        ),
        # what the test is given hangs on the protocol
        (
            TABLE + "protocol cv folds={}\nmeasure accuracy\ncompare a, b with kfold_t\n",
            "1", "5",
        ),
    ],
)  # fmt: skip
def test_nothing_is_advised_on_what_rests_on_an_error(text, error, advice):
    assert {code[0] for code in codes(text.format(error))} == {"E"}
    assert any(code.startswith("W3") for code in codes(text.format(advice)))


def test_nothing_is_advised_on_the_protocol_that_a_refused_line_implies():
    counts = "counts k\n  models a, b\n  table [[9, 5], [6, 5]]\n"
    text = TABLE + counts + "protocol time_series\nmeasure accuracy\ncompare a, b with {}\n"
    assert "W322" in codes(text.replace(counts, "").format("5x2cv_f"))
    assert "W322" not in codes(text.format("5x2cv_f"))


def test_an_error_elsewhere_keeps_no_advice_back():
    text = ROWS + "measure accuracy\ncompare with mcnemar uncorrected\n"
    assert codes(text + "require accuracy of a > 90%\nreport htm\n")[0] == "W301"
    assert codes(text + "compare a, b with macnemar\n") == ["W301", "E121"]


def test_no_waiver_is_called_needless_beside_an_error():
    model = "# evallang: allow no_baseline because a rule without features makes no sense here\n"
    text = TABLE.replace("model c", model + "model c") + "protocol cv\nmeasure {}\n"
    assert codes(text.format("accuracyy")) == ["E120"]
    found = checked(text.format("accuracy")).diagnostics
    assert [d.name for d in found if d.allowed_because] == ["no_baseline"]


def test_advice_that_hangs_on_faulty_data_waits_and_other_advice_does_not(tmp_path):
    rows = "".join(f"{i / 7},{i % 11},{'rare' if i < 5 else 'ab'[i % 2]}\n" for i in range(200))
    (tmp_path / "d.csv").write_text("v,w,y\n" + rows)
    place = tmp_path / "study.eval"
    place.write_text(
        'evallang 1\ndata d from "d.csv"\n  target y\n  where y != none\n'
        "model a = GaussianNB\nmodel b = LogisticRegression\nmodel c = LinearDiscriminantAnalysis\n"
        "protocol cv folds=10\nmeasure f1, accuracy\ncompare with mcnemar uncorrected by accuracy\n"
    )
    static = [d.code for d in open_study(place).diagnostics]
    assert {"W353", "W354", "W350", "W301"} <= set(static)
    assert [d.code for d in check_data(open_study(place))] == ["W350", "E470", "W301"]


def test_nothing_is_advised_on_a_data_set_that_cannot_be_read(tmp_path):
    (tmp_path / "d.csv").write_text("v,w\n1,2\n")
    place = tmp_path / "study.eval"
    place.write_text(
        'evallang 1\nstudy\n  seed 1\ndata d from "d.csv"\n  target y\n  where y != 3\n'
        "model a = GaussianNB\nmodel z = DummyClassifier\nprotocol cv\nmeasure accuracy\n"
    )
    assert [d.code for d in check_data(open_study(place))] == ["E420"]


@pytest.mark.parametrize(
    ("right", "wrong", "error"),
    [
        ("  models a, b, c", '  models {a: "a"}', "E044"),
        ("  models a, b, c", '  models\n  score a = "p"', "E045"),
        ('from "p.csv"', '"p.csv"', "E047"),
        ('from "p.csv"', 'from "p.csv",', "E050"),
        ("predictions p from", "predictions from", "E044"),
    ],
)
def test_models_whose_names_could_not_be_read_are_not_called_unknown(right, wrong, error):
    text = ROWS + "measure accuracy\ncompare a, b with mcnemar\nrequire a better than c\n"
    assert right in text
    assert codes(text.replace(right, wrong)) == [error]
