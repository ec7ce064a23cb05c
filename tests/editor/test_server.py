"""The language server as an editor meets it: the real process, over its pipes."""

import sys
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient

STUDY = """\
evallang 1

study "Which model sorts wines?"
  seed 1

data wine from sklearn wine

model linear = StandardScaler | LogisticRegression
model nearest = KNeighborsClassifier
model baseline = DummyClassifier

protocol repeated cv folds=10 times=10
measure accuracy, f1(average=macro)
compare linear vs nearest with corrected_t
"""


@pytest_lsp.fixture(config=ClientServerConfig([sys.executable, "-m", "evallang", "lsp"]))
async def client(lsp_client: LanguageClient):
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities=pytest_lsp.client_capabilities("visual-studio-code"))
    )
    yield
    await lsp_client.shutdown_session()


class Editor:
    """A file that is open in the client."""

    def __init__(self, client, folder: Path, text: str, name: str = "wines.eval"):
        self.client, self.text, self.version = client, text, 1
        self.uri = (folder / name).as_uri()
        self.id = lsp.TextDocumentIdentifier(self.uri)
        client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(self.uri, "evallang", 1, text))
        )

    def at(self, words: str, inside: int = 0) -> lsp.Position:
        """Return the position of words in the text, and of a character inside them."""
        before = self.text[: self.text.index(words) + inside]
        return lsp.Position(before.count("\n"), len(before) - before.rfind("\n") - 1)

    def replace(self, old: str, new: str) -> None:
        """Edit the text as an editor tells it: by the range that changes."""
        place = lsp.Range(self.at(old), self.at(old, len(old)))
        self.text = self.text.replace(old, new, 1)
        self.version += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(self.version, self.uri),
                [lsp.TextDocumentContentChangePartial(place, new)],
            )
        )

    async def found(self) -> list[lsp.Diagnostic]:
        """Wait for the findings of the last edit."""
        await self.client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return list(self.client.diagnostics[self.uri])


@pytest.mark.asyncio
async def test_a_misspelt_metric_is_underlined_and_its_fix_mends_it(client, tmp_path):
    editor = Editor(client, tmp_path, STUDY)
    assert await editor.found() == []
    editor.replace("measure accuracy", "measure acuracy")
    (found,) = await editor.found()
    assert (found.range.start, found.range.end) == (editor.at("acuracy"), editor.at("acuracy", 7))
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(editor.id, found.range, lsp.CodeActionContext([found]))
    )
    quick = [a for a in actions if a.kind == lsp.CodeActionKind.QuickFix]
    (edit,) = quick[0].edit.changes[editor.uri]
    assert edit.new_text == "accuracy"
    editor.replace("acuracy", edit.new_text)
    assert await editor.found() == []
