"""The tasks that take longest come first, own code last, and no worker waits for one task."""

from dataclasses import dataclass

from evallang.engine.backends.waiting import Waiting


@dataclass(frozen=True)
class Task:
    kind: str
    number: int
    own_code: bool = False


def taken(queue):
    task = queue.take().task
    return f"{task.kind}{task.number}"


def test_the_kind_that_takes_longest_comes_first_once_that_is_known():
    queue = Waiting([Task(kind, number) for number, kind in enumerate("xyxyzz")])
    assert taken(queue) == "x0"
    queue.note(Task("x", 0), 0.1)
    assert [taken(queue), taken(queue)] == ["y1", "y3"]
    queue.note(Task("z", 0), 4.0)
    assert [taken(queue) for _ in range(len(queue))] == ["z4", "z5", "x2"]


def test_own_code_comes_last():
    queue = Waiting([Task("own", 0, own_code=True), Task("quick", 1)])
    queue.note(Task("quick", 0), 0.0)
    assert [taken(queue), taken(queue)] == ["quick1", "own0"]


def test_what_is_put_back_comes_first():
    queue = Waiting([Task("a", number) for number in range(3)])
    first = queue.take()
    queue.put_back([first])
    assert len(queue) == 3
    assert queue.take() is first
