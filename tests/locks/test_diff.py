"""`diff` of studies, revisions and results, and `verify` of results and reports."""

import json
import shutil
import sys
from pathlib import Path

import pikepdf
import polars as pl
import pytest
from dulwich.repo import Repo
from locked_studies import STUDY, call, change, classed, write_wards

from evallang.api.commit import UnknownRevision, committed_reader


def commit(repository: Repo, message: str) -> str:
    work = repository.get_worktree()
    work.stage([path.name for path in Path().iterdir() if path.is_file()])
    author = b"A <a@example.org>"
    made = work.commit(message.encode(), author=author, committer=author)
    return made.decode()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with two commits of a study; the first is tagged."""
    monkeypatch.chdir(tmp_path)
    made = Repo.init(tmp_path)
    Path("study.eval").write_text(STUDY)
    write_wards()
    first = commit(made, "first")
    made.refs[b"refs/tags/v1"] = first.encode()
    change("folds=4", "folds=3")
    commit(made, "second")
    yield first
    made.close()


CHANGED = {"changes numbers": ["study.eval:15: protocol cv folds: 4 -> 3"]}


@pytest.mark.parametrize("revision", ["HEAD~1", "HEAD^", "HEAD~", "v1", "{first}", "{first:.8}"])
def test_a_revision_is_read_from_the_objects(repository, revision):
    named = revision.format(first=repository)
    assert classed(call("diff", f"{named}:study.eval", "study.eval")) == CHANGED
    assert call("diff", "HEAD:study.eval", "study.eval") == "no setting differs\n"


@pytest.mark.parametrize("revision", ["nothing", "HEAD~9", "../HEAD", "HEAD@{1}", "0000000", "-"])
def test_a_revision_that_is_not_there_is_one_line(repository, revision):
    said = call("diff", f"{revision}:study.eval", "study.eval", code=2)
    assert said.startswith("Error: ") and said.count("\n") == 1


def test_a_path_begins_at_the_top_of_the_repository_as_in_git(repository, monkeypatch):
    below = Path("below")
    below.mkdir()
    (below / "own.eval").write_text(Path("study.eval").read_text())
    (below / "wards.csv").write_bytes(Path("wards.csv").read_bytes())
    author = b"A <a@example.org>"
    with Repo(".") as made:
        work = made.get_worktree()
        work.stage(["below/own.eval"])
        work.commit(b"third", author=author, committer=author)
    monkeypatch.chdir(below)
    own = Path("own.eval")
    own.write_text(own.read_text().replace("folds=3", "folds=4"))
    line = "own.eval:15: protocol cv folds: 3 -> 4"
    for first in (
        "HEAD:below/own.eval",
        "HEAD:./own.eval",
        "HEAD:study.eval",
        "HEAD:../study.eval",
    ):
        assert classed(call("diff", first, "own.eval")) == {"changes numbers": [line]}
    assert call("diff", "HEAD:study.eval", "HEAD:./own.eval") == "no setting differs\n"
    assert call("diff", "HEAD:own.eval", "own.eval", code=2) == (
        "Error: there is no `own.eval` at `HEAD`; a path begins at the top of the repository, so "
        "write `HEAD:./own.eval`\n"
    )
    for missing in ("HEAD:none.eval", "HEAD:./none.eval"):
        said = call("diff", missing, "own.eval", code=2)
        assert said == "Error: there is no `none.eval` at `HEAD`\n"


def test_a_file_that_a_revision_lacks_is_named(repository):
    read = committed_reader(Path(), "HEAD")
    with pytest.raises(UnknownRevision, match=r"there is no `other\.eval` at `HEAD`"):
        read(Path("other.eval"))


def test_differences_as_json_markdown_and_exit_code(repository):
    found = json.loads(
        call("diff", "v1:study.eval", "study.eval", "--format", "json", "--exit-code", code=5)
    )
    assert found["settings"] == [
        {
            "setting": "protocol cv folds",
            "place": "study.eval:15",
            "before": 4,
            "after": 3,
            "effect": "numbers",
            "now_stated": None,
            "statement": None,
            "content": [],
            "by_default": False,
        }
    ]
    table = call("diff", "v1:study.eval", "study.eval", "--format", "markdown").splitlines()
    assert table[2] == "| changes numbers | protocol cv folds | 4 | 3 | study.eval:15 |"
    assert call("diff", "study.eval", "study.eval", "--exit-code") == "no setting differs\n"


def test_a_statement_that_was_added_is_one_record_of_the_json(repository):
    text = Path("study.eval").read_text()
    Path("other.eval").write_text(text + "require tree better than forest by 2%\n")
    added = json.loads(call("diff", "study.eval", "other.eval", "--format", "json"))["settings"]
    (record,) = [one for one in added if one["setting"].startswith("require")]
    assert (record["statement"], record["before"], record["after"]) == ("added", None, None)
    assert record["setting"] == f"require {1 + text.count('require ')}"
    removed = json.loads(call("diff", "other.eval", "study.eval", "--format", "json"))["settings"]
    assert "removed" in [one["statement"] for one in removed]
    table = call("diff", "study.eval", "other.eval", "--format", "markdown")
    assert f"| {record['setting']} |  | added: kind superior; models tree, forest; " in table
    gone = call("diff", "other.eval", "study.eval", "--format", "markdown")
    assert "; value 0.02 | removed | other.eval:" in gone


def test_one_study_gives_its_settings_for_textconv(repository):
    lines = call("diff", "study.eval").splitlines()
    assert "protocol cv folds = 3" in lines
    assert "study alpha = 0.05 (default)" in lines


def test_git_compares_settings_that_do_not_depend_on_the_data(repository):
    """Git passes a copy of the file elsewhere, without its data."""
    elsewhere = Path("elsewhere") / "blob"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(Path("study.eval").read_bytes())
    lines = call("diff", "--textconv", "study.eval")
    assert "protocol cv folds = 3\n" in lines
    assert call("diff", "--textconv", str(elsewhere)) == lines


@pytest.mark.parametrize("line", ["measure acuracy\n", 'include "missing.eval"\n'])
def test_git_compares_the_text_of_a_study_with_errors(repository, line):
    Path("study.eval").write_text(Path("study.eval").read_text() + line)
    assert call("diff", "--textconv", "study.eval") == Path("study.eval").read_text()


# --- results --------------------------------------------------------------------------------


def results_in(folder, *words, report=""):
    """Make results of a study, and of another version of it; `words` are those of the first run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("study.eval").write_text(STUDY + report)
        write_wards()
        call("run", "study.eval", "-j", "1", "-o", "first", *words)
        change("DecisionTreeClassifier(max_depth=2)", "DummyClassifier")
        change("by 30%", "by 1%")
        call("run", "study.eval", "-j", "1", "-o", "second", "--format", "html")
        Path("study.eval").write_text(STUDY + report)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return results_in(tmp_path_factory.mktemp("results"), "--format", "html")


