"""Lines in, statements with their clauses out; report what is in the wrong place."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang.diagnostics import Code, Diagnostic, Edit, Fix, codes, diagnose
from evallang.source import Span
from evallang.spelling import closest, listed
from evallang.syntax import language
from evallang.syntax.language import STATEMENTS, clause_words, owners
from evallang.syntax.line_parser import Reading, connectives
from evallang.syntax.logical_lines import LogicalLine
from evallang.syntax.nodes import AnyClauseNode, StatementNode
from evallang.syntax.repair import ParseLine, read_line


class ParsedLine(Struct, frozen=True):
    """A statement's first line or a clause, and its node where the line is faultless.

    `start` and `end` enclose the physical lines; `at_margin` tells whether they begin in
    column 0. A statement's node has no clauses here.
    """

    start: int
    end: int
    at_margin: bool
    node: StatementNode | AnyClauseNode | None


AT_THE_END = "write it at the end of the line above"

# --- lines of an open statement --------------------------------------------------------


class Open(Struct, eq=False):
    """A statement that still takes clauses; `word` is empty where nobody knows what it is."""

    word: str
    node: StatementNode | None
    clauses: list[AnyClauseNode]
    faulty: bool


def indented_message(word: str) -> str:
    """Return the message that a statement is indented."""
    return f"`{word}` is a statement and begins in column 0"


def closed(node: StatementNode, clauses: Sequence[AnyClauseNode]) -> StatementNode:
    """Return a statement with its clauses."""
    if not clauses:
        return node
    return replace(node, clauses=tuple(clauses), span=node.span.to(clauses[-1].span))


def takes(statement: Open, word: str) -> bool:
    """Return whether a word begins a clause of a statement."""
    return bool(statement.word) and word in STATEMENTS[statement.word].clauses


def shortened(word: str) -> str:
    """Shorten a word for a sentence."""
    return word if len(word) <= 40 else word[:39] + "…"


# --- assembly --------------------------------------------------------------------------


class Assembly:
    """Joins lines to statements and reports what is in the wrong place."""

    def __init__(self, path: str, parse_line: ParseLine = read_line) -> None:
        self.path = path
        self._parse_line = parse_line
        self.lines: list[ParsedLine] = []
        self.diagnostics: list[Diagnostic] = []
        self.has_version = False
        self._all: list[Open] = []
        self._last = False
        self._breaks_off = False
        self._outer: Open | None = None
        self._inner: Open | None = None  # a statement that was indented by mistake

    def statements(self) -> tuple[StatementNode, ...]:
        """Return the statements read so far, each with its clauses."""
        return tuple(closed(item.node, item.clauses) for item in self._all if item.node)

    def read(self, line: LogicalLine, *, closes_statement: bool) -> None:
        """Take the next line, which may be the last of its statement."""
        self._last = closes_statement
        if not line.tokens:
            self._stray(line)
        elif self._goes_on(line):
            return
        elif line.at_margin:
            self._read_margin_line(line)
        else:
            self._indented(line)
        last = self.diagnostics[-1] if line.tokens and self.diagnostics else None
        at_comma = last is not None and last.code == codes.superfluous_word.code
        self._breaks_off = at_comma and line.tokens[-1].kind == "COMMA"

    def _goes_on(self, line: LogicalLine) -> bool:
        """Return whether a line is the rest of a list that a comma breaks off; tell it there."""
        taken = self._outer is None or takes(self._outer, line.word) or line.word in STATEMENTS
        if line.at_margin or taken or not self._breaks_off:
            return False
        suggestion = "write it on one line, or a list in `[ ]`"
        self.diagnostics[-1] = replace(self.diagnostics[-1], help=suggestion, fixes=())
        self.lines.append(ParsedLine(line.start, line.end, line.at_margin, None))
        self._breaks_off = line.tokens[-1].kind == "COMMA"
        return True

    def _attempt(self, start: str, line: LogicalLine) -> Reading:
        """Parse a line; one whose characters nobody understands gets no second message."""
        if line.too_deep:
            return Reading(None, ())
        reading = self._parse_line(self.path, start, line.tokens)
        return reading if line.understood else Reading(reading.node, ())

    # --- lines in column 0 -------------------------------------------------------------

    def _read_margin_line(self, line: LogicalLine) -> None:
        word, outer = line.word, self._outer
        if word in STATEMENTS and line.tokens[0].kind == "NAME":
            reading = self._attempt("statement", line)
            if reading.node is None and outer is not None and takes(outer, word):
                clause = self._attempt("clause", line)
                if clause.node is not None and not clause.diagnostics:
                    self._clause_at_margin(line, outer, clause)
                    return
            self._open(line, word, reading)
        elif outer is not None and takes(outer, word):
            self._clause_at_margin(line, outer, self._attempt("clause", line))
        else:
            self._unknown_statement(line)

    def _open(self, line: LogicalLine, word: str, reading: Reading) -> None:
        node, misplaced = reading.node, False
        if word == "evallang":
            self.has_version = True
            if self._all and node is not None:
                message = "the version of the language is written once, on the first line"
                said = any(item.word == "evallang" for item in self._all)
                suggestion = "remove this line" if said else "move this line to the top"
                self._object(codes.version_not_first, message, line, suggestion)
                node, misplaced = None, True
        self._keep(line, reading, faulty=misplaced)
        self._outer = Open(word, node, [], faulty=self.lines[-1].node is None)
        self._inner = None
        self._all.append(self._outer)

    def _clause_at_margin(self, line: LogicalLine, outer: Open, reading: Reading) -> None:
        message = f"`{line.word}` is a clause of `{outer.word}` and is indented below it"
        place = Span(self.path, line.tokens[0].start, line.tokens[0].start)
        fix = Fix("indent it", (Edit(place, "  "),))
        self._object(codes.clause_in_first_column, message, line, fix=fix)
        self._keep(line, reading, faulty=True)
        if reading.node is not None:
            outer.clauses.append(reading.node)

    def _unknown_statement(self, line: LogicalLine) -> None:
        first, word = line.tokens[0], line.tokens[0].text
        span = Span(self.path, first.start, first.end)
        if meant := self._meant(line):
            line.tokens[0] = first._replace(text=meant)
            reading = self._attempt("statement", line)
            fix = Fix(f"write `{meant}`", (Edit(span, meant),), safe=not reading.diagnostics)
            message = f"`{shortened(word)}` is not a statement, did you mean `{meant}`?"
            suggestion = None if reading.node else f"the form is `{STATEMENTS[meant].form}`"
            fixes = [fix] if reading.node else []
            found = diagnose(codes.unknown_statement, message, span, help=suggestion, fixes=fixes)
            if line.diagnostics and not line.understood and line.diagnostics[0].span == span:
                line.diagnostics.clear()  # `6odel`: this says it better
                line.understood = True
            self._open(line, meant, Reading(reading.node, (found,) if line.understood else ()))
            return
        taken_by = owners(word)
        assigns = [token.kind for token in line.tokens[1:2]] == ["EQUAL"]
        if assigns and not any(item.word in taken_by for item in self._all):
            taken_by = []  # `baseline = DummyClassifier`, in a study without `battles`
        counts = len(line.tokens) > 1 and line.tokens[1].kind == "NUMBER"  # `log 7` ends a domain
        other = None if counts else language.NOT_STATED.get(word.casefold())
        code, suggestion = codes.unknown_statement, other
        message = f"`{shortened(word)}` is not a statement"
        if other is None and taken_by:
            code = codes.clause_in_first_column
            message = f"`{word}` is a clause of {listed(taken_by)}, not a statement"
            suggestion = "indent it below its statement"
            if not any(item.word in taken_by for item in self._all):
                suggestion = f"indent it below a line `{STATEMENTS[taken_by[0]].form}`"
        elif other is None and (word in connectives() or first.kind != "NAME"):
            message = f"no statement begins with `{shortened(word)}`"
            suggestion = AT_THE_END
            if first.kind == "VBAR":
                suggestion = "indent it below the line that it goes on with"
            elif first.kind == "TEXT" and (self._outer is None or self._outer.node is not None):
                suggestion = 'a title comes after its word, as in `study "TITLE"`'
        elif other is None:
            suggestion = f"a statement begins with {listed(STATEMENTS)}"
            if meant := language.clause_meant(word, clause_words()):
                suggestion = f"write `{meant}`, indented below {listed(owners(meant), 'or')}"
            if assigns:
                form = f"model {shortened(word)} = ..."
                suggestion = f"write `{form}`, or `let` for what is not a model"
        found = diagnose(code, message, span, help=suggestion)
        self._keep(line, Reading(None, (found,) if line.understood else ()))
        self._outer = Open("", None, [], faulty=True)
        self._inner = None
        self._all.append(self._outer)

    def _meant(self, line: LogicalLine) -> str | None:
        """Return which statement a line probably is whose first word begins none.

        A clause word stands for a statement only where the line then reads as one: `models m =`.
        """
        first = line.tokens[0]
        if first.kind != "NAME":
            return None
        other = language.statement_meant(first.text)
        if language.clause(first.text) is None:
            return other or closest(first.text, STATEMENTS)
        if other is None:
            return None
        line.tokens[0] = first._replace(text=other)
        reading = self._attempt("statement", line)
        line.tokens[0] = first
        declares = len(line.tokens) > 2 and line.tokens[2].kind == "EQUAL"
        return other if reading.node is not None or declares else None

    # --- indented lines ----------------------------------------------------------------

    def _indented(self, line: LogicalLine) -> None:
        word = line.word
        owner = self._owner(word)
        if owner is None:
            self._read_first_line(line)
            return
        if word in STATEMENTS:
            clause = self._attempt("clause", line) if takes(owner, word) else None
            if clause is None or clause.node is None or clause.diagnostics:
                statement = self._attempt("statement", line)
                if statement.node is not None and not statement.diagnostics:
                    self._indented_statement(line, statement)
                    return
                if owner.word and language.clause(word) is None:
                    self._object(codes.statement_indented, indented_message(word), line)
                    self._keep(line, Reading(None, ()), faulty=True)
                    return
        if owner.word and not STATEMENTS[owner.word].clauses:
            self._not_taken(line, owner)
            return
        reading = self._clause(line, owner)
        self._keep(line, reading)
        if reading.node is not None:
            owner.clauses.append(reading.node)

    def _clause(self, line: LogicalLine, owner: Open) -> Reading:
        """Read a clause; if it does not parse and has no known word, report the word."""
        reading = self._attempt("clause", line)
        first = line.tokens[0]
        sound = reading.node is not None and not reading.diagnostics
        if sound or takes(owner, line.word) or not (line.understood and owner.word):
            return reading
        span = Span(self.path, first.start, first.end)
        word = shortened(line.word)
        taken = STATEMENTS[owner.word].clauses
        begins, _, rest = line.word.partition("_")
        if begins in taken and rest:  # `higher_is_better`
            right = line.word.replace("_", " ")
            message = f"`{word}` is written `{right}`"
            fixes = [Fix(f"write `{right}`", (Edit(span, right),))]
            return Reading(None, (diagnose(codes.misspelt_clause, message, span, fixes=fixes),))
        meant = language.clause_meant(line.word, taken) or closest(line.word, taken)
        if meant is None:
            message = f"`{word}` is not a clause of `{owner.word}`"
            if taken_by := owners(line.word):
                message = f"`{word}` is a clause of {listed(taken_by)}, not of `{owner.word}`"
            suggestion = f"`{owner.word}` takes {listed(taken)}"
            if first.kind not in ("NAME", "NUMBER"):
                suggestion = AT_THE_END
            found = diagnose(codes.misspelt_clause, message, span, help=suggestion)
            return Reading(None, (found,))
        line.tokens[0] = first._replace(kind="NAME", text=meant)
        again = self._attempt("clause", line)
        fixes = [Fix(f"write `{meant}`", (Edit(span, meant),))] if again.node else []
        message = f"`{word}` is not a clause, did you mean `{meant}`?"
        found = diagnose(codes.misspelt_clause, message, span, fixes=fixes)
        return Reading(again.node, (found,))

    def _owner(self, word: str) -> Open | None:
        """Find the statement a clause belongs to."""
        inner, outer = self._inner, self._outer
        if inner is not None and takes(inner, word) and not (outer and takes(outer, word)):
            return inner
        return outer

    def _indented_statement(self, line: LogicalLine, reading: Reading) -> None:
        start = line.tokens[0].start
        self.has_version |= line.word == "evallang"
        edit = Edit(Span(self.path, line.start, start), "")
        fix = Fix("move it to column 0", (edit,), safe=self._last)  # or it takes clauses along
        self._object(codes.statement_indented, indented_message(line.word), line, fix=fix)
        self._keep(line, reading, faulty=True)
        self._inner = Open(line.word, reading.node, [], faulty=True)
        self._all.append(self._inner)

    def _not_taken(self, line: LogicalLine, owner: Open) -> None:
        if not owner.faulty:
            owner.faulty = True  # reported once for all lines below a statement
            message = f"`{owner.word}` takes no clauses"
            suggestion = f"write all its parts on one line: `{STATEMENTS[owner.word].form}`"
            is_option = [token.kind for token in line.tokens[1:2]] == ["EQUAL"]
            if not is_option and (taken_by := owners(line.word)):
                suggestion = f"`{line.word}` is a clause of {listed(taken_by)}"
            elif owner.word == "model":
                suggestion = (
                    "parameters are written in brackets after their class, as in `SVC(C=1)`"
                )
            self._object(codes.clause_not_taken, message, line, suggestion)
        self._keep(line, Reading(None, ()), faulty=True)

    def _read_first_line(self, line: LogicalLine) -> None:
        reading = self._attempt("statement", line) if line.word in STATEMENTS else None
        if reading is not None and reading.node is not None:
            self._indented_statement(line, reading)
            self._outer, self._inner = self._inner, None
            return
        message = "an indented line is above the first statement"
        suggestion = "a statement begins in column 0"
        self._object(codes.clause_not_taken, message, line, suggestion)
        self._keep(line, Reading(None, ()), faulty=True)

    # --- keeping book ------------------------------------------------------------------

    def _stray(self, line: LogicalLine) -> None:
        """Keep a line that holds nothing but a sign that means nothing."""
        brackets = all(d.code == codes.unmatched_bracket.code for d in line.diagnostics)
        if not (brackets and self._outer is not None and self._outer.faulty):
            self.diagnostics += line.diagnostics
        self.lines.append(ParsedLine(line.start, line.end, line.at_margin, None))

    def _keep(self, line: LogicalLine, reading: Reading, *, faulty: bool = False) -> None:
        places, unexpected = {d.span for d in line.diagnostics}, codes.unexpected_text.code
        # a sign that is reported already does not also not fit
        rest = (d for d in reading.diagnostics if d.code != unexpected or d.span not in places)
        found = (*line.diagnostics, *rest)
        self.diagnostics += found
        sound = line.understood and not (found or faulty)
        node = reading.node if sound else None
        self.lines.append(ParsedLine(line.start, line.end, line.at_margin, node))

    def _object(
        self,
        code: Code,
        message: str,
        line: LogicalLine,
        suggestion: str | None = None,
        *,
        fix: Fix | None = None,
    ) -> None:
        """Report that a line is where it does not belong."""
        first = line.tokens[0]
        span = Span(self.path, first.start, first.end)
        fixes = [fix] if fix else []
        self.diagnostics.append(diagnose(code, message, span, help=suggestion, fixes=fixes))
