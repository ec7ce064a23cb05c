"""Every code has its golden file: many cases, and below each what is said of it.

`tests/messages/codes/E120.eval` is read as `written_cases` says, its signs behind `# `: a case
is a title after `# ===`, a study, its files after `# ---`. The lines after `#>` are what a check
says of it (of a code about data, and after `! read`, a check with the data; of one about results,
the report of a run), and the codes of what is said beside it. The first case of a code holds the
whole text, the others the short form of `short_form`. `UPDATE_MESSAGES=1` writes them anew; read
the diff.
"""

import os
import re
from functools import cache
from pathlib import Path

import pytest
from short_form import short, short_caution
from studies import codes_told
from written_cases import Case, plain as words_of, said

from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES, Phase
from evallang.diagnostics.text import to_text

FOLDER = Path(__file__).parents[1] / "messages" / "codes"
FILES = sorted(FOLDER.glob("*.eval"))
LEAST = 4  # cases of a code
load_codes()


@cache
def cases(path):
    """Give the title, the text and the answer of each case of a golden file."""
    found = []
    with path.open(encoding="utf-8", newline="") as file:
        blocks = re.split(r"(?m)^# === ", file.read())
    assert blocks[0] == "", f"{path.name} begins with a case"
    for block in blocks[1:]:
        title, _, body = block.partition("\n")
        text, _, answer = body.partition("#> ")
        found.append((title, text, "#> " + answer))
    return found


def plain(text):
    """Take the signs out of the comments that hold them, and the files of a case."""
    text = re.sub(r"(?m)^# (! .*)$", r"\1", text)
    study, *files = re.split(r"(?m)^# --- ", text)
    files = [re.sub(r"(?m)^# ?", "", file) for file in files]
    return "--- ".join([study, *files])


def checked_in(folder, code, text, monkeypatch):
    """Check a case in a new folder; give what is found, and its sources."""
    folder.mkdir()
    with monkeypatch.context() as arranged:
        case = Case(text, folder, arranged)
        of_data = code[1] in "46" and CODES[code].phase is not Phase.ADVICE
        found = case.diagnostics() if of_data or case.reads else case.opened.diagnostics
    return found, case.opened.checked.sources


_CHECKED = {}


def checked_case(path, number, folder, monkeypatch):
    """Check a case of a golden file, once in a process: the tests of helps begin with the same."""
    if (path, number) not in _CHECKED:
        text = plain(cases(path)[number][1])
        _CHECKED[path, number] = checked_in(folder, path.stem, text, monkeypatch)
    return _CHECKED[path, number]


def _short_caution(caution):
    return short_caution(caution, words_of(caution.body)).rstrip()


def answered(path, number, folder, monkeypatch):
    """Give the codes that a case raises, and what is said of it as lines of a golden file."""
    code, whole = path.stem, number == 0
    if code[1] == "5":
        folder.mkdir()
        with monkeypatch.context() as arranged:
            case = Case(plain(cases(path)[number][1]), folder, arranged)
            told = [caution for caution in case.cautions() if caution.code == code]
        codes = [caution.code for caution in told]
        shown = "\n".join(map(said, told) if whole else map(_short_caution, told))
    else:
        found, sources = checked_case(path, number, folder, monkeypatch)
        codes = codes_told(found)
        meant = [d for d in found if code in codes_told([d])]
        shown = to_text(meant, sources) if whole else "".join(short(d, sources) for d in meant)
        if beside := codes_told(d for d in found if d not in meant):
            shown += f"beside it: {', '.join(beside)}"
    return codes, "".join(f"#> {line}".rstrip() + "\n" for line in shown.rstrip().split("\n"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_said_of_a_code_reads_as_agreed(path, tmp_path, monkeypatch):
    code = path.stem
    written = []
    read = cases(path)
    for number, (title, text, _) in enumerate(read):
        raised, shown = answered(path, number, tmp_path / str(number), monkeypatch)
        assert code in raised, f"{title}: {raised}"
        written.append(f"# === {title}\n{text}{shown}")
    if os.environ.get("UPDATE_MESSAGES"):
        path.write_text("".join(written), encoding="utf-8", newline="")
    with path.open(encoding="utf-8", newline="") as file:
        assert "".join(written) == file.read()
    assert len({title for title, _, _ in read}) == len({text for _, text, _ in read}) == len(read)
    assert len(read) >= LEAST


def test_every_code_has_its_golden_file():
    assert {path.stem for path in FILES} == set(CODES)
