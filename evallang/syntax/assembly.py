"""Lines in, statements with their clauses out, and what stands in the wrong place."""

from typing import NamedTuple

from evallang.diagnostics import Code, Diagnostic, Edit, Fix, diagnose
from evallang.source import Span
from evallang.spelling import closest, listed
from evallang.syntax import codes, language
from evallang.syntax.language import CONNECTIVES, STATEMENTS, owners
from evallang.syntax.lists_below import ListBelow, keep_comma, list_below
from evallang.syntax.logical_lines import LogicalLine
from evallang.syntax.nodes import AnyClauseNode, StatementNode
from evallang.syntax.opened import (
    Open,
    attempt,
    closed,
    said_indented,
    shortened,
    takes,
    unsaid,
)
from evallang.syntax.repair import Reading, given_a_value, read_line
from evallang.syntax.scanner import Token

MOST_JOINED = 200  # signs of a statement over several lines; each line reads all of it again


class ParsedLine(NamedTuple):
    """A statement's first line or a clause, and its node where the line is faultless.

    `start` and `end` enclose the physical lines; `at_margin` tells whether they begin in
    column 0. A statement's node has no clauses here.
    """

    start: int
    end: int
    at_margin: bool
    node: StatementNode | AnyClauseNode | None


class Assembly:
    """Puts lines together to statements and tells what stands in the wrong place."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines: list[ParsedLine] = []
        self.diagnostics: list[Diagnostic] = []
        self.has_version = False
        self._all: list[Open] = []
        self._last = False
        self._outer: Open | None = None
        self._inner: Open | None = None  # a statement that was indented by mistake
        self._above: LogicalLine | None = None  # a statement that this line may end
        self._below: LogicalLine | None = None  # one that the next line may end
        self._own = (0, 0)  # which diagnostics are that statement's
        self._listed: list[Token] = []  # a line that ends with a comma
        self._opened = -1  # where the last statement begins
        self._bare: ListBelow | None = None  # a statement whose items may stand below it

    def statements(self) -> tuple[StatementNode, ...]:
        """Give the statements read so far, each with its clauses."""
        return tuple(closed(item.node, item.clauses) for item in self._all if item.node)

    def read(self, line: LogicalLine, *, closes_statement: bool) -> None:
        """Take the next line; tell whether it is the last of its statement."""
        self._last = closes_statement
        self._above, self._below = self._below, None
        listed, self._listed = self._listed, []
        if self._bare is not None and line.tokens and self._is_item(line, self._bare):
            return
        if listed and not line.at_margin and line.tokens and self._goes_on(line, listed):
            return
        if line.tokens and line.tokens[-1].kind == "COMMA" and line.mended:
            self._listed = list(line.tokens)
        if not line.tokens:
            self._stray(line)
        elif line.at_margin:
            self._at_margin(line)
        else:
            self._indented(line)

    def _is_item(self, line: LogicalLine, bare: ListBelow) -> bool:
        """Read a line as an item of the statement above, which names none itself."""
        outer = self._outer
        if line.at_margin or outer is None or takes(outer, line.word):
            self._bare = None
            return False
        if bare.said_at is None:
            start, end = self._own
            del self.diagnostics[start:end]
            bare.said_at = start
        del self.diagnostics[bare.said_at :]
        self.diagnostics.append(bare.take(self.path, line.tokens))
        self.lines.append(ParsedLine(line.start, line.end, line.at_margin, None))
        return True

    def _goes_on(self, line: LogicalLine, listed: list[Token]) -> bool:
        """Read a line as the rest of a list above it, whose last comma was objected to."""
        outer = self._outer
        if outer is None or not line.mended or takes(outer, line.word):
            return False
        tokens = [*listed, *line.tokens]
        of_statement = listed[0].start == self._opened
        reading = read_line(self.path, "statement" if of_statement else "clause", tokens)
        if reading.node is None:
            return False
        keep_comma(self.diagnostics, Span(self.path, listed[-1].start, listed[-1].end))
        if of_statement:
            outer.node = reading.node
        else:
            lacks = not outer.clauses or outer.clauses[-1].span.start < listed[0].start
            outer.clauses[len(outer.clauses) - (not lacks) :] = [reading.node]
        self._listed = tokens if tokens[-1].kind == "COMMA" else []
        self.lines.append(ParsedLine(line.start, line.end, line.at_margin, None))
        return True

    # --- lines in column 0 -------------------------------------------------------------

    def _at_margin(self, line: LogicalLine) -> None:
        word, outer = line.word, self._outer
        if word in STATEMENTS and line.tokens[0].kind == "NAME":
            reading = attempt(self.path, "statement", line)
            if reading.node is None and outer is not None and takes(outer, word):
                clause = attempt(self.path, "clause", line)
                if clause.node is not None and not clause.diagnostics:
                    self._clause_at_margin(line, outer, clause)
                    return
            self._open(line, word, reading)
        elif outer is not None and takes(outer, word):
            self._clause_at_margin(line, outer, attempt(self.path, "clause", line))
        else:
            self._unknown_statement(line)

    def _open(self, line: LogicalLine, word: str, reading: Reading) -> None:
        node, misplaced = reading.node, False
        if word == "evallang":
            self.has_version = True
            if self._all and node is not None:
                message = "the version of the language is said once, on the first line"
                said = any(item.word == "evallang" for item in self._all)
                way_out = "leave this line out" if said else "move this line to the top"
                self._object(codes.VERSION_NOT_FIRST, message, line, way_out)
                node, misplaced = None, True
        before, self._opened = len(self.diagnostics), line.tokens[0].start
        self._keep(line, reading, faulty=misplaced)
        self._below, self._own = line, (before, len(self.diagnostics))
        self._bare = list_below(line.tokens)
        self._outer = Open(word, node, [], faulty=self.lines[-1].node is None)
        self._inner = None
        self._all.append(self._outer)

    def _clause_at_margin(self, line: LogicalLine, outer: Open, reading: Reading) -> None:
        message = f"`{line.word}` is a clause of `{outer.word}` and stands indented below it"
        place = Span(self.path, line.tokens[0].start, line.tokens[0].start)
        fix = Fix("indent it", (Edit(place, "  "),))
        self._object(codes.CLAUSE_IN_FIRST_COLUMN, message, line, fix=fix)
        self._keep(line, reading, faulty=True)
        if reading.node is not None:
            outer.clauses.append(reading.node)

    def _unknown_statement(self, line: LogicalLine) -> None:
        first, word = line.tokens[0], line.tokens[0].text
        span = Span(self.path, first.start, first.end)
        if meant := self._meant(line):
            line.tokens[0] = first._replace(text=meant)
            reading = attempt(self.path, "statement", line)
            fix = Fix(f"write `{meant}`", (Edit(span, meant),), safe=not reading.diagnostics)
            message = f"`{shortened(word)}` is no statement, did you mean `{meant}`?"
            way_out = None if reading.node else f"the form is `{STATEMENTS[meant].form}`"
            fixes = [fix] if reading.node else []
            found = diagnose(codes.UNKNOWN_STATEMENT, message, span, help=way_out, fixes=fixes)
            if line.diagnostics and not line.mended and line.diagnostics[0].span == span:
                line.diagnostics.clear()  # `6odel`: this says it better
                line.mended = True
            self._open(line, meant, Reading(reading.node, (found,) if line.mended else ()))
            return
        taken_by = owners(word)
        counts = len(line.tokens) > 1 and line.tokens[1].kind == "NUMBER"  # `log 7` ends a domain
        other = None if counts else language.NOT_STATED.get(word.casefold())
        if not taken_by and other is None and self._ends_the_one_above(line):
            self._part_at_margin(line)
            return
        if other is not None:
            message = f"`{word}` is not a statement"
            found = diagnose(codes.UNKNOWN_STATEMENT, message, span, help=other)
        elif taken_by:
            message = f"`{word}` is a clause of {listed(taken_by)}, not a statement"
            way_out = "indent it below its statement"
            found = diagnose(codes.CLAUSE_IN_FIRST_COLUMN, message, span, help=way_out)
        elif word in CONNECTIVES or first.kind != "NAME":
            message = f"no statement begins with `{shortened(word)}`"
            way_out = "a line that belongs to the one above is indented"
            if first.kind == "TEXT":
                way_out = 'a title stands behind its word, as in `study "TITLE"`'
            found = diagnose(codes.UNKNOWN_STATEMENT, message, span, help=way_out)
        else:
            message = f"`{shortened(word)}` is no statement"
            way_out = f"a statement begins with {listed(STATEMENTS)}"
            if given := given_a_value(self.path, line.tokens):
                way_out = f"write `model {shortened(word)} = ...`, or `let` for what is no model"
            found = diagnose(codes.UNKNOWN_STATEMENT, message, span, help=way_out)
            if given:
                self._open(line, "model", Reading(given.node, (found,) * line.mended))
                return
        self._keep(line, Reading(None, (found,) if line.mended else ()))
        self._outer = Open("", None, [], faulty=True)
        self._inner = None
        self._all.append(self._outer)

    def _ends_the_one_above(self, line: LogicalLine) -> bool:
        """Read `with mcnemar` as the end of `compare a, b` above it, where that is a statement."""
        above, outer = self._above, self._outer
        if above is None or outer is None or not (above.mended and line.mended):
            return False
        first, *rest = line.tokens
        is_part = first.text in CONNECTIVES or first.kind in ("VBAR", "TEXT")
        if not is_part and not (rest and rest[0].kind == "EQUAL"):
            return False
        if len(above.tokens) > MOST_JOINED:
            return False
        reading = read_line(self.path, "statement", [*above.tokens, *line.tokens])
        if reading.node is None or reading.diagnostics:
            return False
        start, end = self._own
        if end > start:
            del self.diagnostics[start:end]
            outer.faulty = False  # it lacked nothing but this
        outer.node = reading.node
        above.tokens += line.tokens
        self._below, self._own = above, (start, start)
        return True

    def _part_at_margin(self, line: LogicalLine) -> None:
        first = line.tokens[0]
        message = f"no statement begins with `{shortened(first.text)}`: it belongs to the one above"
        place = Span(self.path, first.start, first.start)
        way_out, fix = "a statement stands on one line", None
        if first.kind == "VBAR":
            way_out, fix = "indent it", Fix("indent it", (Edit(place, "  "),))
        self._object(codes.UNKNOWN_STATEMENT, message, line, way_out, fix=fix)
        self._keep(line, Reading(None, ()), faulty=True)

    def _meant(self, line: LogicalLine) -> str | None:
        """Tell which statement a line probably is that begins with no word of one.

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
        reading = attempt(self.path, "statement", line)
        line.tokens[0] = first
        declares = len(line.tokens) > 2 and line.tokens[2].kind == "EQUAL"
        return other if reading.node is not None or declares else None

    # --- indented lines ----------------------------------------------------------------

    def _indented(self, line: LogicalLine) -> None:
        word = line.word
        owner = self._owner(word)
        if owner is None:
            self._above_everything(line)
            return
        if word in STATEMENTS:
            clause = attempt(self.path, "clause", line) if takes(owner, word) else None
            if clause is None or clause.node is None or clause.diagnostics:
                statement = attempt(self.path, "statement", line)
                if statement.node is not None and not statement.diagnostics:
                    self._indented_statement(line, statement)
                    return
                if owner.word and language.clause(word) is None:
                    self._object(codes.STATEMENT_INDENTED, said_indented(word), line)
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
        """Read a clause; if it does not parse and has no known word, blame the word."""
        reading = attempt(self.path, "clause", line)
        first = line.tokens[0]
        sound = reading.node is not None and not reading.diagnostics
        if sound or takes(owner, line.word) or not (line.mended and owner.word):
            return reading
        span = Span(self.path, first.start, first.end)
        word = shortened(line.word)
        taken = STATEMENTS[owner.word].clauses
        begins, _, rest = line.word.partition("_")
        if begins in taken and rest:  # `higher_is_better`
            right = line.word.replace("_", " ")
            message = f"`{word}` is written `{right}`"
            fixes = [Fix(f"write `{right}`", (Edit(span, right),))]
            return Reading(None, (diagnose(codes.MISSPELT_CLAUSE, message, span, fixes=fixes),))
        meant = language.clause_meant(line.word, taken) or closest(line.word, taken)
        if meant is None:
            message = f"`{word}` begins no clause of `{owner.word}`"
            if taken_by := owners(line.word):
                message = f"`{word}` is a clause of {listed(taken_by)}, not of `{owner.word}`"
            way_out = f"`{owner.word}` takes {listed(taken)}"
            found = diagnose(codes.MISSPELT_CLAUSE, message, span, help=way_out)
            return Reading(None, (found,))
        line.tokens[0] = first._replace(kind="NAME", text=meant)
        again = attempt(self.path, "clause", line)
        fixes = [Fix(f"write `{meant}`", (Edit(span, meant),))] if again.node else []
        message = f"`{word}` begins no clause, did you mean `{meant}`?"
        found = diagnose(codes.MISSPELT_CLAUSE, message, span, fixes=fixes)
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
        self._object(codes.STATEMENT_INDENTED, said_indented(line.word), line, fix=fix)
        self._keep(line, reading, faulty=True)
        self._inner = Open(line.word, reading.node, [], faulty=True)
        self._all.append(self._inner)

    def _not_taken(self, line: LogicalLine, owner: Open) -> None:
        if owner is self._outer:
            self._ends_the_one_above(line)
        if not owner.faulty:
            owner.faulty = True  # said once for all lines below a statement
            message = f"`{owner.word}` takes no clauses"
            way_out = f"all its parts stand on one line: `{STATEMENTS[owner.word].form}`"
            if taken_by := owners(line.word):
                way_out = f"`{line.word}` is a clause of {listed(taken_by)}"
            elif owner.word == "model":
                way_out = "parameters stand in brackets behind their class, as in `SVC(C=1)`"
            self._object(codes.CLAUSE_NOT_TAKEN, message, line, way_out)
        self._keep(line, Reading(None, ()), faulty=True)

    def _above_everything(self, line: LogicalLine) -> None:
        reading = attempt(self.path, "statement", line) if line.word in STATEMENTS else None
        if reading is not None and reading.node is not None:
            self._indented_statement(line, reading)
            self._outer, self._inner = self._inner, None
            return
        message = "an indented line stands above the first statement"
        way_out = "a statement begins in column 0"
        self._object(codes.CLAUSE_NOT_TAKEN, message, line, way_out)
        self._keep(line, Reading(None, ()), faulty=True)

    # --- keeping book ------------------------------------------------------------------

    def _stray(self, line: LogicalLine) -> None:
        """Keep a line that holds nothing but a sign that means nothing."""
        brackets = all(d.code == codes.UNMATCHED_BRACKET.code for d in line.diagnostics)
        if not (brackets and self._outer is not None and self._outer.faulty):
            self.diagnostics += line.diagnostics
        self.lines.append(ParsedLine(line.start, line.end, line.at_margin, None))

    def _keep(self, line: LogicalLine, reading: Reading, *, faulty: bool = False) -> None:
        found = (*line.diagnostics, *unsaid(line.diagnostics, reading.diagnostics))
        self.diagnostics += found
        sound = line.mended and not (found or faulty)
        node = reading.node if sound else None
        self.lines.append(ParsedLine(line.start, line.end, line.at_margin, node))

    def _object(
        self,
        code: Code,
        message: str,
        line: LogicalLine,
        way_out: str | None = None,
        *,
        fix: Fix | None = None,
    ) -> None:
        """Report that a line stands where it does not belong."""
        first = line.tokens[0]
        span = Span(self.path, first.start, first.end)
        fixes = [fix] if fix else []
        self.diagnostics.append(diagnose(code, message, span, help=way_out, fixes=fixes))
