"""The language server: requests of an editor in, answers of the checker out.

Positions of the protocol are converted here and nowhere else. A request about a document that is
not open has no answer.
"""

from __future__ import annotations

import posixpath
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types as lsp
from pygls import uris
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from evallang.api.study_file import read_text
from evallang.checking import waivers
from evallang.diagnostics import Diagnostic, Edit, Severity
from evallang.editor.completion import completions
from evallang.editor.document import Document
from evallang.editor.fixes import apply_safe_fixes
from evallang.editor.hints import hints
from evallang.editor.names import Occurrence, at as name_at, occurrences, renaming, same
from evallang.editor.outline import Section, outline
from evallang.editor.pages import declaration, page, protocol_page
from evallang.editor.signature import signature
from evallang.source import SourceFile, Span
from evallang.syntax.formatter import format_parsed
from evallang.syntax.nodes import IncludeNode, ProtocolNode
from evallang.version import VERSION

SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.HINT: lsp.DiagnosticSeverity.Information,
}
COMPLETION_KINDS = {
    "statement": lsp.CompletionItemKind.Keyword,
    "clause": lsp.CompletionItemKind.Keyword,
    "word": lsp.CompletionItemKind.Keyword,
    "model": lsp.CompletionItemKind.Variable,
    "column": lsp.CompletionItemKind.Field,
    "option": lsp.CompletionItemKind.Property,
    "parameter": lsp.CompletionItemKind.Property,
    "value": lsp.CompletionItemKind.EnumMember,
}
SYMBOL_KINDS = {
    "model": lsp.SymbolKind.Class,
    "let": lsp.SymbolKind.Constant,
    "protocol": lsp.SymbolKind.Method,
    "study": lsp.SymbolKind.Namespace,
}


class Server(LanguageServer):
    """A server with the studies that are open in one editor."""

    def __init__(self) -> None:
        whole = lsp.TextDocumentSyncKind.Full  # pygls finds an edit by lines that end at U+2028 too
        super().__init__("evallang", VERSION, text_document_sync_kind=whole)
        self.open: dict[str, Document] = {}
        self.reported: dict[str, list[lsp.Diagnostic]] = {}

    def read(self, file: Path) -> str:
        """Return the text of an included file as it is in the editor, else as it is saved."""
        shown = self.open.get(self.address(file))
        return read_text(file) if shown is None else shown.text

    def address(self, file: Path) -> str:
        """Return the address of a file, as the editor writes it where the file is open."""
        shown = (uri for uri, document in self.open.items() if document.path == file)
        return next(shown, None) or uris.from_fs_path(str(file)) or ""

    def offset(self, uri: str, position: lsp.Position) -> int:
        """Return the place of a position in a text, in code points."""
        source = self.open[uri].source
        lines = [source.line(number + 1) for number in range(len(source.line_starts))]
        at = self.workspace.position_codec.position_from_client_units(lines, position)
        return source.line_starts[min(at.line, len(lines) - 1)] + at.character

    def range(self, span: Span | None, source: SourceFile) -> lsp.Range:
        """Return the range of a span; that of the first line for a finding about a whole file."""
        if span is None:
            span = source.whole_line(0)
        return lsp.Range(self._position(source, span.start), self._position(source, span.end))

    def _position(self, source: SourceFile, offset: int) -> lsp.Position:
        place = source.position(offset)
        before = source.line(place.line)[: place.column - 1]
        units = self.workspace.position_codec.client_num_units(before)
        return lsp.Position(place.line - 1, units)

    def edits(self, edits: Iterable[Edit], document: Document) -> lsp.WorkspaceEdit:
        """Return edits of a study and the files that it includes."""
        changes: dict[str, list[lsp.TextEdit]] = {}
        for edit in edits:
            source = document.study.checked.sources[edit.span.path]
            made = lsp.TextEdit(self.range(edit.span, source), edit.text)
            changes.setdefault(self.uri_of(document, edit.span.path), []).append(made)
        return lsp.WorkspaceEdit(changes=changes)

    def addresses(self, document: Document) -> dict[str, str]:
        """Return the path of each file that a study includes, as its messages name it."""
        paths = document.study.checked.sources
        own = document.study.path
        return {self.uri_of(document, path): path for path in paths if path != own}

    def whole(self, uri: str) -> tuple[Document, str]:
        """Return the open study that a file is part of, and the path of the file in its messages.

        A file that no open study includes is a study itself.
        """
        for document in self.open.values():
            path = self.addresses(document).get(uri)
            if path is not None:
                return document, path
        return self.open[uri], self.open[uri].study.path

    def uri_of(self, document: Document, path: str) -> str:
        """Return the address of a file that messages about a study name."""
        return self.address(document.path.parent / path)


