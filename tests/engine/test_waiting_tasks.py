"""Tasks that share work go to one worker, and no worker waits while there is a task."""

from dataclasses import dataclass

from evallang.engine.backends.waiting import Waiting


@dataclass(frozen=True)
class Task:
    group: str
    number: int
    kind: str = ""
    own_code: bool = False


def waiting(groups):
    return Waiting([Task(group, number) for number, group in enumerate(groups)])


def taken(queue, last, others):
    task = queue.take(last, others).task
    return f"{task.group}{task.number}"


def test_a_worker_stays_with_its_group_and_begins_one_that_no_other_has():
    queue = waiting("abcabacc")
    assert taken(queue, None, set()) == "a0"  # the first of the largest
    assert taken(queue, None, {"a"}) == "c2"
    assert taken(queue, "a", {"c"}) == "a3"
    assert taken(queue, "a", {"c"}) == "a5"
    assert taken(queue, "a", {"c"}) == "b1"


def test_a_worker_without_a_group_of_its_own_takes_the_last_of_the_largest():
    queue = waiting("abbaab")
    assert taken(queue, None, {"b"}) == "a0"
    assert taken(queue, None, {"a", "b"}) == "b5"
    assert len(queue) == 4


def test_of_a_group_the_task_that_takes_longest_comes_first_once_that_is_known():
    kinds = {"a": "xyz", "b": "xyz", "c": "wxyz"}
    queue = Waiting(
        [Task(group, number, kind) for group in kinds for number, kind in enumerate(kinds[group])]
    )
    assert taken(queue, None, set()) == "c0"
    for kind, seconds in (("x", 0.1), ("y", 3.0), ("z", 0.1)):
        queue.note(Task("", 0, kind), seconds)
    assert [taken(queue, "a", {"c"}) for _ in range(3)] == ["a1", "a0", "a2"]
    assert taken(queue, "a", {"c"}) == "b1"
    queue.note(Task("", 0, "z"), 4.0)
    assert taken(queue, "c", {"b"}) == "c3"
    assert taken(queue, None, {"b", "c"}) == "b2"  # of the group that takes longest
    assert taken(queue, "c", {"b"}) == "c2"


def test_what_is_put_back_comes_first():
    queue = waiting("aab")
    first = queue.take(None, set())
    queue.put_back([first])
    assert len(queue) == 3
    assert queue.take("b", set()) is first
