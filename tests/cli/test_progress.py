"""The line that moves while a study runs."""

from evallang.cli.progress import Progress, duration


def started(**state) -> Progress:
    progress = Progress(shown=False)
    progress.started = progress.fitting_since = 100.0
    for name, value in state.items():
        setattr(progress, name, value)
    return progress


def test_the_line_says_what_is_done_before_there_are_fits():
    assert started().line(102.0) == "reading the data  2 s"


def test_the_clock_goes_on_while_the_first_fit_runs():
    progress = started()
    progress.update(0, 160)
    progress.fitting_since = 101.0
    assert progress.line(107.0).strip() == "0 of 160 fits  7 s"


def test_the_time_left_follows_from_the_fits_done():
    progress = started()
    progress.update(40, 160)
    # 40 fits in 20 seconds: the other 120 take 60
    assert (
        progress.line(120.0)
        == "━" * 6 + " " * 18 + " 40 of 160 fits  20 s  2 fits/s  1 min 00 s left"
    )


def test_one_fit_of_many_tells_nothing_of_the_time_left():
    progress = started()
    progress.update(1, 3060)
    assert progress.line(114.0).strip() == "1 of 3,060 fits  14 s"


def test_what_follows_the_fits_is_named():
    progress = started()
    progress.update(160, 160)
    assert progress.line(130.0) == "computing intervals and tests  30 s"
    progress.say("writing the report")
    assert progress.line(131.0) == "writing the report  31 s"


def test_a_line_that_is_not_shown_writes_nothing(capsys):
    with started() as progress:
        progress.update(1, 2)
    assert capsys.readouterr().err == ""


def test_durations_read_as_people_say_them():
    assert [duration(s) for s in (0.4, 59, 61, 3600, 7800)] == [
        "0 s",
        "59 s",
        "1 min 01 s",
        "1 h 00 min",
        "2 h 10 min",
    ]
