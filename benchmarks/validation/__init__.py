"""Simulations that measure what the numeric core promises: designs in, `docs/validation.md` out.

Each module of designs draws data whose truth is known by construction, hands them to
`evallang.stats`, and counts how often a test rejects or an interval holds the truth.

    python -m benchmarks.validation                 the whole, as `make validate-full` does
    python -m benchmarks.validation --share 0.01    a hundredth of the replications, as the tests do
"""
