"""Resamples of a bootstrap as plain arrays."""

import numpy as np

from evallang.stats.draws import Resamples


def drawn_weights(rng, units, rounds):
    """Draw `units` of as many with replacement, again and again; how often each came, (B, n)."""
    blocks = Resamples(np.ones(units)).blocks(rng, rounds)
    return np.concatenate([block.times.T for block in blocks])
