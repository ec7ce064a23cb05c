"""Traps for a command: modules, programs and settings that leave a mark when they are used."""

import os
import subprocess
import sys
from pathlib import Path

STUDY = """\
evallang 1
study "Planted"
  seed 1
data d from "data/d.csv"
  target y
  positive yes
model trees = HistGradientBoostingClassifier(max_iter=3)
model line = StandardScaler | LogisticRegression
protocol cv folds=3
measure accuracy
compare trees vs line with corrected_t
report csv
"""
DATA = "a,b,y\n" + "".join(
    f"{(7 * i) % 31 / 10},{(11 * i) % 29 / 10},{'yes' if i % 2 else 'no'}\n" for i in range(60)
)

SPY = """\
import os, sys
class Spy:
    def find_spec(self, name, path=None, target=None):
        with open(os.environ["SPIED"], "a") as file:
            file.write(name + "\\n")
sys.meta_path.insert(0, Spy())
"""
"""A `sitecustomize` of the test's own, on PYTHONPATH: it records whatever is looked for."""


Done = subprocess.CompletedProcess[str]


def repository(folder: Path) -> str:
    """Commit every file of a folder to a new repository; returns the commit."""
    from dulwich import porcelain

    repo = porcelain.init(str(folder))
    files = [str(p) for p in folder.rglob("*") if p.is_file() and ".git" not in p.parts]
    porcelain.add(repo, paths=files)
    who = b"A <a@example.org>"
    made = porcelain.commit(repo, message=b"first", author=who, committer=who, sign=False)
    repo.close()
    return bytes(made).decode()


def written(folder: Path) -> Path:
    """Write a study with its data; returns its path."""
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "d.csv").write_text(DATA)
    (folder / "study.eval").write_text(STUDY)
    return folder / "study.eval"


def launchers() -> dict[str, list[str]]:
    """Return the ways to start the command line."""
    script = Path(sys.executable).with_name("evallang")
    return {"script": [str(script)], "module": [sys.executable, "-m", "evallang"]}


def environment(**more: str) -> dict[str, str]:
    """Return an environment without variables that would make Python safe anyway."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "GIT_", "EVALLANG"))}
    return {**kept, "EVALLANG_STORE": "off", **more}


def called(command: list[str], cwd: Path, env: dict[str, str]) -> Done:
    """Run a command to its end."""
    return subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def commands(study: str, out: str) -> list[list[str]]:
    """Return the words of every command, those that start processes among them."""
    return [
        ["check", study],
        ["fmt", "--check", study],
        ["explain", "mcnemar"],
        ["list", "models"],
        ["data", study],
        ["plan", study],
        ["power", study],
        ["run", study, "-j", "2", "-o", out],
        ["report", out, "--format", "html,pdf"],
    ]


def plant(folder: Path, names: list[str], marks: Path) -> None:
    """Write a module of each name, which leaves its name and its place when it is imported."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        place = folder / f"{name}.py"
        text = f"with open({str(marks)!r}, 'a') as file:\n    file.write({str(place)!r} + '\\n')\n"
        place.write_text(text)


def program(place: Path, marks: Path) -> Path:
    """Write a program that leaves its path and its words when it is run."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f'#!/bin/sh\necho "{place} $*" >> {marks}\ncat\n')
    place.chmod(0o755)
    return place


def left(marks: Path) -> list[str]:
    """Return the marks that were left."""
    return sorted(set(marks.read_text().split("\n"))) if marks.exists() else []
