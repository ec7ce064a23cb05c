"""Random edits of the examples, in the real process: the server answers after each of them."""

import random
from pathlib import Path

import pytest
from editing import Editor
from lsprotocol import types as lsp

EXAMPLES = sorted(Path("examples").glob("*.eval"))[::3]
EDITS = -(-10_000 // len(EXAMPLES))
PIECES = (
    *(
        "",
        "",
        "x",
        " ",
        "\n",
        "\n  ",
        '"',
        "(",
        ")",
        "[",
        "]",
        "{",
        "|",
        "=",
        ",",
        "#",
        "..",
        "1e-3",
    ),
    *("model ", "compare ", "with ", "measure ", "é", "𝒲", "\t", "\r\n", "\0", "9" * 50, "%"),
)
REQUESTS = {
    lsp.TEXT_DOCUMENT_COMPLETION: lsp.CompletionParams,
    lsp.TEXT_DOCUMENT_HOVER: lsp.HoverParams,
    lsp.TEXT_DOCUMENT_SIGNATURE_HELP: lsp.SignatureHelpParams,
    lsp.TEXT_DOCUMENT_DEFINITION: lsp.DefinitionParams,
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: lsp.PrepareRenameParams,
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: lsp.DocumentSymbolParams,
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: lsp.FoldingRangeParams,
}


def position(text: str, offset: int) -> lsp.Position:
    """Return a position in the units of the protocol: those of UTF-16."""
    before = text[:offset]
    line = before[before.rfind("\n") + 1 :]
    return lsp.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
async def test_the_server_outlives_random_edits(client, tmp_path, path):
    original, draw = path.read_text(encoding="utf-8"), random.Random(path.stem)
    editor = Editor(client, tmp_path, original)
    text = original
    for number in range(1, EDITS + 1):
        start = draw.randrange(len(text) + 1)
        end = min(len(text), start + draw.choice([0, 0, 0, 1, 3, 20, 200]))
        new = draw.choice(PIECES) if draw.random() < 0.8 else original[start:end]
        text = text[:start] + new + text[end:]
        client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(number + 1, editor.uri),
                [lsp.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        if number % 40 == 0:
            at = position(text, draw.randrange(len(text) + 1))
            for method, params in REQUESTS.items():
                made = {"position": at} if "position" in params.__annotations__ else {}
                await client.protocol.send_request_async(
                    method, params(text_document=editor.id, **made)
                )
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(EDITS + 2, editor.uri),
            [lsp.TextDocumentContentChangeWholeDocument(original)],
        )
    )
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(editor.id))
    assert symbols[0].detail == "evallang"
    assert not [m for m in client.log_messages if m.type == lsp.MessageType.Error]
    assert not client.messages
