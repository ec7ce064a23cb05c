"""Does the time of `check` grow with the length of a file, and not with its square?

Studies of 500 and 5,000 lines of several shapes: all kinds of statements, one statement of many
clauses, mistakes in every line, names that are misspelt, claims with waivers, comparisons
over data sets, lists over several lines. Reports both times and their ratio (processor time, the
least of some rounds; a round reads the short file ten times, because a short run finds a quiet
moment more easily than a long one).

    python -m benchmarks.long_studies
"""

import time
from collections.abc import Callable, Iterator

from benchmarks._rows import Kind, Row, report
from evallang.checking.check import check

SHORT, LONG = 500, 5_000
LIMIT = 12.0  # times as long, for ten times the lines
ROUNDS = 3
HEAD = (
    "evallang 1", "study", "  seed 1", 'data d from "d.csv"', "  target y",
    "model base = DummyClassifier", "protocol nested cv", "measure accuracy, f1",
)  # fmt: skip


def statements() -> Iterator[str]:
    """Give all kinds of statements, each about the one before."""
    yield from HEAD
    k = 0
    while True:
        yield f"let v{k} = SimpleImputer(strategy=median) | StandardScaler  # step {k}"
        yield f'model m{k} "Model {k}" = v{k} | LogisticRegression(C in 1e-3..1e3 log 7)'
        yield f"compare m{k} against base with mcnemar"
        yield f"require m{k} not worse than base by 2%"
        yield ""
        k += 1


def clauses() -> Iterator[str]:
    """Give one statement with ever more clauses."""
    yield from HEAD
    yield 'predictions p from "p.csv"'
    yield "  truth y"
    k = 0
    while True:
        yield f"  models a{k}, b{k} as column_{k}"
        yield f"  where c{k} >= {k}"
        k += 1


def sources() -> Iterator[str]:
    """Give ever more data sets."""
    yield from HEAD
    k = 0
    while True:
        yield f'counts c{k} "Table {k}"'
        yield f"  models first{k}, second{k}"
        yield f"  table [[{k}, 10], [20, 5]]"
        k += 1


def mistakes() -> Iterator[str]:
    """Give lines of which each has a mistake of its own."""
    yield from HEAD
    k = 0
    while True:
        yield f"modle m{k} = SVC(C='{k}')"
        yield f"model n{k} = SVCC(kernel=rbff"
        yield f"  target column {k}"
        yield f"compare m{k} with mcnemarr {k:05}"
        k += 1


def misspelt() -> Iterator[str]:
    """Give ever more names, and lines that misspell them."""
    yield from HEAD
    k = 0
    while True:
        yield f"model forest_{k} = RandomForestClassifier(max_depth={k + 1})"
        yield f"require forrest_{k} better than base"
        k += 1


def comments() -> Iterator[str]:
    """Give comments everywhere, and lists broken over lines."""
    yield from HEAD
    k = 0
    while True:
        yield f"# about {k}"
        yield f"let list{k} = [  # opening"
        yield f"  {k},  # one"
        yield "  # between"
        yield "]"
        yield f"model t{k} = SVC(C in list{k})  # evallang: allow no_baseline because of {k}"
        k += 1


def claims() -> Iterator[str]:
    """Give ever more lines that ask the same, with warnings that are allowed."""
    yield from HEAD
    yield "model m = GaussianNB"
    k = 0
    while True:
        yield f"require accuracy of m >= {k % 90 + 1}%"
        allowed = "# evallang: allow same_pair_tested_twice because it is asked so"
        yield f"compare m against base with mcnemar  {allowed}"
        k += 1


def over_data() -> Iterator[str]:
    """Give ever more comparisons over three data sets, too few for any of them."""
    yield from HEAD
    yield "data iris from sklearn iris"
    yield "data wine from sklearn wine"
    yield "model m = GaussianNB"
    while True:
        yield "compare m, base across data with wilcoxon"


def continued() -> Iterator[str]:
    """Give ever more lines that might belong to the one above."""
    yield from HEAD
    yield "protocol cv"
    k = 0
    while True:
        for _ in range(100):
            yield f"cnn{k} = SVC()"
            k += 1
        for _ in range(50):
            yield "measure accuracy,"
            yield "  f1"


SHAPES: tuple[Callable[[], Iterator[str]], ...] = (
    statements, clauses, sources, mistakes, misspelt, comments, claims,
    over_data, continued,
)  # fmt: skip


def text(shape: Callable[[], Iterator[str]], lines: int) -> str:
    made = shape()
    return "".join(f"{next(made)}\n" for _ in range(lines))


def seconds(work: Callable[[str], object], texts: tuple[str, str]) -> list[float]:
    """Give the least processor time for each of two texts; a round spends as much on both."""
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for index, (written, times) in enumerate(zip(texts, (LONG // SHORT, 1), strict=True)):
            start = time.process_time()
            for _ in range(times):
                work(written)
            best[index] = min(best[index], (time.process_time() - start) / times)
    return best


def no_file(path: str) -> str:
    raise FileNotFoundError(2, "No such file or directory", path)


def main() -> None:
    check("study.eval", text(statements, 50), no_file)  # what is loaded once
    for shape in SHAPES:
        texts = text(shape, SHORT), text(shape, LONG)
        short, long = seconds(lambda written: check("study.eval", written, no_file), texts)
        report(
            Row(
                f"check, {LONG:,} lines of {shape.__name__}",
                long,
                peer=f"{SHORT} lines",
                theirs=short,
                kind=Kind.TIMES,
                limit=LIMIT,
            )
        )


if __name__ == "__main__":
    main()
