"""The files that a study names for its report, read and checked."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from evallang.data.files import regular_file
from evallang.data.findings import Findings
from evallang.diagnostics import Diagnostic, codes
from evallang.results.bibtex_entries import (
    MOST_BYTES,
    BibtexEntry,
    EntryTwice,
    cited_keys,
    read_entries,
)
from evallang.results.provenance import ReferenceRecord
from evallang.study import Study

Objection = tuple[str, str]
"""Why a file cannot be used, and what to do."""


class ReportFiles(Struct, frozen=True):
    """The texts of the author's style sheet and template, and the works that the study cites."""

    style_sheet: str | None = None
    template: str | None = None
    references: tuple[ReferenceRecord, ...] = ()


def read_report_files(study: Study, folder: Path) -> tuple[ReportFiles, tuple[Diagnostic, ...]]:
    """Return what the files of a report have, and what is wrong with them."""
    settings = study.report
    if settings.style is settings.template is settings.bibliography is None:
        return ReportFiles(), ()
    from evallang.reporting.style_sheets import MOST_BYTES as MOST_OF_STYLE, style_objection
    from evallang.reporting.templates import MOST_BYTES as MOST_OF_TEMPLATE, template_objection

    found: list[Diagnostic] = []

    def read(word: str, name: str | None, most: int, check: Callable[[str], Objection | None]
             ) -> str | None:  # fmt: skip
        if name is None:
            return None
        findings = Findings({word: study.places[word]})
        text = _text(name, folder, findings, most, check)
        found.extend(findings.diagnostics)
        return text

    style = read("style", settings.style, MOST_OF_STYLE, style_objection)
    template = read("template", settings.template, MOST_OF_TEMPLATE, template_objection)
    cited = _citations(study)
    text = read("bibliography", settings.bibliography, MOST_BYTES,
                lambda text: _bibliography_objection(text, cited))  # fmt: skip
    entries = _cited(read_entries(text), cited) if text is not None else []
    return ReportFiles(style, template, tuple(entry.record() for entry in entries)), tuple(found)


def _citations(study: Study) -> dict[str, str]:
    """Return the keys that a study cites, each with the clause that cites it."""
    found: dict[str, str] = {}
    for clause in ("question", "about"):
        for key in cited_keys(getattr(study, clause) or ""):
            found.setdefault(key, clause)
    for source in study.sources:
        named = _key(getattr(source, "cite", None) or "")
        if named is not None:
            found.setdefault(named, "cite")
    return found


def _bibliography_objection(text: str, cited: Mapping[str, str]) -> Objection | None:
    try:
        entries = read_entries(text)
    except EntryTwice as error:
        return str(error), "remove or rename one of them"
    except ValueError as error:
        return str(error), "write entries as `@article{KEY, author = {...}, title = {...}, ...}`"
    for key, clause in cited.items():
        if key not in entries:
            return f"has no entry `{key}`, which `{clause}` cites", "add the entry, or cite another"
    for entry in _cited(entries, cited):
        if not entry.record().year:
            return f"has no year in the entry `{entry.key}`", "add `year = {...}`"
    return None


def _key(cite: str) -> str | None:
    """Return the key that a `cite` names; None for a DOI, an address or words."""
    word = cite.strip().removeprefix("@")
    plain = " " not in word and "/" not in word and not word.lower().startswith("doi:")
    return word if word and plain else None


def _cited(entries: Mapping[str, BibtexEntry], cited: Mapping[str, str]) -> list[BibtexEntry]:
    return [entries[key] for key in cited if key in entries]


def _text(
    name: str,
    folder: Path,
    findings: Findings,
    most: int,
    check: Callable[[str], Objection | None],
) -> str | None:
    path = findings.tried(regular_file, name, folder)
    if path is None:
        return None
    behind = Path(os.path.realpath(path))
    text, objection = None, None
    if not behind.is_relative_to(os.path.realpath(folder)):
        objection = "is outside the study's folder, through a link", "copy the file into the folder"
    elif path.stat().st_size > most:
        objection = f"is larger than {most:,} bytes", "remove what the report does not use"
    else:
        try:
            text = path.read_bytes().decode("utf-8-sig")
            objection = check(text)
        except UnicodeDecodeError:
            objection = "is not in UTF-8", "save it in this encoding"
        except OSError as error:
            objection = f"cannot be read: {error.strerror}", "check whether you may read the file"
    if objection is not None:
        findings.add(codes.unusable_report_file, f"`{name}` {objection[0]}", help=objection[1])
        return None
    return text
