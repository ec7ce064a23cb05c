"""Output of own code: whole lines on stderr, after the name of the model."""

import io
import os
import sys

import pytest

from evallang.user_code import _Named, _ToStderr, speaking


def written(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def test_a_line_is_printed_at_its_end_and_bears_the_name(monkeypatch):
    said = written(monkeypatch)
    out = _ToStderr()
    monkeypatch.setattr(sys, "stdout", out)
    with speaking("svm"):
        print("first", end="")
        assert said.getvalue() == ""
        print(" line\r\nsecond", end="")
        assert said.getvalue() == "svm: first line\n"
    assert said.getvalue() == "svm: first line\nsvm: second\n"
    assert out.writable()
    assert out.encoding == "utf-8"


@pytest.mark.parametrize(("term", "first"), [("xterm", "\r\x1b[K"), ("dumb", "")])
def test_a_line_on_a_terminal_replaces_that_of_the_progress(monkeypatch, term, first):
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys, "stdout", _ToStderr())
    with speaking("mean"):
        print("one")
    assert stream.getvalue() == f"{first}mean: one\n"


def test_bytes_are_decoded_and_without_stderr_nothing_fails(monkeypatch):
    said = written(monkeypatch)
    out = _ToStderr()
    assert out.buffer.writable()
    assert out.buffer.write("é\n".encode()) == 3
    assert said.getvalue() == "output: é\n"
    monkeypatch.setattr(sys, "stderr", None)
    out.write("lost\n")


def test_a_line_that_cannot_be_written_costs_no_fit(monkeypatch):
    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

        def flush(self):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", _Named(Gone()))
    monkeypatch.setattr(sys, "stdout", _ToStderr())
    with speaking("svm"):
        print("lost", flush=True)
        print("lost", file=sys.stderr, flush=True)
    with pytest.raises(BrokenPipeError):
        print("ours", file=sys.stderr)


def test_lines_of_a_model_on_stderr_bear_its_name_and_others_do_not(monkeypatch):
    said = written(monkeypatch)
    monkeypatch.setattr(sys, "stderr", _Named(said))
    print("ours", file=sys.stderr)
    with speaking("svm"):
        print("PASS forged\x1b[2J", file=sys.stderr)
        sys.stderr.write("10%\r50%\r100%")
        sys.stderr.buffer.write(b"\nbytes")
        assert not sys.stderr.isatty()
    print("ours again", file=sys.stderr, flush=True)
    assert said.getvalue() == (
        "ours\nsvm: PASS forged\\x1b[2J\nsvm: 100%\nsvm: bytes\nours again\n"
    )


def test_code_that_closes_the_descriptors_of_others_ends_no_run(monkeypatch):
    opened = []
    monkeypatch.setattr(
        "evallang.user_code.os.open", lambda *a, f=os.open: opened.append(f(*a)) or opened[0]
    )
    with speaking("svm"):
        os.close(opened[0])
