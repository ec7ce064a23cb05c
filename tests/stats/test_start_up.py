"""Methods are found by name."""


def test_methods_are_found_by_name():
    import evallang.stats as stats
    from evallang.stats import hypothesis_tests, intervals

    assert stats.holm([0.01, 0.02]) == (0.02, 0.02)
    assert stats.corrected_t is hypothesis_tests.corrected_t
    assert intervals.corrected_t is not hypothesis_tests.corrected_t
    for room in (stats, hypothesis_tests, intervals):
        assert not hasattr(room, "mcnemmar")
