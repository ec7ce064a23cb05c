"""Workers read the rows of a table from files of numbers and text, never from pickles."""

import numpy as np
from studies import study

from evallang.engine.fits import _mapped, _write
from evallang.models.columns import design_matrix


def table_of(tmp_path, text):
    from evallang.api.preparing import read_and_plan

    (tmp_path / "d.csv").write_text(text, encoding="utf-8")
    made = study(
        'data d from "d.csv"\n  target y\nmodel a = DummyClassifier\nprotocol cv folds=2\n'
        "measure accuracy\n",
        tmp_path,
    )
    (table,) = read_and_plan(made).read.tables.values()
    return table


def test_text_missing_values_and_odd_characters_are_read_as_they_were(tmp_path):
    words = ["", "té t", "a;b"]
    rows = "".join(f"{i},{words[i % 3]},{'u' * (i % 4 + 1)},{'ab'[i % 2]}\n" for i in range(24))
    table = table_of(tmp_path, "x,word,other,y\n" + rows)
    path = str(tmp_path / "table-0")
    _write(path, table)
    matrix, y, weights = _mapped(path)
    expected = design_matrix(table.numeric, table.objects)
    assert matrix.dtype == object
    assert matrix.shape == expected.shape
    for found, there in zip(matrix.ravel(), expected.ravel(), strict=True):
        assert type(found) is type(there)
        assert found == there or (found is np.nan and there is np.nan)
    np.testing.assert_array_equal(y, table.y)
    assert weights is None
