"""The clauses of `predictions ... from TOOL`: logs of language-model evaluations."""

from typing import Literal, cast

from evallang.checking.clauses import Clauses
from evallang.checking.scope import Scope
from evallang.data.dataset import LOG_TOOLS, LogSpec
from evallang.spelling import listed
from evallang.syntax import nodes as n

OF_TOOLS = listed([f"`from {name}`" for name, tool in LOG_TOOLS.items() if tool.clauses], "or")
OF_LOGS = ("metric", "filter", "scorer", "samples", "unfinished")
OF_TABLES = (
    *(
        "truth",
        "model",
        "id",
        "dataset",
        "score",
        "scores",
        "logits",
        "range",
        "threshold",
        "fold",
        "event",
    ),
    *("query", "reader", "seed", "positive", "weight", "time", "task", "missing"),
)
USES = {"errored": ("wrong", "dropped"), "unscored": ("wrong", "dropped")}
USES["limited"] = ("scored", "dropped")


def log_spec(scope: Scope, node: n.PredictionsNode, clauses: Clauses) -> LogSpec | None:
    """Resolve what is read of logs; None for a table, or after a report."""
    if node.tool is None:
        for word in (word for word in OF_LOGS if word in clauses.places):
            scope.refuse("clause_of_logs", clauses.places[word], word=word, tools=OF_TOOLS)
        return None
    name = node.tool.name
    own, states = LOG_TOOLS[name].clauses, LOG_TOOLS[name].states
    for word, place in clauses.places.items():
        if word in OF_TABLES or (word in OF_LOGS and word not in own):
            scope.refuse("clause_of_tables", place, word=word, tool=name, own=listed(own, "and"))
    for path in node.paths:
        from_file = isinstance(path, n.TextNode) and path.value.strip()
        if not from_file or "://" in path.value:
            scope.refuse("logs_from_network", path.span)
    clause, stated = clauses.plain("samples"), dict[str, str]()
    for item in () if clause is None else clause.values:
        assert isinstance(item, n.StateNode), "the grammar has no other"
        state, use = item.state.name, item.use.name
        if state not in states or use not in USES[state] or state in stated:
            known = [f"`{one} {' | '.join(USES[one])}`" for one in states]
            scope.refuse("samples_states", item.span, tool=name, known=listed(known, "and"))
        stated[state] = use
    return LogSpec(
        tool=cast(Literal["lm_eval", "inspect", "every_eval_ever"], name),
        metric=clauses.take("metric"),
        filter=clauses.take("filter"),
        scorer=clauses.take("scorer"),
        samples=tuple({**states, **stated}.items()),
        unfinished=clauses.take("unfinished") is not None,
    )
