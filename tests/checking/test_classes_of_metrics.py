"""Metrics that the classes of the data do not suit are refused when the data are read."""

import pytest
from calling import call

from evallang.metrics.metric import METRICS

HEAD = """\
evallang 1
study
  seed 1
data {0} from sklearn {0}
model m = GaussianNB
protocol cv folds=5
"""
JUDGED = """\
evallang 1
study
  seed 1
predictions p from "p.csv"
  judges a, b
  truth y
"""
WRITTEN = {
    "net_benefit": "net_benefit(threshold=0.2)",
    "normalized_cost": "normalized_cost(share=0.2)",
}


def shown(folder, data, line, head=HEAD):
    (folder / "study.eval").write_text(head.format(data) + line + "\n")
    done = call("check", "--data", "study.eval", folder=folder)
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize(
    "name", [m.name for m in METRICS if m.declaration.binary_only], ids=lambda name: name
)
def test_a_metric_of_two_classes_is_refused_for_three(tmp_path, name):
    written = WRITTEN.get(name, name)
    judged = METRICS[name].declaration.orders == "judges"
    rows = (f"{'uvw'[i % 3]},{'uvw'[i * i % 3]},{'uvw'[i % 3]}\n" for i in range(60))
    (tmp_path / "p.csv").write_text("a,b,y\n" + "".join(rows))
    text = shown(tmp_path, "wine", f"measure {written}", JUDGED if judged else HEAD)
    assert "error[E115]" in text
    assert f"`{written}` is for two classes, and there are 3" in text
    assert ("cohen_kappa" if judged else "roc_auc") in text


def test_the_metric_that_is_proposed_to_judges_of_three_classes_can_be_measured(tmp_path):
    (tmp_path / "p.csv").write_text("a,b,y\n" + "u,v,w\nv,v,v\nw,w,u\nu,u,u\n" * 15)
    assert "error" not in shown(tmp_path, "", "measure cohen_kappa", JUDGED)


def test_a_metric_of_several_classes_is_refused_for_two(tmp_path):
    text = shown(tmp_path, "breast_cancer", "measure top_k_accuracy(k=2)")
    assert "error[E115]" in text
    assert "is for three classes or more, and there are two" in text
