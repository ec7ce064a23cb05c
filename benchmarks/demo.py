"""`evallang demo`, cold, with its report as HTML and PDF.

python -m benchmarks.demo
"""

import tempfile
from pathlib import Path

from benchmarks._processes import in_turn, ours
from benchmarks._rows import Kind, Row, report
from benchmarks._whole_commands import OFF

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        cold = in_turn({"demo": ours("demo", "-o", "demo")}, Path(name), 3, **OFF)["demo"]
    report(Row("`evallang demo`, cold, HTML and PDF", cold.seconds, kind=Kind.MOST, limit=7.0))
