"""Ten million rows of labels of three models in one file: the memory of the whole command.

python -m benchmarks.many_labels
"""

import tempfile
from pathlib import Path

from benchmarks._processes import measured, ours
from benchmarks._rows import Kind, Row, report
from benchmarks.parts import STUDY, write

ROWS = 10_000_000

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, ROWS, part=ROWS)
        study = STUDY.replace("{part}", "0")
        (folder / "study.eval").write_text(study, encoding="utf-8")
        run = ours("run", "study.eval", "--quiet", "--no-look", "-j", "1", "--out", "results")
        found = measured(run, folder)
    work = f"{ROWS:,} rows x 3 models of labels: memory"
    note = f"{found.seconds:.1f} s"
    report(Row(work, found.memory / 1e6, "MB", kind=Kind.MOST, limit=2_000, note=note))
