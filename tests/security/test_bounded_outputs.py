"""What a file or a study asks for is bounded by counts, and what is damaged is a message."""

import io
import json
import time

import polars as pl
import pypdf
import pytest
from calling import call

from evallang.data.file_formats import read_file
from evallang.data.findings import Findings
from evallang.limits import limits

COUNTS = """\
evallang 1
study "Outputs"
  seed 1
counts trial
  models a, b
  table [[60, 20], [9, 11]]
compare a vs b with mcnemar
report html
"""
FITTED = """\
evallang 1
study "Outputs"
  seed 1
data d from "d.csv"
  target y
model bayes = GaussianNB
protocol cv folds=2
measure accuracy
report csv
"""
PREDICTED = """\
evallang 1
study "Outputs"
  seed 1
predictions p from "d.csv"
  truth y
  models a, b
measure accuracy
analyze confusion
report csv
"""


@pytest.fixture
def results(tmp_path):
    """Return the results folder of a small study."""
    (tmp_path / "study.eval").write_text(COUNTS)
    assert call("run", "study.eval", folder=tmp_path).returncode == 0
    return tmp_path / "study-results"


# --- what is read --------------------------------------------------------------------------------


def test_models_are_fitted_to_a_bounded_number_of_classes(tmp_path):
    rows = "".join(f"{i % 7},{i % 5},c{i % 1001}\n" for i in range(4004))
    (tmp_path / "d.csv").write_text("a,b,y\n" + rows)
    (tmp_path / "study.eval").write_text(FITTED)
    for command in (("check", "--data"), ("run",)):
        done = call(*command, "study.eval", folder=tmp_path)
        assert done.returncode == 1
        assert "error[E404] `y`: 1,001 classes are more than the limit of 1,000" in done.stderr
        assert "--limit classes_apart=1100" in done.stderr


def test_an_analysis_shows_a_bounded_number_of_classes(tmp_path):
    rows = "".join(f"c{i % 1001},c{(i * 7) % 1001},c{i % 1001}\n" for i in range(4004))
    (tmp_path / "d.csv").write_text("y,a,b\n" + rows)
    (tmp_path / "study.eval").write_text(PREDICTED)
    for command in (("check", "--data"), ("run",)):
        done = call(*command, "study.eval", folder=tmp_path)
        assert done.returncode == 1
        assert "E404] `confusion`: 1,001 classes are more than the limit of 1,000" in done.stderr
    (tmp_path / "study.eval").write_text(PREDICTED.replace("analyze confusion\n", ""))
    assert call("run", "study.eval", folder=tmp_path).returncode == 0


def read(folder, name):
    findings = Findings({})
    frame = findings.tried(read_file, name, folder)
    return frame, [(d.code, d.message) for d in findings.diagnostics]


def test_lines_with_other_keys_each_are_counted_as_the_cells_that_they_make(tmp_path):
    text = "".join(f'{{"k{i}": 1}}\n' for i in range(3000))
    (tmp_path / "d.jsonl").write_text(text)
    with limits(memory=10**8):
        _, ((code, message),) = read(tmp_path, "d.jsonl")
    # 1,251 lines with as many columns are the first to have 100 MB at 64 bytes a cell
    assert code == "E404" and "100,160,064 bytes" in message


@pytest.mark.parametrize("kind", [pl.Int8, pl.Boolean])
def test_cells_of_a_small_parquet_file_count_before_they_are_read(tmp_path, kind):
    table = pl.select(x=pl.repeat(0, 10**6).cast(kind), y=pl.repeat(1, 10**6, dtype=pl.Int8))
    table.write_parquet(tmp_path / "d.parquet")
    assert (tmp_path / "d.parquet").stat().st_size < 10_000
    with limits(memory=31_999_999):
        _, ((code, message),) = read(tmp_path, "d.parquet")
    assert code == "E404" and "32,000,000 bytes" in message


# --- results and reports of others ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.pdf", "x.html", "x.eval"])
def test_verify_reads_no_device(results, name):
    (results / name).symlink_to("/dev/zero")
    done = call("verify", name, folder=results)
    assert done.returncode == 2 and "is not a regular file" in done.stderr


def test_verify_reads_no_file_beyond_the_limit(results):
    (results / "report.html").write_bytes(b" " * 60_000_000)
    done = call("verify", "report.html", folder=results)
    assert done.returncode == 2
    assert "60,000,000 bytes are more" in done.stderr or "50,000,001 bytes" in done.stderr


def test_verify_compares_a_page_of_half_a_million_marks(results):
    page = (results / "report.html").read_text(encoding="utf-8")
    more = page.replace("</main>", "</td>" * 500_000 + "</main>")
    (results / "report.html").write_text(more, encoding="utf-8")
    done = call("verify", "report.html", folder=results)
    assert done.returncode == 5 and "</td> </td>" in done.stdout
    (results / "report.html").write_text(page.replace("Outputs", "Other"), encoding="utf-8")
    done = call("verify", "report.html", folder=results)
    assert done.returncode == 5 and "Other" in done.stdout and "</td> </td>" not in done.stdout


def test_a_pdf_that_pypdf_cannot_read_is_a_message(results):
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    writer.add_attachment("results.json", b"[" * 100_000)
    stream = io.BytesIO()
    writer.write(stream)
    whole = stream.getvalue()
    contents = [
        whole,
        whole[:300],
        whole.replace(b"/Names", b"/Pages"),
        b"%PDF-1.7\n" + b"[" * 9999,
    ]
    for content in contents:
        (results / "x.pdf").write_bytes(content)
        done = call("verify", "x.pdf", folder=results)
        assert done.returncode == 2 and done.stderr.startswith("Error: "), done.stderr


@pytest.mark.parametrize("depth", [70, 400, 900, 100_000])
def test_deep_results_are_a_message(results, depth):
    found = (results / "results.json").read_text(encoding="utf-8")
    deep = '{"a":' * depth + "1" + "}" * depth
    for place in ('"diagnostics": [', '"analyses": ['):
        assert place in found or place.replace(" ", "") in found
    text = found.rstrip().removesuffix("}") + f', "more": {deep}}}'
    (results / "results.json").write_text(text, encoding="utf-8")
    for command in (("report", "."), ("show", "."), ("verify", "."), ("diff", ".", ".")):
        done = call(*command, folder=results)
        assert done.returncode == 2 and "nested too deeply" in done.stderr, done.stderr
    done = call("run", "study.eval", folder=results.parent)
    assert done.returncode == 0  # it begins as results of ours do, and is replaced


def test_a_list_of_files_that_is_nested_deeply_names_none(results):
    (results / ".evallang-files").write_text("[" * 100_000)
    assert call("run", "study.eval", folder=results.parent).returncode == 0
    assert json.loads((results / ".evallang-files").read_text())["figures svg"]


def test_many_classes_are_refused_before_they_are_counted_in_pairs(tmp_path):
    rows = "".join(f"c{i},c{i},c{i + i % 2}\n" for i in range(100_000))
    (tmp_path / "d.csv").write_text("y,a,b\n" + rows)
    (tmp_path / "study.eval").write_text(PREDICTED.replace("analyze confusion\n", ""))
    started = time.process_time()
    done = call("run", "study.eval", "--limit", "memory=2e9", folder=tmp_path)
    assert done.returncode == 1
    assert "E404] the 100,000 classes that `accuracy` counts: 240,000,000,000 bytes" in done.stderr
    assert time.process_time() - started < 30  # minutes, when each class was compared with all
