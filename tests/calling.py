"""The command line called in the process of the tests: exit code and streams, no new process."""

import io
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

cli = import_module("evallang.cli.main")  # `evallang.cli.main` is the function


class Stream(io.TextIOWrapper):
    """A standard stream whose bytes can be looked at."""

    def __init__(self, content: bytes = b"") -> None:
        super().__init__(
            io.BytesIO(content), encoding="utf-8", newline="\n", errors="backslashreplace"
        )

    def bytes(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    returncode: int
    out: bytes
    err: bytes

    @property
    def stdout(self) -> str:
        return self.out.decode("utf-8")

    @property
    def stderr(self) -> str:
        return self.err.decode("utf-8")


def call(*words: str, folder: Path | str = ".", stdin: str = "", together: bool = False) -> Done:
    """Call the command line as its script does, signals apart.

    With `together`, stderr goes to stdout, as by `2>&1`.
    """
    out = Stream()
    err = out if together else Stream()
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.setattr(sys, "argv", ["evallang", *words])
        patched.setattr(sys, "stdin", Stream(stdin.encode("utf-8")))
        patched.setattr(sys, "stdout", out)
        patched.setattr(sys, "stderr", err)
        patched.setattr(cli.signals, "answer", lambda: None)
        patched.setattr(cli, "_leave_python", sys.exit)
        patched.setattr(cli.atexit, "_run_exitfuncs", lambda: None)
        with pytest.raises(SystemExit) as ended:
            cli.main()
    return Done(int(ended.value.code or 0), out.bytes(), err.bytes())
