"""Collect what the playground loads: `python -m docs.playground.build NODE_MODULES OUT`.

That is Pyodide, the page's files, its studies, and the wheels of `wheels.txt` with that of evallang
in one archive, compiled by Node in Pyodide itself.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PYODIDE = (
    *("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json"),
    "python_stdlib.zip",
)
PAGE = ("playground.css", "playground.js", "worker.js", "checker.py")
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
BROWSER = (
    *("--platform", "pyemscripten_2026_0_wasm32", "--python-version", "314", "--abi", "cp314"),
    "--only-binary=:all:",
)
TITLE = re.compile(r'^study "(.+)"$', re.MULTILINE)
WRONG = (
    *(HERE / f"wrong/{name}.eval" for name in ("metric", "habits", "test", "model")),
    *(
        ROOT / f"docs/objections/{name}/wrong.eval"
        for name in (
            "many_comparisons_without_correction",
            "one_number_twice",
            "best_of_many_on_one_test_set",
            "families_in_separate_lines",
            "tuned_on_the_reported_folds",
            "units_not_data_sets",
        )
    ),
)


def studies() -> Mapping[str, Mapping[str, str]]:
    """Return the studies of the list, by group and title."""
    right = sorted((ROOT / "examples").glob("*.eval"))
    return {
        name: {TITLE.search(text)[1]: text for text in (p.read_text("utf-8") for p in paths)}
        for name, paths in (("Examples", right), ("Wrong studies", WRONG))
    }


def main(modules: str, out: str) -> None:
    """Write the folder of the playground."""
    pyodide, folder = Path(modules, "pyodide").resolve(), Path(out).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pyodide").mkdir(parents=True)
    for name in PYODIDE:
        shutil.copy(pyodide / name, folder / "pyodide")
    for name in PAGE:
        shutil.copy(HERE / name, folder)
    (folder / "studies.json").write_text(json.dumps(studies(), ensure_ascii=False), "utf-8")
    with tempfile.TemporaryDirectory() as wheels:
        needed = ("--no-deps", "--require-hashes", "-r", HERE / "wheels.txt")
        subprocess.run([*PIP, "download", *BROWSER, *needed, "-d", wheels], check=True)
        subprocess.run([*PIP, "wheel", "--no-deps", "-w", wheels, ROOT], check=True)
        node = Path(sys.executable).with_name("node")
        program = (HERE / "compile.mjs", pyodide, folder / "checker.zip")
        subprocess.run([node, *program, *sorted(Path(wheels).glob("*.whl"))], check=True)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"playground: {size / 1e6:.1f} MB")


main(*sys.argv[1:])
