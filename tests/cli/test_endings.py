"""However a command ends, it ends with a sentence and an exit code."""

import importlib
import sys
from subprocess import run

import click
import pytest
from many_cases import for_each

from evallang.cli import signals
from evallang.cli.main import root
from evallang.cli.terminal import Failed

command_line = importlib.import_module("evallang.cli.main")  # `evallang.cli.main` is a function


@pytest.fixture
def ended(monkeypatch, capsys, tmp_path):
    """Return the exit code and the words of a command that raises something."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("evallang.models.own_code._LOADED", {})  # other tests import own code
    monkeypatch.setattr(command_line, "leave", lambda stream: None)

    def end(raised, *arguments):
        def fail(**_):
            raise raised

        monkeypatch.setattr(root, "main", fail)
        monkeypatch.setattr("sys.argv", ["evallang", *arguments])
        code = command_line._exit_code()
        return code, capsys.readouterr().err

    return end


@for_each(
    ("raised", "code", "words"),
    [
        (click.exceptions.Exit(7), 7, ""),
        (click.ClickException("no such thing"), 2, "Error: no such thing\n"),
        (Failed("the fits failed"), 3, "Error: the fits failed\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (KeyboardInterrupt("3 of 9 fits are kept"), 130, "interrupted: 3 of 9 fits are kept\n"),
        (click.Abort(), 130, "interrupted\n"),
        (BrokenPipeError(), 0, ""),
        (OSError(28, "No space left on device", "a.html"), 3,
         "Error: the system refused `a.html`: no space left on device\n"),
        (OSError(13, "Permission denied", "a"), 2,
         "Error: the system refused `a`: permission denied\n"),
        (OSError("odd"), 2, "Error: the system refused: odd\n"),
    ],
)  # fmt: skip
def test_what_ends_a_command_is_one_line_and_a_code(ended, raised, code, words):
    assert ended(raised) == (code, words)


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [(15, 143, "terminated\n"), (1, 129, "the terminal was closed\n")],
)
def test_each_signal_has_its_words_and_its_code(ended, monkeypatch, number, code, words):
    monkeypatch.setattr(signals, "FOUND", [number])
    assert ended(KeyboardInterrupt()) == (code, words)


def test_a_bug_is_one_line_with_the_path_of_its_log(ended, tmp_path):
    code, words = ended(ZeroDivisionError("division by zero"))
    assert code == 3
    assert words.startswith("this is a bug in evallang: ZeroDivisionError: division by zero; ")
    (log,) = tmp_path.glob("evallang-bug-*.log")
    assert str(log) in words and "Traceback" in log.read_text()


def test_a_bug_names_own_code_that_may_have_replaced_what_evallang_uses(ended, monkeypatch):
    def no_log(**_):
        raise TypeError("'NoneType' object is not callable")

    monkeypatch.setattr("evallang.models.own_code._LOADED", {"mine": ("", "")})
    monkeypatch.setattr("tempfile.mkstemp", no_log)
    code, words = ended(TypeError("'NoneType' object is not callable"))
    assert code == 3
    assert words.startswith(
        "this is a bug in evallang, unless `mine` replaced what evallang uses: TypeError: "
    )


SIGNALLED = """
import atexit, importlib, os, signal
main = importlib.import_module("evallang.cli.main")
def end(*_):
    os.kill(os.getpid(), signal.SIGTERM)
    os.getpid()  # Python answers before it calls this
{when}
import sys
sys.argv = ["evallang", "--version"]
main.main()
"""


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ("main.signals._start_watching = end", "terminated\n"),
        ("main.close_streams = end", ""),
        ("atexit.register(end)", ""),
    ],
)
def test_a_signal_just_before_or_after_the_command_ends_it_without_a_traceback(when, words):
    done = run([sys.executable, "-c", SIGNALLED.format(when=when)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (143, words)


EARLY = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == "click":
            os.kill(os.getpid(), {number})
            os.getpid()  # Python answers before it calls this
sys.meta_path.insert(0, Finder())
from evallang.cli import start
sys.argv = ["evallang", "--version"]
start()
"""


@pytest.mark.parametrize(("number", "words"), [(2, "interrupted\n")])
def test_a_signal_while_the_command_is_imported_ends_it_with_its_sentence(number, words):
    code = EARLY.format(number=number)
    done = run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", words)


@pytest.mark.parametrize("nohup", [False, True])
def test_a_closed_terminal_ends_a_command_unless_it_is_started_by_nohup(nohup):
    # stated in both cases: the tests themselves may be started by nohup
    before = f"signal.signal(signal.SIGHUP, signal.{'SIG_IGN' if nohup else 'SIG_DFL'})\n"
    when = f"{before}main.signals._start_watching = lambda: os.kill(os.getpid(), signal.SIGHUP)"
    done = run([sys.executable, "-c", SIGNALLED.format(when=when)], capture_output=True, text=True)
    assert (done.returncode, bool(done.stdout)) == ((0, True) if nohup else (129, False))


WAITING = """
import importlib, os, signal, sys, threading
main = importlib.import_module("evallang.cli.main")
def wait():
    signal.siginterrupt({number}, False)  # as polars does for Ctrl-C
    threading.Timer(0.05, os.kill, (os.getpid(), {number})).start()
    try:
        threading.Event().wait()
    finally:
        print("cleaned up")
main._exit_code = wait
main.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "words"), [(15, "terminated\n")])
def test_a_signal_ends_a_wait_that_goes_on_after_its_handler(number, words):
    done = run(
        [sys.executable, "-c", WAITING.format(number=number)], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "cleaned up\n", words)


def test_the_time_in_which_a_signal_ends_a_command_begins_with_the_signal(monkeypatch):
    clock, waits, woken = [100.0], [], []

    class Event:
        def __init__(self, takes):
            self.set_at = clock[0] + takes

        def wait(self, seconds):
            waits.append(seconds)
            clock[0] = min(clock[0] + seconds, max(self.set_at, clock[0]))
            return clock[0] >= self.set_at

    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    monkeypatch.setattr(signals, "_wake_main_thread", woken.append)
    monkeypatch.setattr(signals, "_ANSWERED", Event(0.9))
    monkeypatch.setattr(signals, "ENDED", Event(3.0))
    assert not signals._ends_in_time(15)
    assert (woken, clock[0]) == ([15], 100 + signals.ENDED_WITHIN)
    assert len(waits) == 3
