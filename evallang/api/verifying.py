"""Checks that results and reports are what their study and data give."""

from __future__ import annotations

import csv
import difflib
import io
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from evallang.api.checked_file import StudyError
from evallang.api.locking import settings_in_force
from evallang.api.results import Results, read_record
from evallang.api.running import run
from evallang.api.study_file import StudyFile, check_text, open_study
from evallang.effect import Effect
from evallang.installation import install_extras
from evallang.limits import BYTES, PAGES, RESULTS_BYTES, Limit, OverLimit
from evallang.locks.changes import changes
from evallang.locks.documents import LIMIT, Difference, differences
from evallang.locks.result_changes import changed_versions
from evallang.reporting.output_files import ALWAYS_OURS, listed_files
from evallang.reporting.report import RESULTS_NAME, attached_files, write_report
from evallang.results.codec import dumps, to_plain
from evallang.results.records import ResultsRecord, SpecRecord
from evallang.version import VERSION

PREDICTIONS = "predictions.parquet"
FITS = "fits.csv"


class CannotVerify(Exception):
    """Something that cannot be verified; the text is a sentence for the user."""


class Verified(Struct, frozen=True):
    """What was compared, the differences, and what could not be compared."""

    compared: tuple[str, ...]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def verify_results(
    place: Path, study: Path | None = None, *, jobs: int = 1, trust: bool = False
) -> Verified:
    """Run the study of a results folder again, and compare results and predictions.

    Fits come from the store where it has them. Raises `CannotVerify`, `StudyError` where study or
    data are faulty, and what `run` raises.
    """
    found = _loaded(place)
    folder = place if place.is_dir() else place.parent
    path = study or _study_of(found, folder)
    overrides = {name: str(value) for name, value in found.spec.overrides.items()}
    study_now = open_study(path, overrides)
    again = run(study_now, jobs=jobs, trust=trust)
    made = _under_path(again.record, found.spec.path)
    old, new = to_plain(found), to_plain(made)
    notes = [
        f"made with {name} {old_version}, compared with {name} {new_version}"
        for name, old_version, new_version in changed_versions(found, made)
    ]
    changed = list(differences(old, new, ("provenance",)))
    changed += _altered_digits(folder / RESULTS_NAME if place.is_dir() else place, found)
    in_words = _differ_in_words(found.spec, made.spec, study_now, changed)
    if in_words:
        changed = [_of_words(one) for one in changed]
    shown = found if in_words else replace(made, provenance=found.provenance)
    compared = [RESULTS_NAME]
    with tempfile.TemporaryDirectory(prefix="evallang-verify-") as scratch:
        out = Path(scratch) / "out"
        again.save(out, ())
        if place.is_dir() or (folder / PREDICTIONS).exists():
            if (folder / PREDICTIONS).exists() or (out / PREDICTIONS).exists():
                compared.append(PREDICTIONS)
            changed += _predictions(folder, out)
        if (folder / FITS).is_file() and (out / FITS).is_file():
            compared.append(f"{FITS} without seconds")
            changed += _fits(folder / FITS, out / FITS)
    for name in ("report.html", "report.pdf"):
        if not (folder / name).is_file():
            continue
        if found.report.template is not None:
            notes.append(_made_by_template(name, found))
            if name.endswith(".pdf"):
                compared.append(f"the attachments of {name}")
                changed += _attachments(folder / name, shown)
        else:
            compared.append(name)
            changed += _report(folder / name, shown)
    names, differing = _paper(folder, shown)
    compared += names
    changed += differing
    return Verified(tuple(compared), tuple(changed), tuple(notes))


def _differ_in_words(
    before: SpecRecord, after: SpecRecord, study: StudyFile, changed: Sequence[Difference]
) -> bool:
    """Return whether only words of a study changed since its results were made.

    The results do not hold the former text of an included file. What they hold of its effects
    is among the changes, which must then be words.
    """
    if before.files[1:] != after.files[1:]:
        words = [_of_words(one).effect is Effect.WORDS for one in changed]
        if len(words) >= LIMIT or not all(words):
            return False
        if before.canonical == after.canonical:
            return True
    elif before.canonical == after.canonical:
        return False
    try:
        former = check_text(before.canonical, study.place.name, study.place.parent)
        old, new = (
            settings_in_force(text, content=False) for text in (former, open_study(study.place))
        )
    except StudyError:
        return False
    return all(change.effect is Effect.WORDS for change in changes(old, new))


