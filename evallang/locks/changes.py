"""What changed between two lists of settings, each difference with its place and its effect."""

from collections.abc import Mapping, Sequence, Set
from difflib import SequenceMatcher

from msgspec import Struct
from msgspec.structs import replace

from evallang.effect import Effect, worst
from evallang.locks.settings import (
    ANY_ORDER,
    COLUMN,
    CONTENT,
    DERIVED,
    EXCLUDED,
    ROW_NUMBER,
    ROWS,
    SPLITS,
    Plain,
    Setting,
)
from evallang.results.settings import SOURCES
from evallang.source import Span

Key = tuple[str, str, str]
Item = tuple[str, str]
Content = tuple[tuple[str, str], ...]
DECIDE_SPLITS = frozenset({"study", "data", "stratify", "protocol", ROWS})
"""The sections whose changes give other splits."""
ENGINE = ("version", "", "engine")


class Change(Struct, frozen=True):
    """A setting with another value; `before` or `after` is None where there is none.

    `place` names the setting, `statement` its statement, whose place in the later study is
    `span`, and in the earlier study `former_span`. A setting that was removed has the place of
    the statement that had it. `effect` is what the change means: words only, other numbers, or
    another claim.
    """

    place: str
    statement: str
    before: Plain
    after: Plain
    effect: Effect
    span: Span | None = None
    now_stated: bool | None = None
    """Whether a value that stayed is now written (True) or left to the default (False)."""
    whole: bool = False
    """Whether the whole statement was added or removed; the first of its settings stands here."""
    by_default: bool = False
    """Whether no value was written: the default changed with the version or another setting."""
    former_span: Span | None = None
    content: tuple[str, ...] = ()
    """What a whole statement without a name says: its written settings."""


def changes(before: Sequence[Setting], after: Sequence[Setting]) -> tuple[Change, ...]:
    """Compare two lists of settings; the gravest changes come first.

    Statements without a name are numbered, and matched by their content, so that a new line is
    one change and not a change of every line below it. What only follows from another change is
    omitted: a new seed gives new splits, a new row another content.
    """
    before = _renumbered(before, after)
    old, new = _settings_by_key(before), _settings_by_key(after)
    whole = _items(before) ^ _items(after)
    heads = _heads(after)
    found: dict[Key, Change] = {}
    first: dict[Item, Key] = {}
    for key in dict.fromkeys((*new, *old)):
        change = _change(old.get(key), new.get(key))
        if change is None:
            continue
        item = key[:2]
        if change.span is None:
            change = replace(change, span=heads.get(item))
        if item not in whole:
            found[key] = change
            continue
        setting = new.get(key) or old[key]
        says = _content(setting) if item[1].partition(" ")[0].isdecimal() else ()
        if item not in first:
            first[item] = key
            found[key] = replace(change, whole=True, content=says)
        else:
            one = found[first[item]]
            effect = worst([one.effect, change.effect])
            found[first[item]] = replace(one, effect=effect, content=(*one.content, *says))
    order = list(Effect)
    found = _with_row_order(found, old, new)
    by_default = {key for key in found if not any(s.stated for s in _both(key, old, new))}
    with_columns = {key[:2] for key in old if key[0] == ROWS and key[2].startswith(COLUMN)}
    kept = [
        change
        for key, change in found.items()
        if not _follows(key, found, by_default, columns=key[:2] in with_columns)
    ]
    return tuple(sorted(kept, key=lambda change: -order.index(change.effect)))


def _heads(settings: Sequence[Setting]) -> dict[Item, Span]:
    """Return where each statement begins, as far as its settings tell."""
    found: dict[Item, Span] = {}
    for setting in settings:
        item, span = (setting.section, setting.item), setting.span
        if span is not None and (item not in found or span.start < found[item].start):
            found[item] = span
    return found


def _content(setting: Setting) -> tuple[str, ...]:
    """Return a setting of a statement without a name as words, if it was written."""
    if not setting.stated or setting.value is None:
        return ()
    value = setting.value if isinstance(setting.value, list) else [setting.value]
    text = ", ".join(map(str, value))
    return (setting.name if setting.value is True else f"{setting.name} {text}",)


def _both(key: Key, old: Mapping[Key, Setting], new: Mapping[Key, Setting]) -> list[Setting]:
    return [settings[key] for settings in (old, new) if key in settings]


def _with_row_order(
    found: Mapping[Key, Change], old: Mapping[Key, Setting], new: Mapping[Key, Setting]
) -> dict[Key, Change]:
    """Replace the changes of columns by one of the order, if the same rows are in another."""
    named = dict(found)
    for key, change in found.items():
        section, item, name = key
        any_order = (ROWS, item, ANY_ORDER)
        if section != ROWS or name != CONTENT or any_order not in old or any_order not in new:
            continue
        others = {other for other in found if other[:2] == (ROWS, item) and other != key}
        moved = all(other[2].startswith(COLUMN) and other in old and other in new
                    for other in others)  # fmt: skip
        if others and moved:
            named = {other: one for other, one in named.items() if other not in others}
            named[key] = replace(change, place=f"{ROWS} {item} order of rows")
    return named


