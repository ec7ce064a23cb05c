"""Did you mean: the candidate nearest to a word, or none when nothing is near."""

from collections.abc import Iterable
from itertools import islice

LONGEST = 64  # characters; a longer word is no slip of the keyboard
MOST_COMPARED = 400  # candidates; in a study of thousands of names each mistake costs the same


def closest(
    word: str, candidates: Iterable[str], most_compared: int | None = MOST_COMPARED
) -> str | None:
    """Find the candidate an author most likely meant.

    Case and the choice between `-` and `_` count for nothing, a swap of neighbours counts
    as one edit. A third of the word may be wrong (one letter in words of two to five).
    Ties go to the candidate that begins alike, then to the first given. Only the first
    `most_compared` candidates are looked at, with None all of them.
    """
    if not 2 <= len(word) <= LONGEST:
        return None
    letters = plain(word)
    best: str | None = None
    best_rank = (max(1, len(word) // 3) + 1, 0)
    for candidate in islice(candidates, most_compared):
        other = plain(candidate)
        if abs(len(other) - len(letters)) > best_rank[0]:
            continue
        edits = distance(letters, other, best_rank[0])
        if len(other) <= edits:  # nothing of the candidate would be left
            continue
        rank = (edits, -_shared_start(letters, other))
        if rank < best_rank and edits <= max(1, len(word) // 3):
            best, best_rank = candidate, rank
    return best


def distance(first: str, second: str, most: int | None = None) -> int:
    """Count edits between two words: insert, delete, replace, swap two neighbours.

    The restricted form (optimal string alignment): no stretch is edited twice
    (Damerau 1964; Boytsov 2011). More than `most` edits are not counted to the end.
    """
    before: list[int] = []
    last: list[int] = []
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        before, last, row = last, row, [i]
        for j, b in enumerate(second, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if most is not None and min(row) > most and min(last) > most:
            return most + 1
    return row[-1]


def plain(word: str) -> str:
    """Give a word as it is compared: in small letters, with `_`."""
    return word.casefold().replace("-", "_")


def _shared_start(first: str, second: str) -> int:
    shared = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        shared += 1
    return shared