@pytest.fixture(scope="module")
def made_with_pdf(tmp_path_factory):
    short = "report html, pdf\n  show estimates\n"  # three pages: each verification lays them out
    return results_in(tmp_path_factory.mktemp("results"), report=short)


@pytest.fixture
def folder(request, tmp_path, monkeypatch):
    """A copy of the results, to be altered; with a PDF for a test with that mark."""
    with_pdf = request.node.get_closest_marker("pdf")
    copy = tmp_path / "copy"
    shutil.copytree(request.getfixturevalue("made_with_pdf" if with_pdf else "made"), copy)
    monkeypatch.chdir(copy)
    return copy


def test_a_moved_estimate_is_given_in_half_widths_of_its_interval(folder):
    first = json.loads(Path("first/results.json").read_text())
    second = json.loads(Path("second/results.json").read_text())
    lines = call("diff", "first", "second", "--exit-code", code=5).splitlines()
    tree = next(e for e in first["estimates"] if e["model"] == "tree" and e["metric"] == "accuracy")
    now = next(e for e in second["estimates"] if e["model"] == "tree" and e["metric"] == "accuracy")
    half = (tree["interval"]["high"] - tree["interval"]["low"]) / 2
    share = abs(now["value"] - tree["value"]) / half
    before, after = (
        "{value:.4g} [{interval[low]:.4g}, {interval[high]:.4g}]".format(**one)
        for one in (tree, now)
    )
    assert (
        f"moved: accuracy of tree on wards under cv: {before} -> {after} "
        f"({share:.2g} half-widths of its interval)"
    ) in lines
    assert "  model tree: DecisionTreeClassifier(max_depth=2) -> DummyClassifier" in lines


