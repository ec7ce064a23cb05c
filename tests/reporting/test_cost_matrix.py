"""A report of a cost matrix says which classes its rows and columns are."""

import numpy as np
from studies import write_rows

import evallang as ev

STUDY = """evallang 1
study
  seed 1
predictions exam "Exam" from "p.csv"
  id id
  truth truth
  positive sick
  models m
measure cost(matrix=[[0, 1], [5, 0]]), accuracy
report html
"""


def test_the_classes_of_a_cost_matrix_are_stated_in_the_order_in_which_it_is_read(tmp_path):
    # 4 of 10 sick are called well (1 each), and 3 of 20 well are called sick (5 each)
    truth = ["sick"] * 10 + ["well"] * 20
    named = ["well"] * 4 + ["sick"] * 6 + ["sick"] * 3 + ["well"] * 17
    write_rows(
        tmp_path,
        "p.csv",
        "id,truth,m",
        [[i, *r] for i, r in enumerate(zip(truth, named, strict=True))],
    )
    (tmp_path / "s.eval").write_text(STUDY, encoding="utf-8")
    results = ev.run(tmp_path / "s.eval", out=tmp_path / "out", look=False)
    (cost,) = [e for e in results.estimates if e.metric.startswith("cost")]
    np.testing.assert_allclose(cost.value, (4 * 1 + 3 * 5) / 30, rtol=1e-15)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "The rows of the matrix are the true classes sick and well, in this order" in page