server = Server()


# --- documents and what is found in them ------------------------------------------------


@server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    """Check a study that an editor opens; skip an archive, such as a log of Inspect AI."""
    shown = params.text_document
    if shown.text.startswith("PK\x03\x04"):
        return
    path = Path(uris.urlparse(shown.uri)[2] or "study.eval")  # also of a text that is not saved
    ls.open[shown.uri] = Document(path, shown.text, ls.read)
    _publish(ls, shown.uri)


@server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    """Check a study again after an edit, and the open studies that include it."""
    uri = params.text_document.uri
    if uri in ls.open:
        ls.open[uri].text = ls.workspace.get_text_document(uri).source
        _publish(ls, uri)


@server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
def did_close(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    """Forget a study, and what was found in it."""
    uri = params.text_document.uri
    if uri in ls.open:
        _forget(ls, uri)
        del ls.open[uri], ls.reported[uri]
        ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
        _report(ls)


def _publish(ls: Server, uri: str) -> None:
    """Report what is found in a file, and what this changes in the other open files."""
    _forget(ls, uri)
    ls.reported.pop(uri, None)
    _report(ls)


def _forget(ls: Server, uri: str) -> None:
    """Have a file and the open studies that include it checked again."""
    for other, document in ls.open.items():
        if other == uri or uri in ls.addresses(document):
            document.forget()


def _report(ls: Server) -> None:
    """Report what is found in the open files, where it differs from the last report."""
    for uri in ls.open:
        whole, path = ls.whole(uri)
        found = [_diagnostic(ls, d, whole) for d in _findings(whole, path)]
        if ls.reported.get(uri) != found:
            ls.reported[uri] = found
            ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))


def _findings(document: Document, path: str) -> list[Diagnostic]:
    """List what was found in a file of a study, without what its author accepts."""
    found = document.study.diagnostics
    return [d for d in found if d.path == path and d.allowed_because is None]


def _diagnostic(ls: Server, found: Diagnostic, document: Document) -> lsp.Diagnostic:
    sources = document.study.checked.sources
    lines = [found.message, *found.notes, *([f"help: {found.help}"] if found.help else [])]
    return lsp.Diagnostic(
        ls.range(found.span, sources[found.path]),
        "\n".join(lines),
        severity=SEVERITIES[found.severity],
        code=found.code,
        source="evallang",
        related_information=[
            lsp.DiagnosticRelatedInformation(
                lsp.Location(
                    ls.uri_of(document, related.span.path),
                    ls.range(related.span, sources[related.span.path]),
                ),
                related.words,
            )
            for related in found.related
        ],
    )


