"""A study that is open in a client of the language server."""

from pathlib import Path

from lsprotocol import types as lsp


class Editor:
    """A file that is open in the client."""

    def __init__(
        self, client, folder: Path, text: str, name: str = "wines.eval", *, uri: str | None = None
    ):
        self.client, self.text, self.version = client, text, 1
        self.uri = uri or (folder / name).as_uri()
        self.id = lsp.TextDocumentIdentifier(self.uri)
        client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(self.uri, "evallang", 1, text))
        )

    def at(self, words: str, inside: int = 0) -> lsp.Position:
        """Return the position of words in the text, and of a character inside them."""
        before = self.text[: self.text.index(words) + inside]
        return lsp.Position(before.count("\n"), len(before) - before.rfind("\n") - 1)

    def replace(self, old: str, new: str) -> None:
        """Edit the text as an editor tells it: by the whole text."""
        self.text = self.text.replace(old, new, 1)
        self.version += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(self.version, self.uri),
                [lsp.TextDocumentContentChangeWholeDocument(self.text)],
            )
        )

    async def found(self) -> list[lsp.Diagnostic]:
        """Wait for the findings of the last edit."""
        await self.client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return list(self.client.diagnostics[self.uri])
