"""Reference values by Python packages, with more samples than a test has time for.

`python over_data.py > over_data_python.csv`, with baycomp 1.0.3, scikit-posthocs 0.17.1,
numpy 2.4.6 and scipy 1.17.1. The data are made up by make_data_sets.py.
"""

import baycomp
import numpy as np
import scikit_posthocs

SCORES = np.loadtxt("data_sets.csv", delimiter=",", skiprows=1)
SAMPLES = 400_000


def main():
    print("name,value")
    p = scikit_posthocs.posthoc_nemenyi_friedman(SCORES).to_numpy()
    for j in range(1, 5):
        print(f"nemenyi_p_1_{j + 1},{p[0, j]:.15g}")
    for rope in (0.005, 0.02):
        # Moved by 1e-9, as a sum just at the end of the region counts half there
        region = rope + 1e-9
        for j in (1, 2, 4):
            x, y = SCORES[:, j], SCORES[:, 0]
            found = baycomp.SignedRankTest.probs(
                x, y, rope=region, nsamples=SAMPLES, random_state=1
            )
            sign = baycomp.SignTest.probs(
                x, y, rope=region, prior=0.5, nsamples=SAMPLES, random_state=1
            )
            for case, one, other in zip(("second", "rope", "first"), found, sign, strict=True):
                print(f"signed_rank_{rope:g}_1_{j + 1}_{case},{one:.15g}")
                print(f"sign_{rope:g}_1_{j + 1}_{case},{other:.15g}")


main()
