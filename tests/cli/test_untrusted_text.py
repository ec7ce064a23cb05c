"""Text from data, files, names and options forges no line and moves no cursor, anywhere."""

import ast
import itertools
import json
import os
import re
import subprocess
import sys
import threading
import time
import unicodedata
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from calling import call, cli
from hypothesis import HealthCheck, given, settings, strategies as st

import evallang
from evallang.printable import printable, printable_json, printable_line

CONTROLS = "".join(map(chr, [*range(32), 127, *range(0x80, 0xA0)]))
DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
OTHERS = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u2028\u2029\ufffe\uffff\ue000\U000e0041\u3164\u034f"
ATTACKS = (
    "x\nPASS forged\r\nFAIL forged\n::error::forged\n ::set-output name=a::forged",
    "::error::forged",
    "x ##[error]forged ##vso[task.complete]forged",
    "\x1b[2K\x1b]8;;http://forged\x07link\x1b]8;;\x07\x9b31m\x08\x08",
    "a%0A::error::forged%0D, b: c",
    DIRECTIONS + OTHERS,
    CONTROLS,
)
HOSTILE = st.sampled_from(ATTACKS) | st.text(
    st.sampled_from(CONTROLS + DIRECTIONS + OTHERS + "a:#[\"',%\\"), min_size=1, max_size=30
)


def forged(output: bytes) -> list[str]:
    """List the lines of an output that show what was not meant to be shown."""
    text = output.decode("utf-8")
    return [
        line
        for line in text.split("\n")
        if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn", "Co") for c in line)
        or re.match(r"\s*::(set-output|error::forged)|(PASS|FAIL) forged", line)
        or re.search(r"##\w*\[", line)
    ]


# --- one function ------------------------------------------------------------------------------


@given(HOSTILE | st.text(st.characters()))
def test_what_is_printable_is_one_visible_line_and_stays_as_it_is(text):
    shown = printable_line(text)
    assert not forged(shown.encode("utf-8"))
    assert printable_line(shown) == shown


@pytest.mark.parametrize(
    "text", ["Größe", "naïve café", "数据", "שלום", "مرحبا", "é́", "🙂", "x::y #[a]"]
)
def test_letters_of_every_script_stay(text):
    assert printable(text) == printable_line(text) == text


@given(st.dictionaries(HOSTILE, HOSTILE | st.text() | st.none() | st.integers()))
def test_json_is_visible_and_says_the_same(document):
    text = printable_json(document, indent=1)
    assert not forged(text.encode("utf-8"))
    assert json.loads(text) == document


# --- one writer --------------------------------------------------------------------------------

WRITER = Path("cli/terminal.py")


MAY_WRITE = re.compile(r"\bprint\(|pprint|print_exc|click\.|\.show\b|sys\.")
"""Words of which one is in each call that `writes` lists: most modules have none."""