def test_a_turned_gate_is_said_before_everything(folder):
    path = Path("second/results.json")
    document = json.loads(Path("first/results.json").read_text())
    document["requirements"][0] |= {"met": False, "value": -0.5, "interval": [-0.6, -0.4]}
    path.write_text(json.dumps(document))
    lines = call("diff", "first", "second").splitlines()
    before = json.loads(Path("first/results.json").read_text())["requirements"][0]
    assert lines[0].startswith("turned: require tree not worse than forest by 30%")
    low, high = before["interval"]
    assert lines[1] == f"  {before['value']:.4g} [{low:.4g}, {high:.4g}] -> -0.5 [-0.6, -0.4]"


def test_turned_and_moved_results_as_json_and_as_markdown(folder):
    path = Path("second/results.json")
    document = json.loads(path.read_text())
    document["requirements"] = json.loads(Path("first/results.json").read_text())["requirements"]
    document["requirements"][0]["met"] = not document["requirements"][0]["met"]
    path.write_text(json.dumps(document))
    found = json.loads(call("diff", "first", "second", "--format", "json", "--exit-code", code=5))
    assert found["schema"] == "evallang/diff/1"
    (turned,) = [one for one in found["turned"] if one["what"].startswith("require")]
    assert turned["before"] != turned["after"]
    table = call("diff", "first", "second", "--format", "markdown").splitlines()
    assert table[:4] == [
        "**Decisions that turned**", "", "| what | before | after |", "|---|---|---|",
    ]  # fmt: skip
    assert table[4].startswith(f"| {turned['what']} | {turned['before']}")
    moved = next(one for one in found["moved"] if one["what"].startswith("accuracy of tree"))
    row = next(line for line in table if line.startswith(f"| {moved['what']} |"))
    assert row.split(" | ")[-1] == f"{moved['share']:.2g} |"
    assert any(line.startswith("- model tree: ") and "DummyClassifier" in line for line in table)
    assert call("diff", "first", "first", "--format", "markdown") == (
        "No number and no decision differs.\n"
    )


@pytest.mark.parametrize(("words", "reason"), [
    (("first",), "name a second results folder"),
    (("first", "study.eval"), "two studies, or two results folders"),
    (("first", "nowhere"), "two studies, or two results folders"),
    (("first", "empty"), "`empty` does not contain a results.json"),
    (("first", "broken"), "cannot read `broken`"),
])  # fmt: skip
def test_what_cannot_be_compared_is_one_line(folder, words, reason):
    Path("empty").mkdir()
    Path("broken").mkdir()
    Path("broken/results.json").write_text('{"schema": ')
    assert reason in call("diff", *words, code=2)


@pytest.mark.parametrize("layout", ["json", "markdown"])
def test_the_settings_of_one_study_have_three_forms(folder, layout):
    said = call("diff", "study.eval", "--format", layout)
    if layout == "json":
        settings = json.loads(said)["settings"]
        assert {"setting": "protocol cv folds", "value": 4, "stated": True} in settings
        assert any(one["setting"] == "study alpha" and not one["stated"] for one in settings)
    else:
        lines = said.splitlines()
        assert lines[:2] == ["| setting | value | |", "|---|---|---|"]
        assert "| protocol cv folds | 4 |  |" in lines
        assert "| study alpha | 0.05 | default |" in lines


