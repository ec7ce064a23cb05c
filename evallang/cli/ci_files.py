"""What `evallang run` writes for a CI service.

Files of JUnit XML, summaries in Markdown, and annotations of GitHub Actions on stdout.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec import Struct

from evallang.api.checked_file import CheckedFile
from evallang.cli.change_text import markdown_cell
from evallang.cli.summary_text import markdown_lines
from evallang.cli.terminal import Failed, cannot, write_format
from evallang.cli.verdicts import Verdict
from evallang.printable import printable
from evallang.results.records import ResultsRecord


class CiFiles(Struct, frozen=True):
    """The files that a run was asked to write, None for those it was not asked for.

    With `annotate`, requirements that are not met and failed fits are also annotations on stdout.
    """

    junit: str | None = None
    summary: str | None = None
    annotate: bool = False

    def refuse_wrong_places(self) -> None:
        """Raise `click.ClickException` before the first fit where a file could not be written."""
        for place in (Path(path) for path in (self.junit, self.summary) if path is not None):
            if not place.parent.is_dir():
                raise click.ClickException(
                    f"there is no folder `{place.parent}` for `{place.name}`"
                )
            if place.is_dir():
                raise click.ClickException(f"`{place}` is a folder; name a file")

    def write_results(self, study: str, record: ResultsRecord, checked: CheckedFile) -> None:
        """Write how each requirement was decided, and which fits failed.

        `checked` is the study, with the lines of its requirements.
        """
        from evallang.cli.verdicts import verdicts  # a run starts its workers before

        failed = [
            f"{f.model}, {f.metric or f'fold {f.fold}'}: {f.error}: {f.message}"
            for f in record.failures
            if f.stage != "inner"
        ]
        decided = verdicts(record)
        self._write(study, decided, failed, record)
        if self.annotate:
            for annotation in _annotations(record, decided, failed, checked):
                write_format(annotation)

    def write_errors(self, study: str, errors: Sequence[str]) -> None:
        """Write why a study was not run, so that no old file is read instead."""
        self._write(study, [], errors)

    def _write(
        self,
        study: str,
        decided: Sequence[Verdict],
        errors: Sequence[str],
        record: ResultsRecord | None = None,
    ) -> None:
        if self.junit is not None:
            _put(self.junit, _junit(study, decided, errors), mode="wb")
        if self.summary is not None:
            lines = [*_summary(study, decided, errors)]
            if record is not None:
                from evallang.reporting.summary import summary

                lines += [*markdown_lines(summary(record), level=3), ""]
            _put(self.summary, "".join(f"{line}\n" for line in lines).encode("utf-8"), mode="ab")


def _put(path: str, content: bytes, *, mode: str) -> None:
    try:
        with Path(path).open(mode) as file:
            file.write(content)
    except OSError as error:
        raise Failed(cannot("write", path, error)) from error


def _junit(study: str, decided: Sequence[Verdict], errors: Sequence[str]) -> bytes:
    """Return a test case for each requirement and each error.

    GitLab shows the text of a failure and not its message, Jenkins both.
    """
    from xml.etree import ElementTree as ET

    suites = ET.Element("testsuites")
    name = printable(study)
    counts = {
        "name": name,
        "tests": f"{len(decided) + len(errors)}",
        "failures": f"{sum(not verdict.met for verdict in decided)}",
        "errors": f"{len(errors)}",
    }
    suite = ET.SubElement(suites, "testsuite", counts)
    for verdict in decided:
        case = ET.SubElement(suite, "testcase", classname=name, name=printable(verdict.claim))
        if not verdict.met:
            told = printable(verdict.numbers)
            ET.SubElement(case, "failure", message=told, type="requirement").text = told
    for number, error in enumerate(errors, start=1):
        case = ET.SubElement(suite, "testcase", classname=name, name=f"error {number}")
        ET.SubElement(case, "error", message=printable(error), type="run").text = printable(error)
    ET.indent(suites)
    return bytes(ET.tostring(suites, encoding="utf-8", xml_declaration=True)) + b"\n"


def _summary(study: str, decided: Sequence[Verdict], errors: Sequence[str]) -> Iterator[str]:
    yield f"## {_escaped(study)}"
    yield ""
    lost = sum(not verdict.met for verdict in decided)
    if decided:
        yield f"**Requirements: {len(decided)}, not met: {lost}.**"
        yield ""
        yield "| | requirement | decided by | power |"
        yield "|---|---|---|---|"
        for verdict in sorted(decided, key=lambda verdict: verdict.met):
            word = "PASS" if verdict.met else "**FAIL**"
            cells = map(_escaped, (verdict.claim, verdict.numbers, verdict.power))
            yield f"| {word} | {' | '.join(cells)} |"
    elif not errors:
        yield "The study states no requirement."
    yield ""
    if errors:
        yield f"**Errors: {len(errors)}.**"
        yield ""
        yield from (f"- {_escaped(error)}" for error in errors)
        yield ""


def _annotations(
    record: ResultsRecord,
    decided: Sequence[Verdict],
    failed: Sequence[str],
    checked: CheckedFile,
) -> Iterator[str]:
    from evallang.diagnostics.formats import github_error

    specs = () if checked.meant is None else checked.meant.requirements
    spans = {spec.index: spec.span for spec in specs}
    sources = checked.checked.sources
    for requirement, verdict in zip(record.requirements, decided, strict=True):
        if not verdict.met:
            span = spans.get(requirement.index)
            path = checked.path if span is None else span.path
            words = f"{verdict.claim}: {verdict.numbers}"
            yield github_error("requirement not met", words, path, span, sources)
    for error in failed:
        yield github_error("failed fit", error, checked.path, None, sources)


def _escaped(text: str) -> str:
    return markdown_cell(printable(text))
