"""`check --format json|github|gitlab|sarif`: what other programs read, against their own rules."""

import json
import re
from pathlib import Path

import attr
import jsonschema
import pytest
import sarif_om
from click.testing import CliRunner
from many_cases import for_each
from studies import checked, checked_once

from evallang.cli.main import root
from evallang.diagnostics import CODES
from evallang.diagnostics.formats import to_github, to_gitlab, to_json, to_sarif

MESSAGES = Path(__file__).parents[1] / "messages"
STUDIES = sorted(p for room in ("checking", "syntax") for p in (MESSAGES / room).glob("*.eval"))

PLACE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["line", "column", "offset"],
    "properties": {
        "line": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
        "offset": {"type": "integer", "minimum": 0},
    },
}
RANGE = {
    "type": ["object", "null"],
    "additionalProperties": False,
    "required": ["start", "end"],
    "properties": {"start": PLACE, "end": PLACE},
}
EDIT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["path", "range", "text"],
    "properties": {"path": {"type": "string"}, "range": RANGE, "text": {"type": "string"}},
}
FIX = {
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "applicability", "edits"],
    "properties": {
        "title": {"type": "string"},
        "applicability": {"enum": ["safe", "unsafe"]},
        "edits": {"type": "array", "minItems": 1, "items": EDIT},
    },
}
DIAGNOSTIC = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "code", "name", "severity", "message", "path", "range", "related", "notes", "help", "url",
        "fixes", "allowed_because",
    ],
    "properties": {
        "code": {"type": "string", "pattern": "^[EW][0-9]{3}$"},
        "name": {"type": "string", "pattern": "^[a-z0-9_]+$"},
        "severity": {"enum": ["error", "warning", "hint"]},
        "message": {"type": "string", "minLength": 1},
        "path": {"type": "string"},
        "range": RANGE,
        "related": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["path", "range", "message"],
                "properties": {"range": RANGE},
            },
        },
        "notes": {"type": "array", "items": {"type": "string"}},
        "help": {"type": ["string", "null"]},
        "url": {"type": "string", "pattern": r"^reference/codes/[EW][0-9]{3}\.html$"},
        "fixes": {"type": "array", "items": FIX},
        "allowed_because": {"type": ["string", "null"]},
    },
}  # fmt: skip
CHECKED = {
    "type": "object",
    "additionalProperties": False,
    "required": ["format_version", "valid", "error_count", "warning_count", "diagnostics"],
    "properties": {
        "format_version": {"const": "1.0"},
        "valid": {"type": "boolean"},
        "error_count": {"type": "integer", "minimum": 0},
        "warning_count": {"type": "integer", "minimum": 0},
        "diagnostics": {"type": "array", "items": DIAGNOSTIC},
    },
}
"""The contract of `check --format json`, by hand from the page that states it."""
CONTRACT = jsonschema.Draft202012Validator(CHECKED)

ODD = {
    "bytes": 'evallang 1\ndata d from "\udcff.csv"\nmodel \udc80 = SVC\n',
    "percent": 'evallang 1\ndata a from sklearn "100%, a:b"\n',
    "wide": "evallang 1\nmodel 模型 = 模型分类\nmodel 🧪 = SVC\n",
    "carriage returns": "evallang 1\r\nmodel a = SVCC\r\nmesure f1\r\n",
    "nothing": "",
    "duplicates": "evallang 1\nmodel a = SVC\nmodel a = SVC\n",
}
TEXTS = [pytest.param(path.read_text(encoding="utf-8"), id=path.stem) for path in STUDIES]
TEXTS += [pytest.param(text, id=name) for name, text in ODD.items()]


def keeps_the_contract(text, found):
    """Check the JSON of what was found in a text."""
    written = to_json(found.diagnostics, found.sources)
    document = json.loads(written.encode("utf-8"))
    CONTRACT.validate(document)
    assert document["error_count"] == sum(d.severity == "error" for d in found.diagnostics)
    assert document["valid"] == (document["error_count"] == 0)
    for record in document["diagnostics"]:
        assert CODES[record["code"]].name == record["name"]
        if record["range"] is not None:
            start, end = record["range"]["start"], record["range"]["end"]
            lines = text.split("\n")
            before = sum(len(line) + 1 for line in lines[: start["line"] - 1])
            assert before + start["column"] - 1 == start["offset"] <= end["offset"]