def test_a_study_with_an_error_is_not_compared(folder):
    Path("wrong.eval").write_text(Path("study.eval").read_text().replace("cv folds", "cvv folds"))
    assert "error[" in call("diff", "wrong.eval", "study.eval", code=1)


def test_equal_results_do_not_differ(folder):
    assert call("diff", "first", "first", "--exit-code") == "no number and no decision differs\n"


@pytest.mark.pdf
def test_a_results_folder_is_what_its_study_gives(folder):
    assert call("verify", "first").endswith("no difference\n")
    assert "different" in call("verify", "second", code=5)  # its study was changed since


def test_one_altered_digit_in_results_is_named(folder):
    path = Path("first/results.json")
    document = json.loads(path.read_text())
    document["estimates"][0]["value"] += 0.01
    path.write_text(json.dumps(document))
    lines = classed(call("verify", "first", code=5))["changes numbers"]
    assert [line.split(": ")[0] for line in lines] == ["estimates[wards, cv, tree, accuracy].value"]


def test_one_altered_prediction_is_named(folder):
    path = Path("first/predictions.parquet")
    frame = pl.read_parquet(path)
    row = frame.row(7, named=True)
    other = "no" if row["prediction"] == "yes" else "yes"
    frame[7, "prediction"] = other
    frame.write_parquet(path)
    lines = classed(call("verify", "first", code=5))["changes numbers"]
    assert lines == [
        f"predictions.parquet: prediction (data wards, protocol cv, model {row['model']}, "
        f"repeat 0, fold {row['fold']}, row {row['row']}): {other} -> {row['prediction']}"
    ]


@pytest.mark.pdf
def test_a_report_is_compared_with_the_results_inside_it(folder):
    assert call("verify", "first/report.pdf").endswith("no difference\n")
    assert call("verify", "first/report.html").endswith("no difference\n")


@pytest.mark.pdf
def test_an_altered_text_of_a_pdf_is_named_by_its_page(folder):
    with pikepdf.open("first/report.pdf", allow_overwriting_input=True) as pdf:
        page = pdf.pages[1]
        content = page.Contents.read_bytes()
        glyphs = [part for part in content.split(b"<") if part[4:5] == b">"]
        first, second = (
            glyphs[200][:4],
            next(g[:4] for g in glyphs[201:] if g[:4] != glyphs[200][:4]),
        )
        position = len(b"<".join(content.split(b"<")[: content.split(b"<").index(glyphs[200])])) + 1
        assert content[position : position + 4] == first
        page.Contents = pdf.make_stream(content[:position] + second + content[position + 4 :])
        pdf.save("first/report.pdf")
    lines = classed(call("verify", "first/report.pdf", code=5))["changes numbers"]
    assert len(lines) == 1
    assert lines[0].startswith("report.pdf: page 2")


@pytest.mark.pdf
def test_altered_results_inside_a_pdf_are_found(folder):
    with pikepdf.open("first/report.pdf", allow_overwriting_input=True) as pdf:
        document = json.loads(pdf.attachments["results.json"].get_file().read_bytes())
        document["estimates"][0]["value"] += 0.01
        text = json.dumps(document).encode()
        del pdf.attachments["results.json"]
        attached = pikepdf.AttachedFileSpec(pdf, text, filename="results.json")
        pdf.attachments["results.json"] = attached
        pdf.save("first/report.pdf")
    said = call("verify", "first/report.pdf", code=5)
    assert "estimates[wards, cv, tree, accuracy].value" in said


@pytest.mark.pdf
def test_one_altered_digit_is_named_even_if_the_number_stays_the_same(folder):
    path = Path("first/results.json")
    text = path.read_text()
    value = repr(json.loads(text)["estimates"][0]["value"])
    path.write_text(text.replace(value, f"{value}0000000000000000001", 1))
    place = "estimates[wards, cv, tree, accuracy].value"
    for verified in ("first", "first/report.pdf"):
        lines = classed(call("verify", verified, code=5))["changes numbers"]
        assert lines == [f"{place}: {value}0000000000000000001 -> {value}"]


