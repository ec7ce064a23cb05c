"""Results that earlier versions wrote are read and rendered in every format.

`old/DATE-NAME.json` are the results of a commit of that date: 21ae89d ran examples/quiz.eval and
examples/wards.eval, 99ea3c69 a nested cross-validation with five analyses.
"""

import json
import re
import types
import typing
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import fields

from evallang.analysis import ANALYSES
from evallang.api.results import read_record
from evallang.reporting.formats.format import format_names
from evallang.reporting.report import write_report
from evallang.reporting.summary import summary
from evallang.results import codec
from evallang.results.records import SCHEMA, ResultsRecord

OLD = sorted((Path(__file__).parent / "old").glob("*.json"))
REQUIRED = Path(__file__).parent / "required_fields.txt"


@pytest.mark.pdf  # whose drawings are the pictures for Word
@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_results_of_earlier_versions_are_rendered_in_every_format(path, tmp_path):
    text = path.read_text(encoding="utf-8")
    document, record = json.loads(text), read_record(text)
    formats = [name for name in format_names() if name != "pdf"]
    written, messages = write_report(record, tmp_path, formats)
    assert messages == () and written
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for model in document["models"]:
        assert model["label"] in page
    shown = {
        cell.value
        for t in summary(record, analyses=True).tables
        for r in t.rows
        for cell in r.cells
    }
    values = {e["value"] for e in document["estimates"] if e["subgroup"] is None}
    assert values - {None} <= shown
    headings = re.findall(r"<h[23][^>]*>(.*?)</h[23]>", page)
    for kind in {analysis["kind"] for analysis in document["analyses"]}:
        title = ANALYSES[kind].title.split()[0].lower()
        assert any(title[:9] in heading.lower() for heading in headings), kind


def test_no_field_of_results_becomes_required():
    """A field that is new in a record that files have already needs a default."""
    known = set(REQUIRED.read_text(encoding="utf-8").split())
    records = {line.partition(".")[0] for line in known}
    found = {
        f"{kind.__name__}.{field.name}"
        for kind in _record_types()
        for field in fields(kind)
        if kind.__name__ in records and field.required
    }
    assert found - known == set()


def _record_types():
    seen = []
    roots = [entry.declaration.shown for entry in ANALYSES]
    _collect(ResultsRecord, seen)
    for root in roots:
        _collect(root, seen)
    return seen


def _collect(kind, seen):
    origin = typing.get_origin(kind)
    if origin is not None or isinstance(kind, types.UnionType):
        for part in typing.get_args(kind):
            _collect(part, seen)
    elif isinstance(kind, type) and issubclass(kind, Struct) and kind not in seen:
        seen.append(kind)
        for part in typing.get_type_hints(kind, include_extras=True).values():
            _collect(part, seen)


@pytest.mark.parametrize(
    ("schema", "version", "told"),
    [
        (
            "evallang/results/2",
            "0.9.0",
            "results of schema 'evallang/results/2', written by evallang 0.9.0, while this version "
            f"reads {SCHEMA}; install the newer version",
        ),
        (
            "evallang/results/0",
            None,
            f"results of schema 'evallang/results/0', while this version reads {SCHEMA}; run the "
            "study again",
        ),
        ("other", "0.1.0\n", f"results of schema 'other', while this version reads {SCHEMA}"),
    ],
)
def test_another_schema_is_named_with_what_to_do(schema, version, told):
    document = {"schema": schema, "provenance": {"evallang": version}}
    with pytest.raises(ValueError) as caught:
        codec.loads(json.dumps(document))
    assert str(caught.value) == told
