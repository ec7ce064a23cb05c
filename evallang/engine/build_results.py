"""Results built from what was found, with the words, sources and settings that reports need."""

import platform
from importlib.metadata import PackageNotFoundError, version

from evallang.data.read_sources import ReadSources
from evallang.engine.data_records import data_defaults, data_records, model_records
from evallang.engine.methods_used import methods_used, model_based
from evallang.planning.keys import package_versions
from evallang.planning.planner import Planned
from evallang.results.records import (
    SCHEMA,
    Analysis,
    Comparison,
    Estimate,
    Export,
    Failure,
    FileRecord,
    FitCounts,
    FitWarning,
    Provenance,
    Requirement,
    ResultsRecord,
    Selection,
    SpecRecord,
    StudyRecord,
)
from evallang.study import Study
from evallang.version import VERSION


def build_results(
    *,
    study: Study,
    read: ReadSources,
    planned: Planned,
    estimates: tuple[Estimate, ...],
    comparisons: tuple[Comparison, ...],
    requirements: tuple[Requirement, ...],
    selections: tuple[Selection, ...],
    failures: tuple[Failure, ...],
    warnings: tuple[FitWarning, ...],
    counts: FitCounts,
    exports: tuple[Export, ...] = (),
    analyses: tuple[Analysis, ...] = (),
) -> ResultsRecord:
    """Put everything together; provenance and diagnostics are filled in by the caller."""
    data = data_records(study, read)
    methods, references = methods_used(
        study, estimates, comparisons, requirements, data, exports, analyses
    )
    defaults = (*planned.plan.defaults, *data_defaults(read))
    return ResultsRecord(
        schema=SCHEMA,
        study=StudyRecord(
            study.title,
            study.authors,
            study.question,
            study.about,
            study.seed,
            study.alpha,
            study.confidence,
            study.families,
            defaults,
        ),
        spec=SpecRecord(
            study.path,
            study.files[0].sha256,
            study.files,
            study.canonical,
            study.overrides,
            tuple(FileRecord(use.module, use.sha256 or "") for use in study.uses),
        ),
        data=data,
        models=model_records(study, read),
        protocols=planned.plan.protocols,
        estimates=estimates,
        comparisons=comparisons,
        selections=selections,
        requirements=requirements,
        analyses=analyses,
        exports=exports,
        diagnostics=(),
        failures=failures,
        provenance=provenance(counts, ("skops",) if exports else (), study),
        warnings=warnings,
        methods=methods,
        references=references,
        report=study.report,
    )


def provenance(counts: FitCounts, more: tuple[str, ...], study: Study) -> Provenance:
    """State versions and machine; command, time and git state are the caller's to fill in."""
    packages = ["numpy", "scipy", "scikit-learn", "polars", "joblib", *more]
    packages += ["optuna"] if model_based(study) else []
    return Provenance(
        evallang=VERSION,
        python=platform.python_version(),
        packages={name: _version(name) for name in packages} | _own_versions(study),
        platform=f"{platform.system()} {platform.release()}",
        processor=platform.machine(),
        git=None,
        command="",
        started="",
        seconds=0.0,
        fits=counts,
    )


def _own_versions(study: Study) -> dict[str, str]:
    """Return the versions of the packages that the models' classes come from."""
    return {k: v for model in study.models for k, v in package_versions(model.pipeline).items()}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
