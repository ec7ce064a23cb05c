"""What is needed to run a study again: provenance and the study file."""

import shlex
from collections.abc import Sequence
from hashlib import sha256

from evallang.reporting.context import Context
from evallang.reporting.document import Block, Code, Listing, Runs, runs
from evallang.reporting.numbers import count
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.tables import left, row, table, wide
from evallang.reporting.wording import code_runs, plural_count
from evallang.results.records import Provenance

MOST_PARTS = 12  # of one source, each with its hash
TOPICS = (Topic.DATA_IDENTITY, Topic.CODE, Topic.ENVIRONMENT, Topic.COMMANDS)


@SECTIONS.register(
    SectionDeclaration(order=95, supplement=True, hideable=False, topics=TOPICS, tables=False),
    title="Provenance",
)
def provenance(context: Context) -> Sequence[Block]:
    """Return what is needed to run the study again, and to see that it is the same.

    When and how long it ran, by which command and from which store is in results.json alone:
    two runs of one study print the same bytes.
    """
    results = context.results
    made = results.provenance
    rows: list[tuple[str, str | Runs]] = [
        ("Study file", f"{results.spec.path}, SHA-256 {results.spec.sha256}")
    ]
    by_source: dict[str, dict[str, list[str]]] = {}
    by_notes: dict[tuple[str, ...], list[str]] = {}
    for data in context.data_sets:
        label = context.data_label(data.name)
        by_source.setdefault(data.source, {}).setdefault(data.sha256, []).append(label)
        by_notes.setdefault(data.notes, []).append(label)
    for source, by_hash in by_source.items():
        if len(by_hash) > MOST_PARTS:
            n = sum(map(len, by_hash.values()))
            words = f"{source}; the SHA-256 of each is in results.json"
            rows.append((f"Data: {n} {context.sets}", words))
            continue
        rows += [
            (
                f"Data: {labels[0]}" if len(labels) == 1 else f"Data: {len(labels)} {context.sets}",
                f"{source}, SHA-256 {digest}",
            )
            for digest, labels in by_hash.items()
        ]
    if len(by_notes) > MOST_PARTS:
        rows.append((f"Reading: {len(by_notes)} {context.sets}", "notes are in results.json"))
    else:
        rows += [
            (
                f"Reading: {labels[0] if len(labels) == 1 else f'{len(labels)} {context.sets}'}",
                code_runs("; ".join(notes)),
            )
            for notes, labels in by_notes.items()
            if notes
        ]
    rows += [
        (f"Folds: {context.protocol(protocol.name)}", f"SHA-256 {digest}")
        for protocol in results.protocols
        if (digest := protocol.folds_sha256)
    ]
    packages = ", ".join(f"{name} {version}" for name, version in made.packages.items())
    rows += [
        (f"Custom code: {code.path}", f"SHA-256 of its package's source {code.sha256}")
        for code in results.spec.own_code
    ]
    rows += [
        ("Seed", str(results.study.seed)),
        ("Software", f"evallang {made.evallang}, Python {made.python}"),
        ("Packages", packages),
        ("Machine", f"{made.platform}; {made.processor}{_cores(made)}"),
        ("Fits", _fits(made.fits.planned, made.fits.failed)),
    ]
    if context.style_sheet:
        digest = sha256(context.style_sheet.encode()).hexdigest()
        rows.append(("Style sheet", f"{results.report.style}, SHA-256 {digest}"))
    if results.template_sha256 is not None:
        rows.append(("Template", f"{results.report.template}, SHA-256 {results.template_sha256}"))
    if made.paths_taken:
        rows.append(("Data outside the study's folder", ", ".join(made.paths_taken)))
    if made.lock is not None:
        state = "the same settings" if made.lock.same else "other settings"
        rows.append(("Lock", f"{made.lock.date}, {state}, SHA-256 {made.lock.sha256}"))
    if made.looks is not None:
        rows.append(("Evaluations on the same test data", f"{count(made.looks)} recorded"))
    if made.git is not None:
        state = " with changes not committed" if made.git.dirty else ""
        rows.append(("Commit", made.git.commit + state))
    rows += [
        (
            f"Predictions: {context.model(model.name)}",
            f"{model.stored.results}, model {model.stored.model}, SHA-256 {model.stored.sha256}",
        )
        for model in results.models
        if model.stored is not None
    ]
    rows += [
        (f"Model saved: {context.model(item.model)}", f"{item.path}, SHA-256 {item.sha256}")
        for item in results.exports
    ]
    rows.append(("Report", f"{context.report_id} (first digits of the SHA-256 of the results)"))
    overrides = results.spec.overrides.items()
    options = [part for name, value in overrides for part in ("--set", f"{name}={_spelled(value)}")]
    command = shlex.join(["evallang", "run", results.spec.path, *options])
    in_study, in_results = " in the folder of the study file", " in the folder of the results"
    return [
        table(
            "table-provenance",
            "What was run, and on what.",
            [left("Item", muted=True), wide("Value")],
            [
                *(row(name, value) for name, value in rows if value),
                row("To repeat the study", runs(Code(command), in_study)),
                row("To render the report", runs(Code("evallang report ."), in_results)),
            ],
            whole=True,
        )
    ]


def _cores(made: Provenance) -> str:
    """State the processor, its cores and the memory, where they are known."""
    if not (made.cores and made.memory):
        return ""
    cores = plural_count(made.cores, "logical core")
    return f"; {made.cpu or 'processor'} with {cores}; {count(round(made.memory / 2**30))} GB"


def _fits(planned: int, failed: int) -> str:
    """State how many fits were made, and how many of them failed."""
    if not planned:
        return "none: predictions, scores or counts were read"
    return f"{count(planned)}, of which {count(failed) if failed else 'none'} failed"


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@SECTIONS.register(
    SectionDeclaration(order=99, supplement=True, topics=(Topic.STUDY_FILE,)), title="Study file"
)
def source(context: Context) -> Sequence[Block]:
    """Return the study file as formatted."""
    text = context.results.spec.canonical.strip("\n")
    return [Listing(text, context.results.spec.path)] if text else []