@pytest.mark.pdf
def test_a_report_under_another_name_is_the_same_report(folder):
    content = Path("first/report.pdf").read_bytes()
    Path("paper.pdf").write_bytes(content)
    assert call("verify", "paper.pdf").endswith("no difference\n")
    Path("page.html").write_bytes(Path("first/report.html").read_bytes())
    assert "results.json next to it, which is missing" in call("verify", "page.html", code=2)


@pytest.mark.pdf
def test_the_results_inside_a_pdf_leave_out_what_differs_between_equal_runs(folder):
    with pikepdf.open("first/report.pdf") as pdf:
        names = set(pdf.attachments.keys())
        made = json.loads(pdf.attachments["results.json"].get_file().read_bytes())["provenance"]
    assert names == {"results.json", "study.eval"}
    assert not {"started", "seconds", "command"} & made.keys()
    assert made["fits"].keys() == {"planned", "failed"}


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7\n", b"not a PDF", b"%PDF-1.7\n%%EOF"])
def test_a_file_that_is_no_report_is_one_line(folder, content):
    Path("other.pdf").write_bytes(content)
    said = call("verify", "other.pdf", code=2)
    assert said.startswith("Error: ") and said.count("\n") == 1


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"schema": "other"}', "\ud800"])
def test_results_that_cannot_be_read_are_one_line(folder, content):
    Path("first/results.json").write_text(content, errors="surrogatepass")
    said = call("verify", "first", code=2)
    assert said.startswith("Error: cannot read the results in `first`") and said.count("\n") == 1
    assert call("verify", "first/report.html", code=2).startswith("Error: cannot read the results")


def test_results_without_their_study_ask_for_it(folder):
    Path("study.eval").rename("moved.eval")
    said = call("verify", "first", code=2)
    assert "the study `study.eval` is not next to `first`; name it by `--study FILE`" in said
    assert call("verify", "first", "--study", "moved.eval").endswith("no difference\n")


def test_a_study_with_an_error_cannot_verify_its_results(folder):
    change("outcome", "outcom")
    assert "E420" in call("verify", "first", code=1)
    Path("study.eval").write_text("evallang 1\nmeasure acuracy\n")
    assert "E105" in call("verify", "first", code=1)


def test_predictions_of_another_shape_or_unreadable_are_named(folder):
    path = Path("first/predictions.parquet")
    frame = pl.read_parquet(path)
    frame.head(-1).write_parquet(path)
    (line,) = classed(call("verify", "first", code=5))["changes numbers"]
    assert line.startswith(f"predictions.parquet: {frame.height - 1} rows of data, ")
    path.write_bytes(b"PAR1 and nothing else")
    (line,) = classed(call("verify", "first", code=5))["changes numbers"]
    assert line.startswith("predictions.parquet: unreadable: ")
    frame.write_parquet(path, compression="gzip")
    (line,) = classed(call("verify", "first"))["words only"]
    assert line == "predictions.parquet: other bytes -> equal values"


def test_missing_predictions_are_named(folder):
    Path("first/predictions.parquet").unlink()
    (line,) = classed(call("verify", "first", code=5))["changes numbers"]
    assert line == "predictions.parquet: no file -> a file"
    Path("elsewhere").mkdir()
    Path("first/results.json").rename("elsewhere/results.json")
    said = call("verify", "elsewhere/results.json")  # a file without its folder
    assert said == "compared: results.json: no difference\n"