def _settings_by_key(settings: Sequence[Setting]) -> dict[Key, Setting]:
    return {(s.section, s.item, s.name): s for s in settings}


def _items(settings: Sequence[Setting]) -> set[Item]:
    """Return the statements, by section and name or number, of which a list has settings."""
    return {(s.section, s.item) for s in settings if s.item}


def _change(old: Setting | None, new: Setting | None) -> Change | None:
    setting = new or old
    if setting is None:
        return None
    before, former = (None, None) if old is None else (old.value, old.span)
    after, place = (None, None) if new is None else (new.value, new.span)
    if before != after or type(before) is not type(after):
        defaults = [one for one in (old, new) if one is not None and not one.stated]
        by_default = len(defaults) == 2 and setting.section not in DERIVED
        found = Change(setting.place, setting.statement, before, after, setting.effect, place)
        return replace(found, by_default=by_default, former_span=former)
    if old is not None and new is not None and old.stated is not new.stated:
        found = Change(
            setting.place, setting.statement, before, after, Effect.WORDS, place, new.stated
        )
        return replace(found, former_span=former)
    return None


def _follows(key: Key, found: Mapping[Key, Change], by_default: Set[Key], *, columns: bool) -> bool:
    """Return whether a change only follows from another one that is named.

    `columns` tells whether the content of each column is known.
    """
    section, item, name = key
    change = found[key]
    came_or_went = change.before is None or change.after is None
    grave = {other for other, one in found.items() if one.effect is not Effect.WORDS}
    whole = {other[0] for other in grave if found[other].whole}
    of_item = {other[2] for other in grave if other[:2] == (section, item)} - {name}
    if section == SPLITS:
        return any(other[0] in DECIDE_SPLITS or other == ENGINE for other in grave)
    if section == ROWS and name.startswith(EXCLUDED) and came_or_went:
        return any(other[0] in SOURCES for other in grave)
    if section == ROWS and name != ROW_NUMBER:
        if ROW_NUMBER in of_item:
            return True
        if name not in (CONTENT, ANY_ORDER):
            return False
        # with the same columns, another role of a column changed the hash
        role = any(other[0] in SOURCES and other[1] == item for other in grave)
        return (role and columns) or any(one.startswith(COLUMN) for one in of_item)
    if section == "study" and name == "group":
        return any(other[0] in SOURCES and other[2] == name for other in grave)
    if section == "family":
        return change.whole and "compare" in whole
    if key not in by_default:
        return section == "model" and "steps" in of_item and came_or_went
    if section == "tune":
        return came_or_went and any(other[0] in ("model", "protocol") for other in grave)
    if section == "interval" and (change.whole or name == "form"):
        asked = any(
            other[0] == "measure" or (other[0] in SOURCES and other[2] == "group")
            for other in grave
        )
        return asked or bool(whole & {"protocol", *SOURCES})
    if section == "model":
        return "steps" in of_item and came_or_went
    # an option without a written value that belongs to another method
    replaced = [one for one in of_item if _replaced(found[section, item, one])]
    return came_or_went and any(not one or name.startswith(f"{one} ") for one in replaced)


def _replaced(change: Change) -> bool:
    return change.before is not None and change.after is not None


def _renumbered(before: Sequence[Setting], after: Sequence[Setting]) -> list[Setting]:
    """Replace the numbers of statements of the earlier list by those of the later one."""
    found = []
    for section in dict.fromkeys(setting.section for setting in before):
        own = [setting for setting in before if setting.section == section]
        numbers = _matching(own, [setting for setting in after if setting.section == section])
        found += [replace(s, item=numbers.get(s.item, s.item)) for s in own]
    return found


def _matching(before: Sequence[Setting], after: Sequence[Setting]) -> dict[str, str]:
    """Match the numbered statements of a section: equal ones first, then those between them."""
    old, new = _contents(before), _contents(after)
    if not old:
        return {}
    names, further = list(old), list(new)
    found: dict[str, str] = {}
    matcher = SequenceMatcher(None, list(old.values()), list(new.values()), autojunk=False)
    for _, start, end, other, stop in matcher.get_opcodes():
        for i, j in zip(range(start, end), range(other, stop), strict=False):
            found[names[i]] = further[j]
        for i in range(start + (stop - other), end):
            found[names[i]] = f"{names[i]} of the earlier study"
    return found


def _contents(settings: Sequence[Setting]) -> dict[str, Content]:
    """Return the contents of numbered statements, by their numbers in order."""
    found: dict[str, list[tuple[str, str]]] = {}
    for setting in settings:
        if setting.item.isdecimal():
            found.setdefault(setting.item, []).append((setting.name, repr(setting.value)))
    return {item: tuple(sorted(content)) for item, content in found.items()}
