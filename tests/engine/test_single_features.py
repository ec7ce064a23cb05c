"""A feature that is as good as the models is reported after the run, and sound data are not."""

import numpy as np
import pytest
from studies import study

from evallang.api import run

STUDY = """evallang 1
study
  seed 1
{data}
model bayes = GaussianNB
model prior = DummyClassifier
protocol cv folds=3
measure accuracy
"""


def told(text, folder):
    return [d["code"] for d in run(study(STUDY.format(data=text), folder)).record.diagnostics]


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_bundled_data_have_several_strong_features(name, tmp_path):
    assert not {"W446", "W512"} & set(told(f"data d from sklearn {name}", tmp_path))


@pytest.mark.parametrize(("noise", "expected"), [(0.36, True), (2.0, False)])
def test_the_outcome_with_noise_is_as_good_as_any_model(noise, expected, tmp_path):
    draw = np.random.default_rng(14)
    y = np.arange(200) % 2
    x = draw.normal(size=(200, 3)) + 0.3 * y[:, None]
    z = y + noise * draw.normal(size=200)
    rows = [f"{a:.2f},{b:.2f},{c:.2f},{d:.2f},{'no' if e else 'yes'}"
            for (a, b, c), d, e in zip(x, z, y, strict=True)]  # fmt: skip
    (tmp_path / "d.csv").write_text("a,b,c,z,y\n" + "\n".join(rows) + "\n")
    assert ("W512" in told('data d from "d.csv"\n  target y', tmp_path)) == expected


@pytest.mark.parametrize("kind", ["three classes", "numbers"])
@pytest.mark.parametrize("others", [0.0, 3.0])
def test_a_feature_is_as_good_as_models_of_three_classes_or_of_numbers(kind, others, tmp_path):
    draw = np.random.default_rng(15)
    classes = kind == "three classes"
    y = np.arange(300) % 3 if classes else np.arange(300) / 50
    z = y + (0.28 if classes else 0.25) * draw.normal(size=300)
    x = draw.normal(size=(300, 3)) + others * (y[:, None] - y.mean())
    rows = [f"{a:.2f},{b:.2f},{c:.2f},{d:.3f},{'uvw'[int(e)] if classes else e}"
            for (a, b, c), d, e in zip(x, z, y, strict=True)]  # fmt: skip
    (tmp_path / "d.csv").write_text("a,b,c,z,y\n" + "\n".join(rows) + "\n")
    text = STUDY.format(data='data d from "d.csv"\n  target y')
    if not classes:
        text = text.replace("GaussianNB", "LinearRegression").replace("accuracy", "mae")
        text = text.replace("DummyClassifier", "DummyRegressor").replace("model prior", "model p")
        text = text.replace("protocol", "stratify none\nprotocol")
    found = [d["code"] for d in run(study(text, tmp_path)).record.diagnostics]
    assert ("W512" in found) == (others == 0.0)
