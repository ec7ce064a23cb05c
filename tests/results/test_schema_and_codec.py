"""`results.json`: its schema, and records that survive the way out and back."""

import json
import math
from hashlib import sha256

import jsonschema
import pytest
from msgspec.structs import replace
from studies import TWO_MODELS, study

from evallang.api import Results, run
from evallang.results import codec, schema


@pytest.fixture(scope="module")
def results():
    return run(study(TWO_MODELS))


def test_the_shipped_schema_is_that_of_the_records():
    assert schema.FILE.read_text(encoding="utf-8") == schema.dumps()
    jsonschema.Draft202012Validator.check_schema(schema.schema())


def test_written_results_meet_the_schema(results):
    document = json.loads(codec.dumps(results.record))
    jsonschema.validate(document, schema.schema())


def test_the_schema_refuses_a_missing_field(results):
    document = json.loads(codec.dumps(results.record))
    del document["comparisons"][0]["family"]
    with pytest.raises(jsonschema.ValidationError, match="family"):
        jsonschema.validate(document, schema.schema())


def test_results_read_back_are_the_same(results):
    text = codec.dumps(results.record)
    assert codec.dumps(codec.loads(text)) == text


def test_readers_accept_unknown_fields(results):
    document = json.loads(codec.dumps(results.record))
    document["later"] = {"version": 2}
    document["estimates"][0]["later"] = 1
    assert codec.dumps(codec.loads(json.dumps(document))) == codec.dumps(results.record)


@pytest.mark.parametrize(
    ("changes", "performed", "status"),
    [
        ({}, True, "computed"),
        (
            {"variant": "not computed", "p": None, "notes": ["not computed: why"]},
            False,
            "not_computed",
        ),
        ({"p": None}, False, "not_performed"),
        ({"p": None}, True, "undefined"),
        ({"p": None, "extra": {"p_first": 0.7, "p_rope": 0.2, "p_second": 0.1}}, True, "computed"),
    ],
)
def test_a_test_of_a_file_without_statuses_gets_its_own(results, changes, performed, status):
    document = json.loads(codec.dumps(results.record))
    comparison = document["comparisons"][0]
    (pair,) = comparison["pairwise"]
    del pair["status"], pair["lacking"]
    pair |= changes
    comparison["performed"] = performed
    (found,) = codec.loads(json.dumps(document)).comparisons[0].pairwise
    assert found.status == status
    assert (None if found.lacking is None else found.lacking.reason) == (
        "why" if status == "not_computed" else None
    )


def test_a_status_that_a_file_states_is_kept(results):
    document = json.loads(codec.dumps(results.record))
    (pair,) = document["comparisons"][0]["pairwise"]
    pair |= {"variant": "not computed", "status": "computed"}
    assert codec.loads(json.dumps(document)).comparisons[0].pairwise[0].status == "computed"


def test_infinite_is_text_and_nan_is_refused(results):
    first = results.record.estimates[0]
    endless = replace(results.record, estimates=(replace(first, value=math.inf),))
    document = json.loads(codec.dumps(endless))
    assert document["estimates"][0]["value"] == "inf"
    assert codec.loads(json.dumps(document)).estimates[0].value == math.inf
    with pytest.raises(ValueError, match="NaN"):
        codec.dumps(replace(results.record, estimates=(replace(first, value=math.nan),)))


def test_something_else_is_no_results_file():
    for text in ("[]", "{}", '{"schema": "evallang/results/99"}'):
        with pytest.raises(ValueError):
            codec.loads(text)


def test_saved_results_load_and_render(results, tmp_path):
    results.save(tmp_path / "out")
    loaded = Results.load(tmp_path / "out")
    made = codec.loads(codec.dumps(results.record))
    digest = sha256((tmp_path / "out" / "predictions.parquet").read_bytes()).hexdigest()
    provenance = replace(made.provenance, predictions_sha256=digest)
    assert loaded.record == replace(made, provenance=provenance)
    assert loaded.render("html", folder=tmp_path) == ()
    assert (tmp_path / "report.html").exists()


def test_estimates_become_a_frame(results):
    frame = results.estimates.to_frame()
    assert frame.height == 2
    assert {"model", "metric", "value", "interval_low", "interval_high"} <= set(frame.columns)
