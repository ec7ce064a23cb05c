"""How long does the language server take for one edit of a study of 500 lines?

Opens a study of all kinds of statements in the real process, types letters into a line in its
middle, and waits each time for what the server finds. Reports the median from the change to the
findings.

    python -m benchmarks.editor
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks._processes import compile_as_installed
from benchmarks._rows import Kind, Row, report
from benchmarks.long_studies import SHORT, statements, text

LIMIT = 0.05
EDITS = 40
URI = "file:///study.eval"


class Client:
    """The other end of the pipes: one message at a time."""

    def __init__(self) -> None:
        command = (str(Path(sys.executable).with_name("evallang")), "lsp")
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, method: str, params: Any, **more: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        assert self.server.stdin is not None
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.server.stdin.flush()

    def wait(self, method: str | None = None) -> dict[str, Any]:
        """Wait for a notification, or for the answer of a request."""
        assert self.server.stdout is not None
        while True:
            length = 0
            while line := self.server.stdout.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            found: dict[str, Any] = json.loads(self.server.stdout.read(length))
            if found.get("method") == method:
                return found


def main() -> None:
    compile_as_installed()
    client, lines = Client(), text(statements, SHORT)
    client.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, id=1)
    client.wait()
    client.send("initialized", {})
    shown = {"uri": URI, "languageId": "evallang", "version": 1, "text": lines}
    client.send("textDocument/didOpen", {"textDocument": shown})
    client.wait("textDocument/publishDiagnostics")
    times = []
    for number in range(EDITS):
        place = {"line": SHORT // 2, "character": 0}
        letter = "#" if number == 0 else "x"
        changes = [{"range": {"start": place, "end": place}, "text": letter}]
        if number:
            place["character"] = 1
        version = {"uri": URI, "version": number + 2}
        began = time.perf_counter()
        client.send("textDocument/didChange", {"textDocument": version, "contentChanges": changes})
        client.wait("textDocument/publishDiagnostics")
        times.append(time.perf_counter() - began)
    client.server.kill()
    work = f"one edit in the language server, {SHORT} lines"
    report(Row(work, statistics.median(times), kind=Kind.MOST, limit=LIMIT))


if __name__ == "__main__":
    main()
