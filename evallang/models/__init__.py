"""Words of a pipeline in, checked against the catalogue; scikit-learn estimators out."""