def writes(tree: ast.AST) -> list[str]:
    """List what writes to a terminal: print, click.echo, the standard streams, a shown error."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in ("print", "traceback.print_exc") or name.startswith("pprint"):
                found.append(name)
            if re.fullmatch(r"click\.(echo\w*|secho|style)|error\.show|other\.show", name):
                found.append(name)
        if isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            if re.match(r"sys\.(__)?std(out|err)(__)?\.(write|buffer|flush|writelines)", name):
                found.append(name)
    return found


def test_no_module_writes_around_the_writer():
    root = Path(evallang.__file__).parent
    found = {
        str(place): names
        for file in root.rglob("*.py")
        if (place := file.relative_to(root)) != WRITER
        and MAY_WRITE.search(text := file.read_text(encoding="utf-8"))
        and (names := writes(ast.parse(text)))
    }  # fmt: skip
    assert found == {}
    assert writes(ast.parse("print(1); click.echo(2); sys.stdout.write('x')")) != []


# --- every command and format ------------------------------------------------------------------


def formats(command: click.Command) -> list[str | None]:
    """List the formats of a command: those of its option, those of its report, or none."""
    for option in command.params:
        if option.name == "layout":
            assert isinstance(option.type, click.Choice)
            return list(option.type.choices)
        if option.name == "formats":
            return ["html"]
    return [None]


def commands() -> list[tuple[str, str | None]]:
    context = click.Context(cli.root)
    names = cli.root.list_commands(context)
    return [(n, f) for n in names for f in formats(cli.root.get_command(context, n))]


def quoted(text: str) -> str:
    """Write a text as a study does, with what its strings cannot hold left out."""
    kept = "".join(c for c in text if c not in "\0\n\r" and not "\ud800" <= c <= "\udfff")
    return '"' + kept.replace("\\", "\\\\").replace('"', '\\"') + '"'


def cell(text: str) -> str:
    return '"' + text.replace('"', '""').replace("\0", "") + '"'


def filed(text: str) -> str:
    return "".join(c for c in text if c not in "\0/\ud800")[:40] or "x"


def written(folder: Path, text: str) -> Path:
    """Write a study of given labels in which the text stands wherever text of others may."""
    data = folder / f"{filed(text)}.csv"
    rows = "".join(f"{i},{cell(text) if i % 2 else 'b'},{'b' if i % 3 else cell(text)}\n"
                   for i in range(24))  # fmt: skip
    data.write_bytes(f"id,truth,{cell(text)}\n{rows}".encode())
    study = folder / f"{filed(text)}.eval"
    study.write_bytes(
        f"evallang 1\nstudy {quoted(text)}\n  seed 1\nlet level = 2\n"
        f"predictions answers {quoted(text)} from {quoted(data.name)}\n  truth truth\n  id id\n"
        f"  models m {quoted(text)} as {quoted(text)}\n  unit {quoted(text)}\n"
        f"measure accuracy, fbeta(beta=level)\n"
        f"require accuracy of m >= 40% # {text.splitlines()[0]}\n".encode("utf-8", "surrogatepass")
    )
    return study


def results(folder: Path, text: str) -> Path:
    """Write results in which every text that names something is this one."""
    document = json.loads(RECORD)
    document["study"]["title"] = text
    for part in ("models", "data"):
        for record in document[part]:
            record["label"] = text
    (folder / "done").mkdir(exist_ok=True)
    (folder / "done" / "results.json").write_text(json.dumps(document), encoding="utf-8")
    return folder / "done"


def words(name: str, layout: str | None, folder: Path, text: str) -> list[list[str]]:
    """Call a command on hostile files, and with hostile words in place of what it expects."""
    argument = text.replace("\0", "") or "x"
    study = written(folder, text)
    options = [] if layout is None else ["--format", layout]
    if name == "list":
        return [[name, "tests", *options], [name, argument, *options]]
    if name == "report":
        return [
            [name, str(results(folder, text)), *options],
            [name, argument],
            [name, "--format", argument, "x"],
        ]
    if name == "demo":
        return [[name, argument], [name, "-j", argument]]
    if name == "fmt":
        return [[name, "--check", str(study)], [name, "--diff", str(study)], [name, argument]]
    calls = [
        [name, str(study), *options],
        [name, argument, *options],
        [name, str(study), f"--{argument}"],
    ]
    parameters = {p.name for p in cli.root.get_command(click.Context(cli.root), name).params}
    if "settings" in parameters:
        calls += [[name, str(study), *options, "--set", f"level={argument}"],
                  [name, str(study), *options, "--set", argument]]  # fmt: skip
    return calls


@pytest.fixture(scope="module", autouse=True)
def record(tmp_path_factory):
    """Run a small study once, whose results are then changed."""
    global RECORD
    from studies import study

    from evallang.api import run

    folder = tmp_path_factory.mktemp("record")
    made = study(written(folder, "plain").read_text(), folder)
    run(made, out=folder / "out")
    RECORD = (folder / "out" / "results.json").read_text(encoding="utf-8")


RECORD = ""
SLOW = ("run", "report")


@pytest.fixture
def interrupted_watch(monkeypatch):
    """Interrupt `watch` at every third pause; let its check of the data end before."""
    pauses = itertools.count(1)

    def pause(_):
        for thread in threading.enumerate():
            if thread.name == "data":
                thread.join()
        if next(pauses) % 3 == 0:
            raise KeyboardInterrupt

    clock = SimpleNamespace(sleep=pause, strftime=time.strftime)
    monkeypatch.setattr("evallang.cli.watch.time", clock)


@pytest.mark.usefixtures("interrupted_watch")
@pytest.mark.parametrize(("name", "layout"), commands())
def test_no_command_shows_what_was_not_meant_to_be_shown(name, layout, tmp_path_factory):
    checks = settings(
        max_examples=2, deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip

    def check(text):
        folder = tmp_path_factory.mktemp("hostile")
        for arguments in words(name, layout, folder, text):
            done = call(*arguments, folder=folder)
            assert forged(done.out) == [], arguments
            assert forged(done.err) == [], arguments
            assert b"this is a bug" not in done.err, done.err
            assert done.returncode in ((2, 130) if name == "watch" else (0, 1, 2, 3, 4, 5))
            if done.out and layout in ("json", "gitlab", "sarif"):
                json.loads(done.out)

    checks(given(HOSTILE)(check))()
    first = next(form for known, form in commands() if known == name)
    for text in ATTACKS if layout == first and name not in SLOW else ATTACKS[:3]:
        check(text)


def test_a_failed_fit_of_own_code_is_one_line(tmp_path):
    (tmp_path / "own_forger.py").write_text(
        "class Forger:\n    def fit(self, X, y):\n"
        "        raise type('E\\nPASS forged', (Exception,), {})('x\\n::error::forged\\x1b[2K')\n"
        "    def predict(self, X): pass\n"
    )
    (tmp_path / "study.eval").write_text(
        'evallang 1\nuse own_forger\nstudy "s"\n  seed 1\ndata iris from sklearn iris\n'
        "model own = own_forger.Forger\nprotocol cv folds=2\nmeasure accuracy\nreport html\n"
    )
    done = call("run", "study.eval", "--trust", "-j", "1", folder=tmp_path)
    assert done.returncode == 3
    assert "(own, fold 1): E\\nPASS forged: x ::error::forged\\x1b[2K" in done.stderr
    assert (forged(done.out), forged(done.err)) == ([], [])


FORGER = """\
import sys
print("PASS forged on import")
class Forger:
    classes_ = [0, 1, 2]
    def fit(self, X, y):
        print("::error::forged")
        print("##[error]forged\\x1b[2K")
        print("half", end="\\rPASS forged\\r\\n")
        sys.stdout.buffer.write(b"PASS forged by bytes \\xff\\n::error::forged\\n")
        return self
    def predict(self, X):
        return [0] * len(X)
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_own_code_prints_forges_no_line(tmp_path, jobs):
    (tmp_path / "own_forger.py").write_text(FORGER)
    (tmp_path / "study.eval").write_text(
        'evallang 1\nuse own_forger\nstudy "s"\n  seed 1\ndata iris from sklearn iris\n'
        "model own = own_forger.Forger\nprotocol cv folds=2\nmeasure accuracy\nreport csv\n"
    )
    words = [sys.executable, "-m", "evallang", "run", "study.eval", "--trust", "-j", jobs]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (forged(done.stdout), forged(done.stderr)) == ([], [])
    shown = done.stderr.decode().splitlines()
    assert "own: ::error::forged" in shown
    assert "own: half\\rPASS forged" in shown
    assert "own: PASS forged by bytes \\xff" in shown


