"""What a report says of shares: an n for each model, and that the samples count as independent."""

import pytest
from studies import study
from test_careful_words import Page

from evallang.api import run

STUDY = """evallang 1
counts t "Published shares"
  right a "Model A" = 87 of 100
  right b = 150 of 200
  right c = 42 of 90
  unit "questions"
measure accuracy
"""


def page(*lines):
    return Page(run(study(STUDY + "\n".join(lines) + "\n")).record)


def test_a_finding_about_two_shares_names_the_n_of_both():
    found = page("compare a vs c with proportions_z").findings()[-1]
    assert found.startswith(
        "Model A (n = 100) had a higher accuracy than c (n = 90), by 40.3 points"
    )


@pytest.mark.parametrize(
    "line",
    [
        "compare with proportions_z holm",
        "compare against a with proportions_z holm",
        "compare a vs b with tost(margin=5%)",
    ],
)
def test_a_finding_about_several_shares_names_the_n_of_each(line):
    found = " ".join(page(line).findings())
    assert "Model A (n = 100)" in found
    assert "b (n = 200)" in found


def test_the_methods_say_that_shares_count_as_independent_samples():
    words = page("compare with proportions_z holm").words("methods")
    assert "Published shares: 100 questions of Model A, 200 of b and 90 of c." in words
    assert (
        "The shares are treated as independent samples, because it is not known which questions "
        "each model got right." in words
    )
    assert "Newcombe’s square-and-add interval for independent proportions" in words


def test_the_table_has_the_examples_of_each_model():
    shares = page("compare with proportions_z holm")
    rows = shares.table("table-estimates-1")
    assert [row[:3] for row in rows] == [
        ["Model A", "87", "100"],
        ["b", "150", "200"],
        ["c", "42", "90"],
    ]
    assert "90 to 200 questions each" in shares.words("estimates")


def test_one_share_is_no_sample_beside_others():
    text = "evallang 1\ncounts t\n  right a = 87 of 100\nmeasure accuracy\n"
    alone = Page(run(study(text)).record)
    assert "independent samples" not in alone.words("methods")
    assert "Performance of one model on 100 examples." in alone.words("estimates")
    first = alone.findings()[0]
    assert first.startswith("The accuracy of a was 87.0% (95% CI [79.0, 92.2]; 87 of 100")