@server.feature(
    lsp.TEXT_DOCUMENT_CODE_ACTION,
    lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll]),
)
def code_action(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    """Offer the fixes of what was found in a range, and all safe fixes of the file at once."""
    uri = params.text_document.uri
    if uri not in ls.open:
        return None
    document, path = ls.whole(uri)
    start, end = ls.offset(uri, params.range.start), ls.offset(uri, params.range.end)
    made = []
    for found in _findings(document, path):
        span = found.span or document.study.checked.sources[path].whole_line(0)
        if span.start <= end and start <= span.end:
            made += [
                lsp.CodeAction(
                    fix.title,
                    kind=lsp.CodeActionKind.QuickFix,
                    diagnostics=[_diagnostic(ls, found, document)],
                    is_preferred=fix.safe,
                    edit=ls.edits(fix.edits, document),
                )
                for fix in found.fixes
            ]
    before = document.study.checked.sources[path].text
    text, titles = apply_safe_fixes(
        before, path, lambda text: document.check_with(path, text).diagnostics
    )
    if titles:
        whole = Edit(Span(path, 0, len(before)), text)
        made.append(
            lsp.CodeAction(
                f"apply all {len(titles)} safe fixes" if len(titles) > 1 else "apply the safe fix",
                kind=lsp.CodeActionKind.SourceFixAll,
                edit=ls.edits([whole], document),
            )
        )
    wanted = params.context.only
    return [
        action for action in made if not wanted or any(_is_a(action.kind, kind) for kind in wanted)
    ]


def _is_a(kind: str | None, wanted: str) -> bool:
    """Return whether a kind of actions is another one or a part of it."""
    return kind is not None and (kind + ".").startswith(wanted + ".")


@server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
def formatting(ls: Server, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
    """Format a study as `evallang fmt` does."""
    document = ls.open.get(params.text_document.uri)
    if document is None:
        return None
    source = document.source
    parsed = document.study.checked.gathered.parsed[source.path]
    text = source.text if parsed.refused else format_parsed(source, parsed, waivers.canonical)
    if text == source.text:
        return []
    return [lsp.TextEdit(ls.range(Span(source.path, 0, len(source.text)), source), text)]


# --- the words at a place ---------------------------------------------------------------


@server.feature(
    lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=list(" (=|,"))
)
def completion(ls: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem] | None:
    """Offer the words that may follow at a place."""
    uri = params.text_document.uri
    if uri not in ls.open:
        return None
    found = completions(*ls.whole(uri), ls.offset(uri, params.position))
    return [
        lsp.CompletionItem(
            item.text,
            kind=COMPLETION_KINDS.get(item.kind, lsp.CompletionItemKind.Function),
            detail=item.kind,
            documentation=item.summary or None,
            sort_text=f"{number:05}",
        )
        for number, item in enumerate(found)
    ]


@server.feature(lsp.TEXT_DOCUMENT_HOVER)
def hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    """Explain the word at a place."""
    uri = params.text_document.uri
    if uri not in ls.open:
        return None
    document, offset = ls.open[uri], ls.offset(uri, params.position)
    word, named = document.word_at(offset), _named(ls, uri, params.position)
    if word is None:
        return None
    whole, path = ls.whole(uri)
    protocols = (
        protocol_page(node, offset)
        for node in whole.study.checked.gathered.statements
        if isinstance(node, ProtocolNode) and node.span.path == path
    )
    text = next(filter(None, protocols), "") or page(word.text)
    if named is not None:
        whole, places, one = named
        text = "\n\n".join(
            declaration(whole.study.checked.sources[p.span.path], p.span)
            for p in same(places, one)
            if p.declares
        )
    if not text:
        return None
    span = Span(document.study.path, word.start, word.end)
    shown = lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
    return lsp.Hover(shown, ls.range(span, document.source))


@server.feature(
    lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=list("(,"))
)
def signature_help(ls: Server, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
    """Show what a class or a method takes while its arguments are written."""
    uri = params.text_document.uri
    if uri not in ls.open:
        return None
    found = signature(ls.open[uri].text, ls.offset(uri, params.position))
    if found is None:
        return None
    shown = [lsp.ParameterInformation(p.name, p.default) for p in found.parameters]
    label = f"{found.name}({', '.join(p.name for p in found.parameters)})"
    return lsp.SignatureHelp(
        [lsp.SignatureInformation(label, parameters=shown)], 0, active_parameter=found.active
    )


# --- names ------------------------------------------------------------------------------


def _named(
    ls: Server, uri: str, position: lsp.Position
) -> tuple[Document, tuple[Occurrence, ...], Occurrence] | None:
    """Return the study around a place, its names, and the one at the place."""
    if uri not in ls.open:
        return None
    document, path = ls.whole(uri)
    places = occurrences(document.study.checked.gathered.statements)
    one = name_at(places, path, ls.offset(uri, position))
    return None if one is None else (document, places, one)


def _location(ls: Server, document: Document, span: Span) -> lsp.Location:
    source = document.study.checked.sources[span.path]
    return lsp.Location(ls.uri_of(document, span.path), ls.range(span, source))


@server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
def definition(ls: Server, params: lsp.DefinitionParams) -> list[lsp.Location] | None:
    """Find where a name is declared, or the file that a line includes."""
    named = _named(ls, params.text_document.uri, params.position)
    if named is not None:
        document, places, one = named
        return [_location(ls, document, p.span) for p in same(places, one) if p.declares]
    uri = params.text_document.uri
    if uri not in ls.open:
        return None
    document, path = ls.whole(uri)
    offset = ls.offset(uri, params.position)
    for node in document.study.checked.gathered.statements:
        span = node.span
        if isinstance(node, IncludeNode) and span.path == path and span.start <= offset <= span.end:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), node.path.value))
            if target in document.study.checked.sources:
                return [_location(ls, document, Span(target, 0, 0))]
    return None


