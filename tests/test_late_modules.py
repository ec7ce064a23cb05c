"""Modules that wait until they are used give what they give without waiting."""

import json
import subprocess
import sys

from evallang.late_modules import LATE

SCRIPT = """\
import importlib, json, sys
import numpy as np
{how}
found = {{}}
draw = np.random.default_rng(1)
X = draw.normal(size=(90, 3)).round(1)
y = (X[:, 0] > 0).astype(int)
for place, name, given in (
    ("preprocessing", "QuantileTransformer", {{"output_distribution": "normal"}}),
    ("preprocessing", "PowerTransformer", {{}}),
    ("preprocessing", "SplineTransformer", {{}}),
    ("impute", "SimpleImputer", {{"strategy": "most_frequent"}}),
):
    step = getattr(imported(f"sklearn.{{place}}"), name)(**given)
    found[name] = step.fit_transform(X).tolist()
rising = imported("sklearn.isotonic").IsotonicRegression(increasing="auto")
found["IsotonicRegression"] = rising.fit(X[:, 0], y).predict(X[:, 0]).tolist()
spread = imported("sklearn.covariance").MinCovDet(random_state=1).fit(X)
found["MinCovDet"] = spread.covariance_.tolist()
near = imported("sklearn.neighbors").KNeighborsClassifier(3, algorithm="kd_tree").fit(X, y)
found["KNeighborsClassifier"] = near.predict(X).tolist()
found["auc"] = imported("sklearn.metrics").roc_auc_score(y, X[:, 1])
print(json.dumps(found))
"""


def printed(script):
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_classes_whose_modules_wait_compute_what_they_do_otherwise():
    late = "from evallang.late_modules import import_module as imported"
    assert printed(SCRIPT.format(how=late)) == printed(
        SCRIPT.format(how="imported = importlib.import_module")
    )


def test_modules_wait_while_a_package_is_imported_and_are_whole_afterwards():
    script = """\
import json, sys
from evallang.late_modules import import_module
import_module("sklearn.linear_model")
import_module("sklearn.preprocessing")
print(json.dumps(sorted(sys.modules)))
import scipy, sklearn.preprocessing._data as data
import numpy, numpy.testing, scipy.stats.mstats
from scipy.stats import norm
assert scipy.stats.__file__ and scipy.stats.norm is norm is data.stats.norm
assert numpy.f2py.__file__ and numpy.testing.assert_allclose and scipy.stats.mstats.mquantiles
import_module("sklearn.inspection")  # which imports a module below one that waits
assert not [name for name, module in sys.modules.items() if "Late" in type(module).__name__]
"""
    loaded = json.loads(printed(script))
    assert "sklearn.linear_model" in loaded
    assert not set(loaded) & set(LATE["sklearn"])


def test_a_module_that_waits_is_imported_by_a_module_below_it():
    script = """\
import sys
from evallang.late_modules import import_module
import_module("sklearn.inspection")
import scipy.stats
assert scipy.stats.__file__ and sys.modules["scipy.stats"] is scipy.stats
from sklearn.inspection._partial_dependence import mquantiles
print(float(mquantiles([1, 2, 3], 0.5)[0]))
"""
    assert printed(script) == "2.0\n"
