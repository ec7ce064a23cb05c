"""`evallang log`."""

from pathlib import Path

import click

from evallang.cli.settings import PATH
from evallang.cli.terminal import study_path, write


@click.command("log", epilog="Example: evallang log study.eval")
@click.argument("file", type=PATH, metavar="[FILE]", required=False)
def command(file: str | None) -> int:
    """List the recorded evaluations: those of a study, or of all studies of the repository.

    `evallang run` records each evaluation of another protocol, other data or other code. A run
    that repeats one is not another look at the test data.
    """
    from evallang.locks.looks import each_once, looks_path, read_looks, repository_looks

    looks = (
        repository_looks(Path())
        if file is None
        else each_once(read_looks(looks_path(study_path(file))))
    )
    if not looks:
        write("no evaluation is recorded")
        return 0
    tests: dict[str, int] = {}
    for look in looks:
        for test in look.tests.values():
            tests[test] = tests.get(test, 0) + 1
        numbers = ", ".join(f"{name}: look {tests[test]}" for name, test in look.tests.items())
        hashes = f"protocol {look.protocol[:10]}, data {look.data[:10]}, code {look.code[:10]}"
        write(f"{look.date}  {look.study}  {hashes}  {numbers}")
    most = max(tests.values(), default=0)
    write(f"{_several(len(looks), 'evaluation')}, at most {most} on the same test data")
    return 0


def _several(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
