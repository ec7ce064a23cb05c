"""A study again, with another title, and with another `compare` line: to results.json.

python -m benchmarks.again
"""

import sys
import tempfile
from pathlib import Path

from benchmarks._processes import in_turn
from benchmarks._rows import Kind, Row, report
from benchmarks.nested_cv import nested_study

SAVE = "import evallang, sys; evallang.run(sys.argv[1], jobs=2).save('out', ())"
MOST = 2.0  # seconds

if __name__ == "__main__":
    text = nested_study("StandardScaler | PCA(n_components=40)")
    texts = {
        "again": text,
        "with another title": text.replace("Nested cross-validation on", "The"),
        "with another compare line": text.replace("mcnemar holm", "mcnemar bonferroni"),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = {"EVALLANG_STORE": str(folder / "store")}
        commands = {}
        for number, (change, changed) in enumerate(texts.items()):
            (folder / f"{number}.eval").write_text(changed, encoding="utf-8")
            commands[change] = [sys.executable, "-c", SAVE, f"{number}.eval"]
        in_turn({"first": commands["again"]}, folder, 1, **kept)
        for change, found in in_turn(commands, folder, 3, **kept).items():
            work = f"the same study {change}, to results.json"
            report(Row(work, found.seconds, kind=Kind.MOST, limit=MOST))