def test_an_altered_fit_is_named_and_its_seconds_are_not_compared(folder):
    path = Path("first/fits.csv")
    rows = [line.split(",") for line in path.read_text().splitlines()]
    seconds, status = rows[0].index("seconds"), rows[0].index("status")
    rows[2][seconds] = "123.5"
    path.write_text("\n".join(map(",".join, rows)) + "\n")
    assert "fits.csv without seconds" in call("verify", "first")
    rows[2][status] = "failed"
    path.write_text("\n".join(map(",".join, rows)) + "\n")
    (line,) = classed(call("verify", "first", code=5))["changes numbers"]
    assert line.startswith("fits.csv: row 2: ")


def test_another_label_or_comment_since_the_results_is_words_only(folder):
    change('tree "A tree"', 'tree "The tree"')
    change("evallang 1\n", "evallang 1\n\n# the second draft\n")
    said = classed(call("verify", "first"))
    assert said.keys() == {"words only"}
    assert "models[tree].label: A tree -> The tree" in said["words only"]
    path = Path("first/results.json")
    path.write_text(path.read_text().replace("seed 4", "seed 5"))
    lines = classed(call("verify", "first", code=5))["changes numbers"]
    assert lines[0].startswith("spec.sha256: ")  # the text in the results is another protocol


def test_other_words_in_an_included_file_are_words_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shared = (
        'evallang 1\nprotocol cv folds=5\nmeasure accuracy\nmodel prior "Most" = DummyClassifier\n'
    )
    Path("lab.eval").write_text(shared)
    Path("study.eval").write_text(
        'evallang 1\ninclude "lab.eval"\nstudy\n  seed 1\ndata iris from sklearn iris\n'
        "model bayes = GaussianNB\nreport html\n"
    )
    call("run", "study.eval", "-j", "1", "--quiet")
    Path("lab.eval").write_text(shared.replace("Most", "The most frequent class"))
    said = classed(call("verify", "study-results"))
    assert said.keys() == {"words only"}
    assert "models[prior].label: Most -> The most frequent class" in said["words only"]
    page = Path("study-results/report.html")
    before = page.read_text()
    estimates = json.loads(Path("study-results/results.json").read_text())["estimates"]
    accuracy = f"{100 * next(e['value'] for e in estimates if e['model'] == 'bayes'):.1f}"
    page.write_text(before.replace(accuracy, "12.3", 1))
    assert page.read_text() != before
    assert "changes numbers" in classed(call("verify", "study-results", code=5))
    page.write_text(before)
    Path("lab.eval").write_text(shared.replace("folds=5", "folds=6"))
    assert "changes numbers" in classed(call("verify", "study-results", code=5))


@pytest.mark.pdf
def test_a_pdf_without_results_or_with_broken_ones_is_one_line(folder):
    for name, content in (("none.pdf", None), ("broken.pdf", b"{}")):
        with pikepdf.open("first/report.pdf") as pdf:
            del pdf.attachments["results.json"]
            if content is not None:
                attached = pikepdf.AttachedFileSpec(pdf, content, filename="results.json")
                pdf.attachments["results.json"] = attached
            pdf.save(name)
    assert "does not contain results.json" in call("verify", "none.pdf", code=2)
    assert "cannot read the results in `broken.pdf`" in call("verify", "broken.pdf", code=2)


@pytest.mark.pdf
def test_a_missing_page_of_a_pdf_is_named(folder):
    with pikepdf.open("first/report.pdf", allow_overwriting_input=True) as pdf:
        pages = len(pdf.pages)
        del pdf.pages[-1]
        pdf.save("first/report.pdf")
    lines = classed(call("verify", "first/report.pdf", code=5))["changes numbers"]
    assert f"report.pdf: pages: {pages - 1} -> {pages}" in lines


def test_a_report_of_another_version_is_compared_by_its_attachments(folder):
    path = Path("first/results.json")
    document = json.loads(path.read_text())
    document["provenance"]["evallang"] = "9.9"
    path.write_text(json.dumps(document))
    said = call("verify", "first/report.html")
    assert "made with evallang 9.9" in said


@pytest.mark.pdf
def test_without_pypdf_verify_names_the_extra(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    said = call("verify", "first/report.pdf", code=2)
    assert "pip install 'evallang[verify]'" in said
