"""What moves on stderr while a study runs."""

import pytest

from evallang.activity import Activity, report_activity, watched
from evallang.cli.progress import Progress, duration
from evallang.engine.fits import Tally


def shown(activity: Activity, seconds: float, width: int = 79, later: float = 0.0) -> str:
    """Return the line so long after an activity that began some time after the fits."""
    progress = Progress(shown=False)
    progress.update(activity)
    progress.started = progress.fitting_since = 100.0
    progress.updated = 100.0 + seconds
    return progress.line(100.0 + seconds + later, width)


@pytest.mark.parametrize(
    ("activity", "line"),
    [
        (Activity("starting"), "starting  2 s"),
        (Activity("reading", "visits"), "reading visits  2 s"),
        (Activity("computing", "roc_auc of net", 3, 12), "computing roc_auc of net (3 of 12)  2 s"),
        (
            Activity("computing", "roc_auc of net", 3, 12, share=0.4),
            "computing roc_auc of net (3 of 12, 40% of it)  2 s",
        ),
        (Activity("rendering", "the report"), "rendering the report  2 s"),
    ],
)
def test_each_phase_is_named_with_the_time_and_how_far_it_is(activity, line):
    assert shown(activity, 2.0) == line


def test_the_time_left_follows_from_the_fits_done():
    # 40 fits in 20 seconds: the other 120 take 60
    line = "━" * 6 + " " * 18 + " 40 of 160 fits  20 s  2/s  1 min 00 s left"
    assert shown(Activity("fitting", "", 40, 160), 20.0) == line


def test_fits_of_the_store_tell_nothing_of_the_time_left():
    activity = Activity("fitting", "", 120, 160, cached=100, failed=2)
    line = shown(activity, 10.0)
    # 20 fits in 10 seconds: the other 40 take 20
    assert line.endswith("120 of 160 fits, 100 cached, 2 failed  10 s  2/s  20 s left")
    assert "left" not in shown(Activity("fitting", "", 100, 160, cached=100), 10.0)


def test_the_time_left_decreases_between_two_fits_and_is_never_negative():
    activity = Activity("fitting", "", 40, 160, share=0.5)
    assert shown(activity, 20.0, later=5.0).endswith("  25 s  1.6/s  15 s left")
    assert shown(activity, 20.0, later=30.0).endswith("  50 s  0.8/s")


def test_a_fit_takes_as_long_as_those_of_its_model_did():
    seen = []
    with watched(seen.append):
        tally = Tally(120, None, {"quick": 50, "slow": 50})
        tally.start_from(20)
        tally.finish(10, "quick", 1.0)  # 0.1 s each: the slow ones may take as long
        tally.finish(10, "slow", 90.0)
        tally.count(25)  # five more, of either model
        tally.finish(80, "slow", 360.0)
    of_quick, both, running, end = (activity.share for activity in seen[2:])
    assert of_quick == pytest.approx(1 / 10)
    assert both == pytest.approx(91 / (5 + 450))
    assert running == pytest.approx((91 + 5 * 91 / 20) / (5 + 450))
    assert end == 1.0


@pytest.mark.parametrize("width", [8, 20, 30, 50, 79])
def test_no_line_is_wider_than_the_terminal(width):
    long = Activity("computing", "compare a, b, c with friedman then nemenyi " * 3, 3, 12)
    many = Activity("fitting", "", 12_345, 306_000, cached=5_000, failed=12)
    wide = Activity("reading", "\u6570\u636e" * 30)  # two columns to each sign
    for activity in (long, many, wide):
        line = shown(activity, 4000.0, width)
        assert len(line) + sum(sign in "\u6570\u636e" for sign in line) <= width
    assert "(3 of 12)" in shown(long, 4.0, width) or width < 20


def test_plain_lines_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(Progress, "EVERY_PLAIN", 0.001)
    with Progress(shown=True) as progress, watched(progress.update):
        report_activity(Activity("reading", "visits"))
        while "visits" not in capsys.readouterr().err:
            pass
        report_activity(Activity("fitting", "", 1, 4))
        written = ""
        while "fits" not in written:
            written += capsys.readouterr().err
    assert "\r" not in written and "━" not in written and "\x1b" not in written
    assert "1 of 4 fits" in written


def test_durations_read_as_people_say_them():
    assert [duration(s) for s in (0.4, 59, 61, 3600, 7800)] == [
        "0 s",
        "59 s",
        "1 min 01 s",
        "1 h 00 min",
        "2 h 10 min",
    ]
