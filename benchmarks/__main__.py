"""`make bench`: run every benchmark; exits with 1 when a limit is missed."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    missed = []
    for script in sorted(HERE.glob("*.py")):
        if script.name.startswith("_"):
            continue
        print(f"== {script.stem}", flush=True)
        if subprocess.run([sys.executable, str(script)], check=False).returncode:
            missed.append(script.stem)
    if missed:
        print(f"limits missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
