"""Write `catalogue.json`: what the scikit-learn versions we support take and can do.

Usage, with one environment for each minor version of the supported range::

    PYTHON_OF_1_6 tests/models/write_catalogue.py --scan > 1.6.json     (once for each version)
    python tests/models/write_catalogue.py 1.6.json 1.7.json 1.8.json   (adds the installed one)

    python tests/models/write_catalogue.py --extras     (those of `packages.py` that are installed)

The folder of evallang must be on the path of the older ones; they need nothing but
scikit-learn. The same scans give the same bytes. A constraint is text (see `scanned_classes.py`),
kept once in a list; a parameter is `[number of its constraint, default]`, and where versions
differ a list of `[number, default, since, until]`, oldest first.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

MODELS = Path(__file__).parents[2] / "evallang" / "models"
TARGET = MODELS / "catalogue.json"
EXTRAS = MODELS / "catalogue_extras.json"


def main(arguments: list[str] | None = None) -> None:
    """Scan the installed version, or merge scans into the catalogue."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("scans", nargs="*", type=Path, help="scans of other versions")
    parser.add_argument("--scan", action="store_true", help="print a scan of this version")
    parser.add_argument("--without-installed", action="store_true", help="merge the files alone")
    parser.add_argument("--extras", action="store_true", help="scan the installed extras")
    options = parser.parse_args(arguments)
    if options.extras:
        write_extras()
        return
    from scanned_classes import scan

    if options.scan:
        json.dump(scan(), sys.stdout, indent=0, sort_keys=True)
        return
    scans = [json.loads(path.read_text(encoding="utf-8")) for path in options.scans]
    if not options.without_installed:
        scans.append(scan())
    TARGET.write_text(as_text(merge(scans)), encoding="utf-8")


def write_extras() -> None:
    """Scan the installed packages other than scikit-learn; what is not installed stays as it is."""
    from scanned_classes import scan_package

    from evallang.models.packages import PACKAGES, installed

    known = json.loads(EXTRAS.read_text(encoding="utf-8")) if EXTRAS.exists() else {}
    versions, classes = dict(known.get("versions", {})), dict(known.get("classes", {}))
    for package in PACKAGES.values():
        if installed(package):
            found = scan_package(package)
            versions[package.name] = found["version"]
            classes.update(found["classes"])
    EXTRAS.write_text(extras_as_text(versions, classes), encoding="utf-8")


def extras_as_text(versions: Mapping[str, Any], classes: Mapping[str, Any]) -> str:
    """Write the table of extras with one class a line."""
    lines = ",\n".join(f"{_compact(name)}:{_compact(classes[name])}" for name in sorted(classes))
    return (
        f'{{"versions":{_compact(dict(sorted(versions.items())))},\n"classes":{{\n{lines}\n}}}}\n'
    )


def merge(scans: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge scans of several versions into one table."""
    ordered = sorted(scans, key=lambda found: _number(found["version"]))
    minors = [minor(found["version"]) for found in ordered]
    names = sorted({name for found in ordered for name in found["classes"]})
    constraints = sorted(
        {
            constraint
            for found in ordered
            for facts in found["classes"].values()
            for constraint, _ in facts["parameters"].values()
        }
    )
    index = {constraint: i for i, constraint in enumerate(constraints)}
    classes = {}
    for name in names:
        found_in = {
            m: s["classes"][name]
            for m, s in zip(minors, ordered, strict=True)
            if name in s["classes"]
        }
        classes[name] = _merge_class(found_in, minors, index)
    return {
        "scikit_learn": [found["version"] for found in ordered],
        "constraints": constraints,
        "classes": classes,
    }


def as_text(table: Mapping[str, Any]) -> str:
    """Write the table with one class or constraint a line, so that a new version is a diff."""

    def lines(items: Iterable[str]) -> str:
        return ",\n".join(items)

    constraints = lines(_compact(constraint) for constraint in table["constraints"])
    classes = lines(
        f"{_compact(name)}:{_compact(entry)}" for name, entry in table["classes"].items()
    )
    return (
        f'{{"scikit_learn":{_compact(table["scikit_learn"])},\n'
        f'"constraints":[\n{constraints}\n],\n"classes":{{\n{classes}\n}}}}\n'
    )


def minor(version: str) -> str:
    """Return `1.8` for `1.8.0`."""
    return ".".join(version.split(".")[:2])


def _merge_class(
    found: Mapping[str, Mapping[str, Any]], minors: list[str], index: Mapping[str, int]
) -> dict[str, Any]:
    """Merge what versions say of one class; `older` holds the facts that were different."""
    newest = found[list(found)[-1]]
    entry = {fact: value for fact, value in newest.items() if fact != "parameters"}
    entry.update(_presence(list(found), minors))
    older = {version: _differences(facts, newest) for version, facts in found.items()}
    if any(older.values()):
        entry["older"] = {version: facts for version, facts in older.items() if facts}
    here = [m for m in minors if m in found]
    names = dict.fromkeys(p for m in reversed(here) for p in found[m]["parameters"])
    entry["parameters"] = {
        name: _merge_parameter({m: found[m]["parameters"].get(name) for m in here}, index)
        for name in names
    }
    return entry


def _differences(older: Mapping[str, Any], newest: Mapping[str, Any]) -> dict[str, Any]:
    facts = sorted((older.keys() | newest.keys()) - {"parameters"})
    return {fact: older.get(fact) for fact in facts if older.get(fact) != newest.get(fact)}


def _merge_parameter(found: Mapping[str, Any], index: Mapping[str, int]) -> list[Any]:
    editions: list[tuple[Any, list[str]]] = []
    for version, described in found.items():
        if editions and editions[-1][0] == described:
            editions[-1][1].append(version)
        else:
            editions.append((described, [version]))
    here = list(found)
    merged = []
    for described, versions in editions:
        if described is not None:
            presence = _presence(versions, here)
            since, until = presence.get("since"), presence.get("until")
            merged.append([index[described[0]], described[1], since, until])
    if len(editions) == 1:
        return list(merged[0][:2])
    return merged


def _presence(versions: list[str], of: list[str]) -> dict[str, str]:
    """Return the first and last versions, where they are not those of the whole range."""
    presence = {}
    if versions[0] != of[0]:
        presence["since"] = versions[0]
    if versions[-1] != of[-1]:
        presence["until"] = versions[-1]
    return presence


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