OF_THE_TEXT = ("spec.sha256", "spec.files", "spec.canonical", "spec.stated")


def _of_words(one: Difference) -> Difference:
    """Class what follows from other words in the study: its text, its hash, and places in it."""
    place = one.place.startswith("diagnostics[") and ".range." in one.place
    return replace(one, effect=Effect.WORDS) if place or one.place.startswith(OF_THE_TEXT) else one


def _under_path(record: ResultsRecord, path: str) -> ResultsRecord:
    """Return results as if their study had this path: a study that moved is the same study."""
    own = record.spec.path
    files = tuple(replace(f, path=path) if f.path == own else f for f in record.spec.files)
    diagnostics = tuple(
        {**d, "path": path} if d.get("path") == own else d for d in record.diagnostics
    )
    spec = replace(record.spec, path=path, files=files)
    return replace(record, spec=spec, diagnostics=diagnostics)


def _loaded(place: Path) -> ResultsRecord:
    try:
        return Results.load(place).record
    except (OSError, ValueError, OverLimit) as error:
        raise CannotVerify(f"cannot read the results in `{place}`: {error}") from error


def _study_of(found: ResultsRecord, folder: Path) -> Path:
    """Return the path of the study of a results folder: it is next to the folder."""
    name = Path(found.spec.path).name
    for candidate in (folder.resolve().parent / name, Path(name)):
        if candidate.is_file():
            return candidate
    raise CannotVerify(f"the study `{name}` is not next to `{folder}`; name it by `--study FILE`")


def _predictions(folder: Path, out: Path) -> list[Difference]:
    """Compare the predictions of a folder with those of a new run, by row and column."""
    import polars as pl

    made = out / PREDICTIONS
    if not made.exists() and not (folder / PREDICTIONS).exists():
        return []
    if not (folder / PREDICTIONS).exists():
        return [Difference(PREDICTIONS, "no file", "a file", Effect.NUMBERS)]
    if not made.exists():
        return [Difference(PREDICTIONS, "a file", "no file", Effect.NUMBERS)]
    content = _content(folder / PREDICTIONS, BYTES)
    if made.read_bytes() == content:
        return []
    new = pl.read_parquet(made)
    try:
        announced = pl.scan_parquet(io.BytesIO(content))
        names = announced.collect_schema().names()
        rows = announced.select(pl.len()).collect().item()
        if names != new.columns or rows != new.height:
            before = f"{rows} rows of {', '.join(names)}"
            after = f"{new.height} rows of {', '.join(new.columns)}"
            return [Difference(PREDICTIONS, before, after, Effect.NUMBERS)]
        old = pl.read_parquet(io.BytesIO(content))
    except (OSError, pl.exceptions.PolarsError) as error:
        return [Difference(PREDICTIONS, f"unreadable: {error}", "readable", Effect.NUMBERS)]
    found = []
    for name in old.columns:
        other = old[name].ne_missing(new[name])
        for row in other.arg_true().to_list()[:3]:
            at = ", ".join(f"{key} {new[key][row]}" for key in KEYS if key in new.columns)
            place = f"{PREDICTIONS}: {name} ({at})"
            found.append(Difference(place, old[name][row], new[name][row], Effect.NUMBERS))
    return found or [Difference(PREDICTIONS, "other bytes", "equal values", Effect.WORDS)]


def _fits(path: Path, made: Path) -> list[Difference]:
    """Compare the lists of fits, without how long each took."""
    try:
        first, second = (_rows_without_seconds(file) for file in (path, made))
    except csv.Error as error:
        return [Difference(FITS, f"unreadable: {error}", "readable", Effect.NUMBERS)]
    if len(first) != len(second):
        return [Difference(FITS, f"{len(first)} fits", f"{len(second)} fits", Effect.NUMBERS)]
    pairs = enumerate(zip(first, second, strict=True), 1)
    found = [
        Difference(f"{FITS}: row {row}", str(old), str(new), Effect.NUMBERS)
        for row, (old, new) in pairs
        if old != new
    ]
    return found[:SHOWN]


def _rows_without_seconds(path: Path) -> list[list[str]]:
    text = io.StringIO(_content(path, BYTES).decode("utf-8", "replace"), newline="")
    return [
        [value for key, value in row.items() if key != "seconds"] for row in csv.DictReader(text)
    ]


