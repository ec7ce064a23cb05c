"""No test depends on a clock: a loaded machine draws the same examples, only later.

Modules with slow tests come first, so that no process works at one while the others are done.
Linear algebra and OpenMP have one thread in each process of the tests, and what they like in those
they start: on a busy machine, threads that wait for one another take more time than the work.
In the folders `WITHOUT_PDF` a report in this process is all that it is but for its fonts and the
layout of its PDF, which take ten times as long as the rest; a test marked `pdf` and one with the
fixture `drawn` have both, and one that uses `no_layout` elsewhere has neither.
"""

import gc
import os
from hashlib import sha256
from pathlib import Path

import numpy
import pytest
import scipy.linalg
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

import evallang.cli.run
from evallang.data.reading import reading
from evallang.reporting import fonts, pdf

os.environ["OMP_NUM_THREADS"] = "1"  # read when a module loads OpenMP, until tests are collected
assert numpy and scipy.linalg  # loaded before their threads can be limited
threadpool_limits(1, user_api="blas")


settings.register_profile(
    "without_clock",
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("without_clock")

TESTS = Path(__file__).parent
os.environ["EVALLANG_STORE"] = "off"  # a test that runs a study twice means to fit twice
# Workers of Dask that replace killed ones are forked from a process that has imported it
os.environ["DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD"] = "forkserver"


def pytest_collection_finish():
    """Look for garbage more seldom, and not in what stays: a twelfth of the time of a check."""
    os.environ.pop("OMP_NUM_THREADS", None)
    gc.freeze()
    gc.set_threshold(100_000, 10, 10)


def pytest_collection_modifyitems(items):
    """Move the modules that hold a slow test to the front, the same order in all processes."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path not in slow, item.path))


WITHOUT_PDF = frozenset(
    {
        "api",
        "checking",
        "cli",
        "conformance",
        "data",
        "docs",
        "drafts",
        "engine",
        "locks",
        "metrics",
    }
    | {"models", "protocols", "reporting", "results", "security", "stats", "syntax"}
)
lay_out, cut = pdf.write, fonts.cut
evallang.cli.run.cores = lambda: 1  # a test of processes says `-j 2`


def stand_in(html, identifier, attached=(), fonts="", drawings=None):
    """Return bytes that differ where those of the PDF would."""
    text = "\0".join((html, fonts, *(drawings or {}).values()))
    content = [text.encode(), identifier.encode("ascii"), *(f.content for f in attached)]
    digest = sha256(b"\0".join(content)).hexdigest()
    return f"%PDF-1.7\n% not laid out: mark the test `pdf`\n% {digest}\n".encode()


def no_font(face, characters):
    """Return bytes that differ where those of the cut font would."""
    return f"{face.key} {''.join(sorted(characters))}".encode()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Choose, before fixtures, whether reports have their PDF laid out."""
    part = item.path.relative_to(TESTS).parts[0]
    looks = item.get_closest_marker("pdf") or "drawn" in item.fixturenames
    whole = part not in WITHOUT_PDF or looks
    pdf.write = lay_out if whole else stand_in
    fonts.cut = cut if whole else no_font


@pytest.fixture(scope="session", autouse=True)
def reader():
    """Read the files of all tests with one process, as a command reads all of its files."""
    with reading():
        yield


@pytest.fixture
def no_layout(monkeypatch):
    """Make reports without the fonts and the layout of their PDF."""
    monkeypatch.setattr(pdf, "write", stand_in)
    monkeypatch.setattr(fonts, "cut", no_font)
