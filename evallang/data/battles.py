"""`battles` statements: files of pairwise judgements, read as games of two models."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.column_roles import check_column, complete_texts, read_ids, read_weights
from evallang.data.column_types import Kind
from evallang.data.data_frames import read_frame
from evallang.data.dataset import BattlesSpec, GivenModel, GivenOutcomes
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings, Refused, counted, quoted, written
from evallang.data.frame import Frame
from evallang.data.hashing import DataHash
from evallang.data.row_filters import select
from evallang.data.source_columns import named_columns, roles_of, source_columns
from evallang.diagnostics import Diagnostic, codes
from evallang.stats.battles import Battles
from evallang.stats.clusters import LEAST_GROUPS

OUTCOMES = {"first": 1.0, "second": 0.0, "tie": 0.5}  # of the first model
WINNERS = {
    "model_a": "first", "model_b": "second", "tie": "tie", "tie (bothbad)": "tie",
    "both_bad": "tie",
}  # fmt: skip
TIED = re.compile("both|draw|equal|neither|same|tie", re.IGNORECASE)  # in a proposal
VERDICTS = {
    "A>>B": "first", "A>B": "first", "A=B": "tie", "B>A": "second", "B>>A": "second",
    "B<<A": "first", "B<A": "first", "B=A": "tie", "A<B": "second", "A<<B": "second",
}  # fmt: skip
WEIGHT_OF_CLEAR = 3.0  # of `A>>B` and `B>>A`, as in Arena-Hard's own tables
FAILED = "error"  # in place of a verdict, in MT-bench's files


class Game(Struct, frozen=True):
    """The columns of one game of a row, and what the values of its verdict mean.

    Without a column, the model `first` or `second` is called so itself.
    """

    first: str
    second: str
    winner: str
    words: Mapping[str, str] = {}


class Form(Struct, frozen=True):
    """A file of a known tool: its games, and the columns of prompts and of judges, if any.

    `ordered` is whether the first model of a game is the one whose answer was shown first.
    """

    games: tuple[Game, ...]
    group: tuple[str, ...]
    judge: tuple[str, ...]
    ordered: bool = True

    @property
    def recognised_by(self) -> set[str]:
        """The columns without which a file is not of this form."""
        games = {name for game in self.games for name in (game.first, game.second, game.winner)}
        return games - {BASELINE}


BASELINE = "baseline"  # Arena-Hard's second model, which files before version 2 do not name
FORMS = (
    Form((Game("model_a", "model_b", "winner"),), ("question_id",), ("judge",)),
    Form(
        (
            Game("model_1", "model_2", "g1_winner", {"model_1": "first", "model_2": "second"}),
            Game("model_2", "model_1", "g2_winner", {"model_2": "first", "model_1": "second"}),
        ),
        ("question_id",),
        ("judge.0", "judge"),
    ),
    Form(
        (
            Game(BASELINE, "model", "games.0.score", VERDICTS),
            Game("model", BASELINE, "games.1.score", VERDICTS),
        ),
        ("question_id", "uid"),
        ("judge",),
    ),
    Form(
        (Game("generator_1", "generator_2", "preference"),), ("instruction",), ("annotator",), False
    ),
)
"""The files of the Chatbot Arena, of MT-bench, of Arena-Hard and of AlpacaEval."""
INSIDE = frozenset({"games.0.score", "games.1.score", "judge.0"})  # fields of lists


def read_battles(
    spec: BattlesSpec, folder: Path, given: Any = None
) -> tuple[GivenOutcomes | None, tuple[Diagnostic, ...]]:
    """Read pairwise judgements; games without a verdict are excluded and counted.

    With an error among the diagnostics there are no outcomes. Nothing is raised for bad data. A
    data frame that is `given` replaces the file.
    """
    findings = Findings(spec.places)
    return findings.tried(_read, spec, folder, given), findings.diagnostics


def _read(spec: BattlesSpec, folder: Path, given: Any) -> GivenOutcomes:
    named = named_columns(spec) | INSIDE
    frame = read_file(spec.path, folder, named=named) if given is None else read_frame(given)
    frame, excluded = select(frame.mark_missing(), spec.where)
    form, recognised = _form(spec, frame)
    games = form.games
    unnamed = any(BASELINE in (game.first, game.second) for game in games)
    _check_baseline(spec.baseline, frame, unnamed=unnamed and BASELINE not in frame.columns)
    spec = replace(spec, **recognised)
    read_ids(frame, spec.id, within=[spec.judge] if spec.judge else [])
    weights = read_weights(frame, spec.weight)
    tables = [_table(frame, game, spec.baseline) for game in games]
    table = pl.concat(
        [one.with_columns(game=pl.lit(place)) for place, one in enumerate(tables)]
    ).sort("row", "game", maintain_order=True)
    lost, own = (table.select(name).to_series() for name in ("lost", "own"))
    gone = {"no verdict": int(lost.sum()), "one model on both sides": int((own & ~lost).sum())}
    notes = [
        f"{counted(n, 'game')} {'was' if n == 1 else 'were'} excluded: {why}"
        for why, n in gone.items()
        if n
    ]
    if len(games) > 1:
        notes.insert(0, "each row has two games, with the answers in both orders")
    table = table.filter(~lost & ~own)
    if table.is_empty():
        why = " or ".join(why for why, n in gone.items() if n)
        raise Refused(
            codes.unusable_verdict, f"`{frame.source}` has only games with {why}", "winner", "from"
        )
    rows = table["row"].to_numpy()
    names = sorted({*table["first"].unique(), *table["second"].unique()})
    place = {name: code for code, name in enumerate(names)}
    first, second = (
        np.asarray(table[side].replace_strict(place).to_numpy(), dtype=np.int64)
        for side in ("first", "second")
    )
    clear = table["weight"].to_numpy()
    if weights is not None or (clear != 1).any():
        weights = clear * (1.0 if weights is None else weights[rows])
        if (clear != 1).any():
            notes.append(f"`A>>B` and `B>>A` count {WEIGHT_OF_CLEAR:.0f} times")
    group_names, group_codes = _levels(frame, spec.group, "group", rows)
    _, judges = _levels(frame, spec.judge, "judge", rows)
    clusters = {} if group_codes is None else {"prompts": group_codes}
    if judges is not None and len(np.unique(judges)) >= LEAST_GROUPS:
        clusters["judges"] = judges
    elif judges is not None:
        some = counted(len(np.unique(judges)), "judge")
        notes.append(f"{some}, fewer than {LEAST_GROUPS}: conclusions are about no other judges")
    made = GivenOutcomes(
        spec=spec,
        kind="battles",
        models=tuple(GivenModel(name, name) for name in names),
        task="regression",
        n=len(rows),
        sha256="",
        source=frame.source,
        group_names=group_names,
        group_codes=group_codes,
        weights=weights,
        excluded=excluded,
        notes=(*frame.all_notes, *notes),
        source_columns=source_columns(frame, roles_of(spec)),
        taken=frame.taken,
        battles=Battles(
            first,
            second,
            table["outcome"].to_numpy(),
            len(names),
            weights,
            clusters,
            tuple(names),
            form.ordered,
        ),
        recognised=recognised,
    )
    return replace(made, sha256=battles_hash(made))


def battles_hash(made: GivenOutcomes) -> str:
    """Hash everything in battles that can change a result."""
    assert made.battles is not None, "battles"
    parts = DataHash()
    parts.text("models", [model.name for model in made.models])
    for name in ("first", "second", "outcome", "weights"):
        parts.numbers(name, getattr(made.battles, name))
    for name, way in made.battles.clusters.items():
        parts.numbers(name, way)
    return parts.hexdigest()


def _form(spec: BattlesSpec, frame: Frame) -> tuple[Form, dict[str, str]]:
    """Return the games of a row, as the statement or the fields of the file tell.

    The second part is what the fields told, by clause.
    """
    stated = spec.first, spec.second, spec.winner
    if all(stated):
        for column, clause in zip(stated, ("first", "second", "winner"), strict=True):
            check_column(frame, column or "", clause)
        game = Game(spec.first or "", spec.second or "", spec.winner or "", dict(spec.words))
        return Form((game,), (), ()), {}
    form = next((form for form in FORMS if form.recognised_by <= {*frame.columns}), None)
    fix = one_column_of(frame.columns)
    if form is None and fix is not None:
        raise Refused(
            codes.unusable_verdict,
            f"`{frame.source}` has a column for each verdict",
            "from",
            help=fix,
        )
    if form is None:
        raise Refused(
            codes.unusable_verdict,
            f"the columns of `{frame.source}` are not those of a known tool: "
            f"{quoted(frame.columns, 12)}",
            "from",
            help="name them by `first COLUMN`, `second COLUMN` and `winner COLUMN`",
        )
    game = form.games[0]
    told = {"first": game.first, "second": game.second, "winner": game.winner}
    if spec.baseline is not None:
        told.pop("first")
    for clause, among in (("group", form.group), ("judge", form.judge)):
        column = next((name for name in among if name in frame.columns), None)
        if getattr(spec, clause) is None and column is not None:
            told[clause] = column
    return form, told


def one_column_of(columns: Sequence[str]) -> str | None:
    """Return how to write one column of verdicts out of one for each, None without these.

    Kaggle's files of the Chatbot Arena have `winner_model_a`, `winner_model_b` and `winner_tie`.
    """
    apart = [name for name in columns if name.startswith("winner_")]
    if len(apart) < 2:
        return None
    names = ", ".join(f'"{name}"' for name in apart)
    return (
        f'write them as one, in pandas `table["winner"] = table[[{names}]].idxmax(axis=1)'
        '.str.removeprefix("winner_")`, and read the file that this table is saved in'
    )


def _check_baseline(baseline: str | None, frame: Frame, *, unnamed: bool) -> None:
    """Refuse a file that does not name its baseline without one, and a name for one that does."""
    if unnamed and baseline is None:
        raise Refused(
            codes.unusable_verdict,
            f"`{frame.source}` is a file of Arena-Hard before version 2, which does not name the "
            "model that the others met",
            "from",
            help='write `baseline "gpt-4-0314"` if it was the one of Arena-Hard 0.1',
        )
    if baseline is not None and not unnamed:
        raise Refused(
            codes.unusable_verdict,
            f"`{frame.source}` names both models of each game",
            "baseline",
            help="remove `baseline`",
        )


def _table(frame: Frame, game: Game, baseline: str | None) -> pl.DataFrame:
    """Return row, models, outcome and weight of one game of each row; `baseline` has no column.

    `lost` marks games without a verdict, `own` those of a model with itself.
    """
    first, second = (_models(frame, column, baseline) for column in (game.first, game.second))
    verdicts = frame.texts(game.winner)
    if not game.words and frame.kind(game.winner) is Kind.NUMBER:
        outcome = _preferences(frame, game.winner)
    else:
        outcome = _outcomes(frame, game, verdicts, first, second)
    clear = verdicts.is_in([word for word in VERDICTS if word[1:3] in (">>", "<<")])
    weight = clear if game.words is VERDICTS else pl.repeat(False, frame.n, eager=True)
    return pl.DataFrame(
        {
            "row": np.arange(frame.n),
            "first": first,
            "second": second,
            "outcome": outcome,
            "lost": outcome.is_null(),
            "own": first == second,
            "weight": np.where(weight.fill_null(False).to_numpy(), WEIGHT_OF_CLEAR, 1.0),
        }
    )


def _models(frame: Frame, column: str, baseline: str | None) -> pl.Series:
    """Return the model of each row; `baseline` is the one whose column the file lacks, if any."""
    if column == BASELINE and baseline is not None:
        return pl.repeat(baseline, frame.n, dtype=pl.String, eager=True)
    complete_texts(frame, column, "first")
    return frame.texts(column).str.strip_chars()


def _outcomes(
    frame: Frame, game: Game, verdicts: pl.Series, first: pl.Series, second: pl.Series
) -> pl.Series:
    """Return the outcome for the first model, null without a verdict; refuse unknown words."""
    known = {**{word: word for word in OUTCOMES}, **WINNERS, **game.words}
    values = {word: OUTCOMES[meant] for word, meant in known.items()}
    cells = pl.DataFrame({"verdict": verdicts.str.strip_chars(), "first": first, "second": second})
    verdict = pl.col("verdict")
    outcome = cells.select(
        pl.when(verdict.is_in(list(game.words)))
        .then(verdict.replace_strict(values, default=None, return_dtype=pl.Float64))
        .when(verdict == pl.col("first"))
        .then(1.0)
        .when(verdict == pl.col("second"))
        .then(0.0)
        .otherwise(
            verdict.str.to_lowercase().replace_strict(values, default=None, return_dtype=pl.Float64)
        )
    ).to_series()
    odd = (outcome.is_null() & verdicts.is_not_null() & (verdicts != FAILED)).arg_true().to_list()
    if odd:
        words = sorted({*verdicts[odd].to_list()})
        sides = iter(("first", "second"))
        meant = ("tie" if TIED.match(word) else next(sides, "tie") for word in words)
        entries = ", ".join(
            f"{written(word)}: {one}" for word, one in zip(words, meant, strict=True)
        )
        raise Refused(
            codes.unusable_verdict,
            f"`{game.winner}` contains {quoted(words)} in {frame.places(odd)}, and a verdict is "
            "`first`, `second`, `tie` or one of the two models",
            "winner",
            "from",
            help=f"say what each value means: `winner {written(game.winner)} {{{entries}}}`",
        )
    return outcome


def _preferences(frame: Frame, column: str) -> pl.Series:
    """Return the outcomes of preferences from 1 (the first) to 2 (the second); 0 is a tie."""
    values = frame.values(column).cast(pl.Float64, strict=False)
    odd = frame.values(column).is_not_null() & ~(values.is_between(1, 2) | (values == 0))
    rows = odd.fill_null(True).arg_true().to_list()
    if rows:
        raise Refused(
            codes.unusable_verdict,
            f"`{column}` is not a preference from 1 to 2 in {frame.places(rows)}",
            "from",
            help="write 1 where the first answer is better, 2 where the second is, and 1.5 for a "
            "tie",
        )
    return pl.select(pl.when(values == 0).then(0.5).otherwise(2 - values)).to_series()


def _levels(
    frame: Frame, column: str | None, keyword: str, rows: "NDArray[np.int64]"
) -> "tuple[tuple[str, ...] | None, NDArray[np.int64] | None]":
    """Return the distinct texts of a column in the order of their games, and each game's code."""
    if complete_texts(frame, column, keyword) is None:
        return None, None
    texts = frame.texts(column or "")[rows]
    names = texts.unique(maintain_order=True)
    coded = texts.replace_strict(names, np.arange(len(names)), return_dtype=pl.Int64)
    return tuple(names), np.asarray(coded.to_numpy(), dtype=np.int64)