KEYS = ("data", "protocol", "model", "repeat", "fold", "row")


def verify_report(path: Path) -> Verified:
    """Compare a report with the results inside it; of an HTML page, with those next to it.

    Raises `CannotVerify` where there are none.
    """
    if path.suffix == ".html":
        if not (path.parent / RESULTS_NAME).is_file():
            raise CannotVerify(
                f"`{path.name}` is compared with the {RESULTS_NAME} next to it, which is missing"
            )
        found = _loaded(path.parent)
        compared: tuple[str, ...] = (path.name, f"{RESULTS_NAME} next to it")
    else:
        found = _attached(path)
        compared = (path.name, f"{RESULTS_NAME} attached to it")
    notes: list[str] = []
    changed: list[Difference] = []
    if found.provenance.evallang != VERSION:
        notes.append(
            f"made with evallang {found.provenance.evallang}: this version, {VERSION}, compares "
            "the attachments only"
        )
    elif found.report.template is not None:
        if path.suffix == ".html":
            raise CannotVerify(_made_by_template(path.name, found))
        notes.append(_made_by_template(path.name, found))
        compared = (f"the attachments of {path.name}",)
        changed += _attachments(path, found)
    else:
        changed += _report(path, found)
    nearby = path.parent / RESULTS_NAME
    if path.suffix != ".html" and nearby.is_file():
        compared = (*compared, f"{RESULTS_NAME} next to it")
        beside = _loaded(nearby)
        inside, outside = (json.loads(attached_files(one)[0].content) for one in (found, beside))
        changed += [*differences(inside, outside), *_altered_digits(nearby, beside)]
    return Verified(compared, tuple(changed), tuple(notes))


def _altered_digits(path: Path, found: ResultsRecord) -> list[Difference]:
    """List the numbers of a file that are not written as evallang writes them.

    Two texts can stand for one number: 0.1 and 0.10000000000000001.
    """
    written, again = (
        json.loads(text, parse_float=str, parse_int=str)
        for text in (path.read_text(encoding="utf-8"), dumps(found))
    )
    return [
        one
        for one in differences(written, again)
        if isinstance(one.before, str) and isinstance(one.after, str)
    ]


def _attached(path: Path) -> ResultsRecord:
    """Read the results inside a PDF."""
    files = _pdf(path, _content(path), pages=False).attached
    if RESULTS_NAME not in files:
        raise CannotVerify(
            f"`{path.name}` does not contain {RESULTS_NAME}, as the reports of this version do"
        )
    content = files[RESULTS_NAME]
    try:
        RESULTS_BYTES.check(f"the results in `{path.name}`", len(content))
        return read_record(content.decode("utf-8"))
    except (ValueError, OverLimit) as error:
        raise CannotVerify(f"cannot read the results in `{path.name}`: {error}") from error


def _content(path: Path, limit: Limit = RESULTS_BYTES) -> bytes:
    """Read a regular file; raises `CannotVerify` for a device, or a file beyond a limit."""
    if not path.is_file():
        raise CannotVerify(f"`{path}` is not a regular file")
    with path.open("rb") as file:
        content = file.read(limit.most + 1)
    try:
        limit.check(f"`{path.name}`", len(content))
    except OverLimit as error:
        raise CannotVerify(f"{error}; {error.help}") from error
    return content


class Pdf(Struct, frozen=True):
    """What is compared of a PDF: the words of its pages, and its attached files by name."""

    pages: tuple[list[str], ...]
    attached: dict[str, bytes]


def _pdf(path: Path, content: bytes, *, pages: bool = True) -> Pdf:
    """Read a PDF; raises `CannotVerify` where pypdf cannot, in whatever way that shows."""
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise CannotVerify(
            f"reading a PDF needs pypdf, which is not installed; run `{install_extras('verify')}`"
        ) from error
    try:
        reader = PdfReader(io.BytesIO(content))
        found = reader.pages if pages else ()
        PAGES.check(f"`{path.name}`", len(found))
        attached = {name: files[0] for name, files in reader.attachments.items() if files}
        return Pdf(tuple(page.extract_text().split() for page in found), attached)
    except OverLimit as error:
        raise CannotVerify(f"{error}; {error.help}") from error
    except Exception as error:
        raise CannotVerify(f"cannot read `{path.name}` as a PDF: {error}") from error