@server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
def references(ls: Server, params: lsp.ReferenceParams) -> list[lsp.Location] | None:
    """Find every place where a name is written."""
    named = _named(ls, params.text_document.uri, params.position)
    if named is None:
        return None
    document, places, one = named
    wanted = (p for p in same(places, one) if params.context.include_declaration or not p.declares)
    return [_location(ls, document, place.span) for place in wanted]


@server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
def prepare_rename(ls: Server, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    """Return the range of a name that can be renamed."""
    named = _named(ls, params.text_document.uri, params.position)
    return None if named is None else _location(ls, named[0], named[2].span).range


@server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
def rename(ls: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    """Rename what a study declares, wherever it is written."""
    named = _named(ls, params.text_document.uri, params.position)
    if named is None:
        return None
    document, places, one = named
    try:
        return ls.edits(renaming(places, one, params.new_name), document)
    except ValueError as error:
        raise JsonRpcInvalidParams(str(error)) from None


# --- the parts of a study ---------------------------------------------------------------


@server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
def inlay_hint(ls: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint] | None:
    """Show the defaults that apply, and how many fits a protocol asks for."""
    uri = params.text_document.uri
    if uri not in ls.open:
        return None
    document, path = ls.whole(uri)
    start, end = ls.offset(uri, params.range.start), ls.offset(uri, params.range.end)
    source = document.study.checked.sources[path]
    return [
        lsp.InlayHint(ls.range(hint.place, source).end, hint.text, padding_left=True)
        for hint in hints(document.study.checked, path)
        if start <= hint.place.end <= end
    ]


@server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def document_symbol(
    ls: Server, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol] | None:
    """List the statements of a study with their clauses."""
    document = ls.open.get(params.text_document.uri)
    return None if document is None else [_symbol(ls, s, document) for s in _sections(document)]


def _sections(document: Document) -> tuple[Section, ...]:
    parsed = document.study.checked.gathered.parsed[document.study.path]
    return outline(parsed.study, document.source)


def _symbol(ls: Server, section: Section, document: Document) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        section.title,
        SYMBOL_KINDS.get(section.word, lsp.SymbolKind.Property),
        ls.range(section.span, document.source),
        ls.range(section.title_span, document.source),
        detail=section.word,
        children=[_symbol(ls, clause, document) for clause in section.clauses],
    )


@server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
def folding_range(ls: Server, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange] | None:
    """Fold statements of several lines."""
    document = ls.open.get(params.text_document.uri)
    if document is None:
        return None
    lines = [
        (source.position(s.span.start).line - 1, source.position(s.span.end).line - 1)
        for source in [document.source]
        for s in _sections(document)
    ]
    return [lsp.FoldingRange(first, last) for first, last in lines if last > first]


# --- commands ---------------------------------------------------------------------------


@server.thread()
@server.command("evallang.plan")
def plan(ls: Server, uri: str) -> str:
    """Return what `evallang plan` prints of a saved study."""
    return _called(uri, "plan")[1]


@server.thread()
@server.command("evallang.run")
def run(ls: Server, uri: str) -> str:
    """Run a saved study, tell how it ended, and return what `evallang run` printed."""
    code, text = _called(uri, "run")
    kind = lsp.MessageType.Error if code else lsp.MessageType.Info
    last = text.strip().splitlines()[-1:] or ["the study was run"]
    ls.window_show_message(lsp.ShowMessageParams(kind, last[0]))
    return text


@server.command("evallang.openReport")
async def open_report(ls: Server, uri: str) -> bool:
    """Open the report of a study; tell where none is."""
    document = ls.open.get(uri)
    if document is None:
        return False
    folder = document.study.results_folder
    reports = [folder / f"report.{ending}" for ending in ("html", "pdf")]
    report = next((path for path in reports if path.is_file()), None)
    if report is None:
        text = f"{folder} has no report: run the study"
        ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, text))
        return False
    shown = await ls.window_show_document_async(
        lsp.ShowDocumentParams(report.as_uri(), external=True)
    )
    return shown.success


def _called(uri: str, command: str) -> tuple[int, str]:
    """Call a command for the file at an address; return its exit code and what it printed."""
    path = Path(uris.to_fs_path(uri) or "")
    if not path.name:
        return 1, "save the study first"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "evallang", command, path.name],
        cwd=path.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout
