"""Ids and labels of many rows take little memory, and mean the same."""

import numpy as np
import pytest
from studies import errors_of, study, write_rows

from evallang.api import run
from evallang.api.study_file import StudyError
from evallang.data import prediction_files
from evallang.data.file_formats import read_file
from evallang.data.hashing import DataHash


@pytest.mark.parametrize("ids", [range(9), [*range(8), 7], [8, *range(8)], [*range(4), *range(5)]])
def test_an_id_that_comes_twice_is_found_in_any_order(ids, tmp_path):
    truth = [0, 1] * 4 + [0]
    write_rows(tmp_path, "p.csv", "id,truth,a", zip(ids, truth, truth, strict=True))
    text = 'evallang 1\npredictions p from "p.csv"\n  id id\n  truth truth\n  positive 1\n'
    text += "  models a\nmeasure accuracy\n"
    if len(set(ids)) == 9:
        assert run(study(text, tmp_path)).estimates[0].value == 1
    else:
        with pytest.raises(StudyError) as raised:
            run(study(text, tmp_path))
        assert "names more than one row" in errors_of(raised)[0].message


@pytest.mark.parametrize("last", [1, 200])
def test_labels_in_bytes_and_beyond_are_counted_alike(last, tmp_path):
    rng = np.random.default_rng(2)
    truth, said = rng.integers(0, 2, (2, 400)) * last
    write_rows(tmp_path, "p.csv", "id,truth,a", zip(range(400), truth, said, strict=True))
    text = 'evallang 1\npredictions p from "p.csv"\n  id id\n  truth truth\n'
    text += f"  positive {last}\n  models a\nmeasure accuracy, recall, specificity\n"
    found = [e.value for e in run(study(text, tmp_path)).estimates]
    right = truth == said
    expected = [right.mean(), right[truth == last].mean(), right[truth == 0].mean()]
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("shape", [(7,), (5, 3)])
def test_short_codes_are_hashed_as_if_each_took_eight_bytes(shape):
    codes = np.random.default_rng(1).integers(-1, 4, shape)
    long, short = DataHash(), DataHash()
    long.numbers("truth", codes)
    short.codes("truth", codes.astype(np.int8))
    assert short.hexdigest() == long.hexdigest()


def test_a_score_named_as_its_model_is_read_as_a_number(tmp_path, monkeypatch):
    write_rows(tmp_path, "p.csv", "truth,a,b", [(1, "0.90", "1e-1"), (0, "0.10", "0.30")])
    text = (
        'evallang 1\npredictions p from "p.csv"\n  truth truth\n  positive 1\n'
        "  score a = a\n  score c = b\nmeasure roc_auc\n"
    )
    spelled = []

    def read(*given, **named):
        spelled.append(named["spelled"])
        return read_file(*given, **named)

    monkeypatch.setattr(prediction_files, "read_file", read)
    assert [one.value for one in run(study(text, tmp_path)).estimates] == [1, 0]
    assert spelled == [{"truth", "c"}]  # of `c` a column of labels would be read too