def _report(path: Path, found: ResultsRecord) -> list[Difference]:
    """Compare a page with the one that these results give now."""
    with tempfile.TemporaryDirectory(prefix="evallang-verify-") as scratch:
        kind = path.suffix.removeprefix(".")
        files, messages = write_report(found, Path(scratch), (kind,), figures=False)
        again = Path(scratch) / f"report.{kind}"
        if again not in files:
            raise CannotVerify("; ".join(messages))
        made = again.read_bytes()
    written = _content(path)
    if written == made:
        return []
    if kind == "html":
        return _other_content(path.name, written, made)
    old, new = _pdf(path, written), _pdf(path, made)
    changed: list[Difference] = []
    if len(old.pages) != len(new.pages):
        place = f"{path.name}: pages"
        changed.append(Difference(place, len(old.pages), len(new.pages), Effect.NUMBERS))
    for number, (first, second) in enumerate(zip(old.pages, new.pages, strict=False), 1):
        changed += _other_words(f"{path.name}: page {number}", first, second)
    changed += _attachments(path, found)
    return changed or [Difference(path.name, "other bytes", "equal words", Effect.WORDS)]


def _made_by_template(name: str, found: ResultsRecord) -> str:
    only = "only its attachments are compared" if name.endswith(".pdf") else "it is not compared"
    template = f"the template `{found.report.template}`, which is code and is not run"
    return f"`{name}` was rendered with {template}: {only}"


def _attachments(path: Path, found: ResultsRecord) -> list[Difference]:
    """Compare what a PDF carries with what these results attach to it."""
    inside = _pdf(path, _content(path), pages=False).attached
    return [
        _other_content(f"{path.name}: {one.name}", inside.get(one.name, b""), one.content)[0]
        for one in attached_files(found)
        if inside.get(one.name) != one.content
    ]


OF_A_PAPER = ("latex", "markdown", "csv", "html")  # the page too, for its drawings


def _paper(folder: Path, found: ResultsRecord) -> tuple[list[str], list[Difference]]:
    """Compare tables, texts, macros and figures with those that these results give now."""
    listed = sorted(listed_files(folder))
    changed: list[Difference] = []
    names = []
    with tempfile.TemporaryDirectory(prefix="evallang-verify-") as scratch:
        write_report(found, Path(scratch), OF_A_PAPER)
        for name in listed:
            again = Path(scratch) / name
            if name in ALWAYS_OURS or not again.is_file():  # a page
                continue
            names.append(name.partition("/")[0])
            if not (folder / name).is_file():
                changed.append(Difference(name, "written", "missing", Effect.WORDS))
            elif (content := _content(folder / name)) != again.read_bytes():
                changed += _other_content(name, content, again.read_bytes())
    return list(dict.fromkeys(names)), changed


def _other_content(name: str, before: bytes, after: bytes) -> list[Difference]:
    if name.endswith(".pdf"):  # a drawing, whose text is numbers of glyphs
        return [Difference(name, "another drawing", "that of these results", Effect.NUMBERS)]
    # the words of a text, its marks included
    texts = [
        re.split(r"\s+|(?=<)|(?<=>)", content.decode("utf-8", "replace"))
        for content in (before, after)
    ]
    return _other_words(name, *texts) or [Difference(name, "other spaces", "", Effect.WORDS)]


SHOWN = 10  # places of a page that are named
MOST_COMPARED = 2_000  # words from the first difference on, which are aligned in quadratic time


def _other_words(place: str, before: list[str], after: list[str]) -> list[Difference]:
    found: list[Difference] = []
    pairs = enumerate(zip(before, after, strict=False))
    first = next((i for i, (old, new) in pairs if old != new), min(len(before), len(after)))
    before, after = (words[max(0, first - 4) :] for words in (before, after))
    cut = max(len(before), len(after)) > MOST_COMPARED
    before, after = before[:MOST_COMPARED], after[:MOST_COMPARED]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, other, stop in matcher.get_opcodes():
        at_the_cut = cut and bool(found) and (end == len(before) or stop == len(after))
        if tag != "equal" and len(found) < SHOWN and not at_the_cut:
            around = " ".join(before[max(0, start - 4) : start])
            where = f"{place}, after `{around}`" if around else place
            old, new = " ".join(before[start:end]), " ".join(after[other:stop])
            found.append(Difference(where, old[:80], new[:80], Effect.NUMBERS))
    return found