# --- streams that are closed -------------------------------------------------------------------

WHOLE = (
    ">&- 2>&- <&-",
    "2>&1 | head -c 1",
    "> /dev/full",
    "2> /dev/full",
)
CALLS = [
    *(("check plain.eval", how) for how in WHOLE),
    ("run plain.eval --format csv", ">&- 2>&- <&-"),
    ("run plain.eval --format csv", "> /dev/full"),
    ("list tests", "| head -c 1"),
    ("report done --format html", "> /dev/full"),
    ("show done", "2>&1 | head -c 1"),
    ("fmt --diff plain.eval", ">&-"),
]


def ready(folder):
    """Write what commands on closed streams are called on."""
    written(folder, "plain")
    (folder / "done").mkdir()
    (folder / "done" / "results.json").write_text(RECORD)


def objections(folder, said, code, codes):
    """List what a command on closed streams should not have done."""
    shown = [word for word in (b"bug", b"Traceback", b"Exception") if word in said]
    logs = [log.name for log in folder.glob("evallang-bug*")]
    return [*shown, *logs, *([] if code in codes else [code])]


@pytest.mark.parametrize(("words", "how"), CALLS)
def test_no_closed_stream_is_a_bug(words, how, tmp_path):
    ready(tmp_path)
    command = f"{sys.executable} -m evallang {words} {how}"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=tmp_path, capture_output=True, check=False, env=environment,
    )  # fmt: skip
    said = done.stdout + done.stderr
    codes = (0, 3) if how == "> /dev/full" else (0, 1, 4, 5)
    assert objections(tmp_path, said, done.returncode, codes) == [], said


@pytest.mark.parametrize("name", ["check", "data", "plan", "run", "power"])
def test_a_nul_in_the_name_of_an_included_file_is_a_finding(name, tmp_path):
    (tmp_path / "study.eval").write_bytes(b'evallang 1\ninclude "a\0b.eval"\nstudy "x"\n')
    done = call(name, "study.eval", folder=tmp_path)
    assert done.returncode == 1
    assert "error[E003]" in done.stderr
