"""What can be installed with evallang: its extras, and the libraries that draw a PDF.

Every message that asks for one takes its command from here, and `evallang doctor` lists them all.
"""

import sys

EXTRAS = {
    "bayes": "searches by Optuna: `tune bayes`",
    "catboost": "models of CatBoost",
    "cloud": "data at s3://, gs://, az:// and https://",
    "dask": "fits on a cluster: `run --dask`",
    "duckdb": "`sql` on files of DuckDB",
    "excel": "data in Excel workbooks",
    "imbalanced": "resampled classes: `SMOTE`, ...",
    "lightgbm": "models of LightGBM",
    "logs": "compressed logs of Inspect AI",
    "lsp": "checks and completion in editors",
    "notebook": "`%%eval` in Jupyter notebooks",
    "postgresql": "`sql` on PostgreSQL servers",
    "verify": "`evallang verify report.pdf`",
    "word": "reports for Word: `report docx`",
    "xgboost": "models of XGBoost",
}
"""What each extra is for. `evallang[all]` has all of them."""

PDF_LIBRARIES = {
    "Pango": ("libpango-1.0.so.0", "libpango-1.0.dylib"),
    "Pango for FreeType": ("libpangoft2-1.0.so.0", "libpangoft2-1.0.dylib"),
    "HarfBuzz subsetter": ("libharfbuzz-subset.so.0", "libharfbuzz-subset.dylib"),
}
"""The libraries of the system that draw a PDF, by the names of their files on Linux and macOS."""
DEBIAN = "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
HOMEBREW = "brew install pango"
INSTALL_PDF = f"{DEBIAN} (Debian, Ubuntu), or {HOMEBREW} (macOS)"


def install_extras(*names: str) -> str:
    """Return the command that installs extras."""
    return f"pip install 'evallang[{','.join(names)}]'"


def install_pdf() -> str:
    """Return the command that installs the libraries of the PDF on this kind of system."""
    return HOMEBREW if sys.platform == "darwin" else DEBIAN
