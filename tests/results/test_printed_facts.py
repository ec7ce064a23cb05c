"""What notebooks print of estimates, comparisons and tests of unusual kinds."""

import evallang as ev

THREE = """evallang 1
study
  seed 1
counts trial
  models a, b, c
  pattern [1, 1, 1]: {same}
  pattern [1, 0, 1]: 4
  pattern [0, 1, 1]: 3
  pattern [1, 1, 0]: 2
measure accuracy
compare with cochran then mcnemar holm
report html
"""


def test_a_comparison_prints_the_test_of_all_models_and_why_there_are_no_pairs():
    results = ev.run(ev.parse(THREE.format(same=90)))
    shown = repr(results.comparisons[0])
    assert "p of cochran" in shown
    assert "reason" in shown
    assert results.comparisons[0].reason in " ".join(shown.split())


def test_an_estimate_of_a_level_names_it(tmp_path):
    rows = "".join(f"{i % 2},{i % 3 % 2},{'ns'[i % 2]}\n" for i in range(60))
    (tmp_path / "p.csv").write_text(f"truth,a,side\n{rows}")
    (tmp_path / "s.eval").write_text(
        'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n  truth truth\n  models a\n'
        "measure accuracy within side\nreport html\n"
    )
    found = [e for e in ev.run(tmp_path / "s.eval").estimates if e.subgroup is not None]
    assert "side = n" in repr(found[0])


def test_a_posterior_prints_its_probabilities_and_no_null_hypothesis():
    text = THREE.format(same=90).replace(
        "with cochran then mcnemar holm", "a vs b with bayes_mcnemar"
    )
    shown = repr(ev.run(ev.parse(text)).pairs[0])
    assert "P(first)" in shown
    assert "null hypothesis" not in shown
