"""What a PDF carries: the results that it shows, and the study."""

from evallang.printable import printable_json
from evallang.reporting import pdf
from evallang.results.codec import to_plain
from evallang.results.records import ResultsRecord

RESULTS_NAME, STUDY_NAME = "results.json", "study.eval"


def attached_files(results: ResultsRecord) -> tuple[pdf.AttachedFile, ...]:
    """Return the results and the study as the PDF carries them, for readers and `verify`.

    When, how long and with which command a study ran, what came from the store, and the shortcuts
    of the other fits are omitted: two runs of one study give the same bytes.
    """
    plain = to_plain(results)
    made = dict(plain["provenance"])
    for name in ("started", "seconds", "command", "fast_paths"):
        made.pop(name)
    made["fits"] = {name: made["fits"][name] for name in ("planned", "failed")}
    text = printable_json({**plain, "provenance": made}, indent=1) + "\n"
    study = results.spec.canonical.encode("utf-8", "backslashreplace")
    return (
        pdf.AttachedFile(RESULTS_NAME, "The results that this report shows", text.encode()),
        pdf.AttachedFile(STUDY_NAME, "The study in its canonical format", study),
    )