# --- SARIF 2.1.0 ---------------------------------------------------------------------------
# sarif-om is Microsoft's model of the format, generated from its schema: it knows the
# properties of every object and which are required. What it does not know, types and words,
# is checked against the sections of the standard that are named here.

WORDS = {
    "level": {"none", "note", "warning", "error"},  # 3.27.10
    "columnKind": {"utf16CodeUnits", "unicodeCodePoints"},  # 3.14.27
}
OBJECTS = {
    "runs": sarif_om.Run,
    "tool": sarif_om.Tool,
    "driver": sarif_om.ToolComponent,
    "rules": sarif_om.ReportingDescriptor,
    "shortDescription": sarif_om.MultiformatMessageString,
    "defaultConfiguration": sarif_om.ReportingConfiguration,
    "results": sarif_om.Result,
    "message": sarif_om.Message,
    "description": sarif_om.Message,
    "locations": sarif_om.Location,
    "relatedLocations": sarif_om.Location,
    "physicalLocation": sarif_om.PhysicalLocation,
    "artifactLocation": sarif_om.ArtifactLocation,
    "region": sarif_om.Region,
    "deletedRegion": sarif_om.Region,
    "suppressions": sarif_om.Suppression,
    "fixes": sarif_om.Fix,
    "artifactChanges": sarif_om.ArtifactChange,
    "replacements": sarif_om.Replacement,
    "insertedContent": sarif_om.ArtifactContent,
}
LISTS = {
    "runs", "rules", "results", "locations", "relatedLocations", "suppressions", "fixes",
    "artifactChanges", "replacements",
}  # fmt: skip
NUMBERS = {"startLine": 1, "endLine": 1, "startColumn": 1, "endColumn": 1, "ruleIndex": -1}
"""Least values: 3.30.5 to 3.30.8 and 3.27.6."""
URI = re.compile(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*")  # RFC 3986, relative


def conforms(value, kind):
    """Check one object of a SARIF log, and all below it."""
    known = {f.metadata["schema_property_name"]: f for f in attr.fields(kind)}
    required = {name for name, f in known.items() if f.default is attr.NOTHING}
    assert set(value) <= set(known), (kind, set(value) - set(known))
    assert required <= set(value), (kind, required - set(value))
    for name, inner in value.items():
        if name in OBJECTS:
            assert isinstance(inner, list) == (name in LISTS), name
            for item in inner if name in LISTS else [inner]:
                conforms(item, OBJECTS[name])
        elif name in NUMBERS:
            assert isinstance(inner, int) and inner >= NUMBERS[name], (name, inner)
        elif name in WORDS:
            assert inner in WORDS[name], (name, inner)
        elif name == "kind":
            assert inner == "inSource"  # 3.35.2
        elif name == "uri":
            assert URI.fullmatch(inner), inner  # 3.4.3
        else:
            assert isinstance(inner, str), name


def conforms_to_sarif(found):
    """Check the SARIF log of what was found in a text."""
    document = json.loads(to_sarif(found.diagnostics, found.sources, version="1").encode("utf-8"))
    conforms(document, sarif_om.SarifLog)
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)  # 3.19.23: no two alike
    assert len(run["results"]) == len(found.diagnostics)
    for result, item in zip(run["results"], found.diagnostics, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == item.code
        region = result["locations"][0]["physicalLocation"].get("region")
        if region is not None:
            start = region["startLine"], region["startColumn"]
            assert start <= (region["endLine"], region["endColumn"])  # 3.30.2


# --- workflow commands ---------------------------------------------------------------------

COMMAND = re.compile(r"::(?P<kind>error|warning|notice) (?P<properties>[^\r\n]*?)::(?P<data>.*)")


def unescaped(text):
    """Undo what the runner undoes: docs of workflow commands, and `actions/toolkit`."""
    for code, sign in [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]:
        text = text.replace(code, sign)
    return text


def is_a_line_each(found):
    """Check the workflow commands of what was found in a text."""
    written = to_github(found.diagnostics, found.sources)
    lines = written.split("\n")
    assert lines.pop() == ""
    assert len(lines) == len(found.diagnostics)
    kinds = {"error": "error", "warning": "warning", "hint": "notice"}
    for line, item in zip(lines, found.diagnostics, strict=True):
        command = COMMAND.fullmatch(line)
        assert command is not None, line
        properties = dict(part.split("=", 1) for part in command["properties"].split(","))
        assert {"file", "title"} <= set(properties) <= {
            "file", "title", "line", "endLine", "col", "endColumn",
        }  # fmt: skip
        assert command["kind"] == kinds[item.severity]
        assert unescaped(properties["title"]) == f"{item.code} {item.name}"
        message = re.sub("[\ud800-\udfff]", "\ufffd", item.message)
        assert unescaped(command["data"]).startswith(message)


@for_each("text", TEXTS)
def test_every_layout_holds_what_is_found(text):
    found = checked_once(text)
    keeps_the_contract(text, found)
    conforms_to_sarif(found)
    is_a_line_each(found)
    is_a_quality_report(found)


def quality_report(text):
    found = checked(text)
    return json.loads(to_gitlab(found.diagnostics, found.sources))


def is_a_quality_report(found):
    """Check the fields that GitLab requires; it shows only one issue of equal fingerprints."""
    issues = json.loads(to_gitlab(found.diagnostics, found.sources).encode("utf-8"))
    assert len(issues) == sum(d.allowed_because is None for d in found.diagnostics)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["path"] == "study.eval"
        assert issue["location"]["lines"]["begin"] >= 1


def test_an_issue_of_gitlab_stays_the_same_below_a_new_line():
    faulty = "evallang 1\nmeasure f1x\nmeasure f1x\n"
    before = quality_report(faulty)
    after = quality_report(faulty.replace("measure", "# why\nmeasure", 1))
    assert [issue["severity"] for issue in before][:2] == ["critical"] * 2
    assert [i["fingerprint"] for i in before] == [i["fingerprint"] for i in after]
    (first, second), (moved, _) = (
        [i["location"]["lines"]["begin"] for i in issues if "f1x" in i["description"]]
        for issues in (before, after)
    )
    assert (first, second, moved) == (2, 3, 3)


@pytest.mark.parametrize("layout", ["text", "json", "github", "gitlab", "sarif"])
def test_a_file_of_bytes_is_reported_in_every_layout(tmp_path, layout):
    path = tmp_path / "study.eval"
    path.write_bytes(b'evallang 1\nmodel \xff\xfe = "\x80"\ndata d from "\xc3\x28.csv"\n')
    words = ["check", "--format", layout, str(path)]
    done = CliRunner().invoke(root, words, standalone_mode=False)
    assert (done.exception, done.return_value) == (None, 1)
    (done.stdout + done.stderr).encode("utf-8")


def test_a_waived_warning_is_suppressed_in_source_with_its_reason():
    text = (
        "evallang 1\nstudy\n  seed 1\ndata wine from sklearn wine\nmodel a = GaussianNB\n"
        "model b = DummyClassifier\n"
        "# evallang: allow tested_on_training_rows because it shows the optimism\n"
        "protocol resubstitution\n"
    )
    found = checked(text)
    document = json.loads(to_sarif(found.diagnostics, found.sources, version="1"))
    (result,) = document["runs"][0]["results"]
    assert result["suppressions"] == [
        {"kind": "inSource", "justification": "it shows the optimism"}
    ]
    record = json.loads(to_json(found.diagnostics, found.sources))
    assert (record["valid"], record["warning_count"]) == (True, 0)
    assert quality_report(text) == []
