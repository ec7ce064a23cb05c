"""A study of ten seconds of fits with two processes beside one, with its report.

python -m benchmarks.two_workers
"""

import tempfile
from pathlib import Path

from benchmarks._processes import in_turn, ours
from benchmarks._rows import Kind, Row, report
from benchmarks._whole_commands import OFF
from benchmarks.nested_cv import nested_study

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = nested_study("StandardScaler", outer=10, inner=3)
        (folder / "two.eval").write_text(study, encoding="utf-8")
        commands = {jobs: ours("run", "two.eval", "--quiet", "-j", jobs) for jobs in ("1", "2")}
        found = {jobs: one.seconds for jobs, one in in_turn(commands, folder, 3, **OFF).items()}
    work = "-j 2, a study of ten seconds of fits, report included"
    report(Row(work, found["2"], "s", "-j 1", found["1"], Kind.RATIO, 1.5))
