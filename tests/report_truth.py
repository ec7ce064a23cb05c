"""Whether the numbers and citations of a page are those of its results."""

import math
import re
from bisect import bisect_left
from decimal import Decimal
from html import unescape
from unicodedata import category

CELL = re.compile(r"<t[hd]\b([^>]*)>(.*?)</t[hd]>", re.S)
FULL = re.compile(r' title="(-?[\d.e+-]+|-?inf)(?: to (-?[\d.e+-]+|-?inf))?"')
"""The full value of a cell, or the bounds of its interval."""
ALPHAS = (0.001, 0.01, 0.05, 0.1, 0.999)  # "p < .001" states a bound


def numbers_of(plain):
    """Collect every number of the results, and the odds of the other model of a pair."""
    if isinstance(plain, dict):
        found = {n for value in plain.values() for n in numbers_of(value)}
        odds = plain.get("scale") == "odds"
        return found | {1 / n for n in found if n and odds}
    if isinstance(plain, list | tuple):
        return {n for value in plain for n in numbers_of(value)}
    if isinstance(plain, bool) or plain is None:
        return set()
    if isinstance(plain, int | float):
        return {float(plain)}
    return {float(plain)} if plain in ("inf", "-inf") else set()


def untrue_values(html, plain):
    """List the full values behind a page that are not in the results."""
    known = numbers_of(plain)
    known |= {-n for n in known}
    shown = re.findall(r'(?:value|data-v)="([^"]+)"', html)
    titles = re.findall(r'class="interval" title="(\S+) to (\S+)"', html)
    titles += [pair for cell in CELL.finditer(html) for pair in FULL.findall(cell[1])]
    values = [float(v) for v in shown if v not in ("auto", "light", "dark")]
    values += [float(bound) for pair in titles for bound in pair if bound]
    assert values
    return [v for v in values if v not in known and not v.is_integer()]


def badly_rounded(html):
    """List the printed numbers that are not the full value behind them, rounded."""
    found = []
    numbers = re.findall(r'<data value="([^"]+)"[^>]*>([^<]*)</data>', html)
    cells = [(FULL.search(attributes), text) for attributes, text in CELL.findall(html)]
    numbers += [(full[1], text) for full, text in cells if full and not full[2] and "<" not in text]
    for value, text in numbers:
        shown = unescape(text).replace("\u2060", "").replace("\u00a0", " ")
        if not re.fullmatch(r"[+−]?[\d.,]+%?( of \d+)?", shown) or math.isinf(float(value)):
            continue
        exact = Decimal(value)
        if min(_distance(shown, exact), _distance(shown, exact * 100)) > 1:
            found.append((shown, value))
    return found


def _distance(shown, exact):
    """Return how far a printed number is from a value, in halves of its last digit."""
    text = shown.split(" of ")[0].strip("+%").replace("−", "-").replace(",", "")
    half = Decimal("0.5000001").scaleb(-len(text.partition(".")[2]))
    return abs(Decimal(text) - exact) / half


PARTS = {
    "findings": ("estimates", "comparisons", "requirements", "analyses", "selections", "exports"),
    "estimates": ("estimates", "comparisons"),  # average ranks
    "comparisons": ("comparisons", "estimates"),
    "requirements": ("requirements",),
}
"""The parts of the results that a section may quote, besides the settings of the study."""
RESULTS = {"estimates", "comparisons", "requirements", "analyses", "selections", "failures"}
RESULTS |= {"provenance"}  # the seconds of a run would pass for a share of rows


def section_of(html, name):
    """Return a section of a page, with its part in the supplement."""
    found = re.findall(rf'<section[^>]*id="{name}(?:-supplement)?".*?</section>', html, re.S)
    return "".join(found)


def untrue_prose(html, plain, sections=tuple(PARTS)):
    """List the numbers with a fraction in sections that their parts of the results do not give."""
    found = []
    for name in sections:
        # Heads of columns name folds, as in "2.1", and the words of drawings end in ticks.
        text = re.sub(
            r'<svg.*?</svg>|<th scope="col".*?</th>', "", section_of(html, name), flags=re.S
        )
        text = unescape(re.sub(r"<[^>]*>", " ", text)).replace("\u2060", "")
        kept = {k: v for k, v in plain.items() if k not in RESULTS or k in PARTS[name]}
        found += untrue_words(text, kept)
    return found


def untrue_words(text, plain):
    """List the numbers with a fraction in a text that no number of the results gives."""
    known = {abs(n) for n in numbers_of(plain) if math.isfinite(n)} | set(ALPHAS)
    scaled = sorted(known | {100 * n for n in known} | {100 * (1 - n) for n in known if n <= 1})
    found = []
    text = re.sub(r">\s\.99(?!\d)", "", text)  # p of few draws is not printed closer to 1
    for shown in re.findall(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d*)\.\d+", text):
        value, half = float(shown.replace(",", "")), 10.0 ** -len(shown.partition(".")[2]) / 2
        at = bisect_left(scaled, value - half * 1.000001)
        if at == len(scaled) or scaled[at] > value + half * 1.000001:
            found.append(shown)
    return found


def loose_citations(html):
    """List the citations without an entry, and the entries that nothing cites."""
    cited = set(re.findall(r'<a href="#(ref-\d+)"', html))
    return cited ^ set(re.findall(r'id="(ref-\d+)"', html))


# --- whose numbers they are --------------------------------------------------------------------

VALUE = re.compile(
    r'<data value="([^"]+)"|<span class="stat" data-v="([^"]+)"'
    r'|<span class="interval" title="(\S+) to (\S+)"'
)
"""The full values of a sentence or cell: of an estimate, a statistic, the bounds of an interval."""


def signed(numbers):
    """Return numbers with those of the turned difference, and the inverse of a turned ratio."""
    return numbers | {-n for n in numbers} | {1 / n for n in numbers if n}


def labels_of(plain):
    """Return the printed label of each model, by its name."""
    return {m["name"]: visible(m.get("label") or m["name"]) for m in plain["models"]}


def visible(text):
    """Return a text as a page shows it: signs that nobody sees by their code points."""
    signs = ("Cc", "Cf")
    shown = (ascii(c)[1:-1] if category(c) in signs and not c.isspace() else c for c in text)
    return " ".join("".join(shown).split())


def owned(plain):
    """List each record with the labels of the models that its numbers are about."""
    found = [([e["model"]], e) for e in plain["estimates"]]
    found += [(pair["models"], pair) for pair in pairs_of(plain)]
    found += [(item["models"], item) for item in plain["requirements"]]
    return labelled(found, plain)


def ranked(plain):
    """List the ranks of each comparison, and its wins, with the labels of their models."""
    found = []
    for comparison in plain["comparisons"]:
        for held in (comparison["ranks"] or {}).values():
            by_model = held if isinstance(held, dict) else {}
            found += [([name], value) for name, value in by_model.items()]
            found += [(row[:2], row[2:]) for row in (held if isinstance(held, list) else ())]
        ranks = comparison["ranks"] or {"average": (), "win_tie_loss": ()}
        for name in ranks["average"]:  # against all others together
            rows = [row[2:] for row in ranks["win_tie_loss"] if row[0] == name]
            rows += [row[:1:-1] for row in ranks["win_tie_loss"] if row[1] == name]
            found.append(([name], [sum(numbers) for numbers in zip(*rows, strict=True)] or [0]))
    return labelled(found, plain)


def labelled(records, plain):
    """Return the numbers of records, each with the labels of its models."""
    label = labels_of(plain)
    return [
        (frozenset(label.get(name, name) for name in names), signed(numbers_of(record)))
        for names, record in records
    ]


def common_numbers(plain):
    """Return the numbers that are about all models of a line: omnibus tests, families, levels."""
    lines = [
        {key: value for key, value in one.items() if key != "pairwise"}
        for one in plain["comparisons"]
    ]
    rest = ("estimates", "comparisons", "requirements", "selections", "failures")
    return numbers_of(lines) | numbers_of({k: v for k, v in plain.items() if k not in rest})


def named(text, labels):
    """List the labels that a text has, in their order; the longest where one is in another."""
    if not labels:
        return []
    any_label = "|".join(re.escape(one) for one in sorted(labels, key=len, reverse=True))
    return re.findall(rf"(?<!\w)(?:{any_label})(?!\w)", text)


def words(html):
    """Return the text of a piece of a page."""
    text = unescape(re.sub(r"<[^>]*>", "", re.sub(r"<svg.*?</svg>", "", html, flags=re.S)))
    return " ".join(re.sub("[\u2060\u2066-\u2069\u200b]", "", text).split())


def units(html):
    """List what belongs together: an estimate with the interval and p after it.

    Each is a place in the piece of a page, the place of the next value, and the numbers.
    """
    found = []
    for at in VALUE.finditer(html):
        numbers = [float(n) for n in at.groups() if n is not None]
        if at[1] is not None or not found:
            found.append((at.start(), []))
        found[-1][1].append((at.start(), [n for n in numbers if math.isfinite(n)]))
    for start, parts in found:
        second = parts[1][0] if len(parts) > 1 else start
        yield start, second, [n for _, numbers in parts for n in numbers if not n.is_integer()]


def misplaced_in_findings(html, plain):
    """List the numbers of findings that are of another record than that of the models named.

    An estimate, its interval and its p are of one record, whose models have the label between
    the estimate and the interval ("13 points higher than B ([11, 15]"), or in parentheses after
    the estimate ("79.1% (B)"), else the last before. Ranks are of findings about ranks.
    """
    every, of_values = set(labels_of(plain).values()), owned(plain)
    common, found = common_numbers(plain), []
    for item in re.findall(r'<li id="finding-.*?</li>', html, re.S):
        about = set(named(words(item), every))
        records = of_values + (ranked(plain) if "rank" in words(item) else [])
        for start, second, numbers in units(item):
            after = re.match(r"<data [^>]*>[^<]*</data> \(([^<]*)", item[start:])
            beside = named(words(after[1]), every)[:1] if after else []
            nearest = (
                named(words(item[start:second]), every)
                or beside
                or named(words(item[:start]), every)
            )[-1:]
            if set(numbers) <= common or any(
                set(numbers) <= common | held
                for models, held in records
                if models <= about and set(nearest) <= models
            ):
                continue
            found.append((words(item)[:80], numbers))
    return found


def full_values(attributes):
    """Return the full values of a cell."""
    return {float(n) for pair in FULL.findall(attributes) for n in pair if n}


def columns_of(head):
    """List the name of each column: those below a spanner are in the second row of the head."""
    rows = [CELL.findall(row) for row in re.findall(r"<tr.*?</tr>", head, re.S)]
    below = iter(rows[-1]) if len(rows) > 1 else iter(())
    found = []
    for cell in rows[0]:
        width = re.search(r'colspan="(\d+)"', cell[0])
        lowest = len(rows) == 1 or "rowspan" in cell[0]
        found += [cell] if lowest else [next(below) for _ in range(int(width[1]) if width else 1)]
    names = [re.search(r'data-name="([^"]+)"', attributes) for attributes, _ in found]
    return [unescape(name[1]) if name else "" for name in names]


def misplaced_in_tables(html, plain, sections=("estimates", "comparisons", "requirements")):
    """List the cells whose numbers no record of the models and the metric of their place has.

    The models are those that the row names, or the head of the table; a row without a name
    goes on with the last. A column that is called after a metric has estimates of that metric.
    """
    label = labels_of(plain)
    every, records = set(label.values()), owned(plain) + ranked(plain)
    metrics = {e["metric"]: [] for e in plain["estimates"]}
    metrics["correct"] = []
    for e in plain["estimates"]:
        model = frozenset([label[e["model"]]])
        metrics[e["metric"]].append((model, numbers_of(e)))
        counts = {float(round(e["value"] * e["n"]))} if e["value"] is not None and e["n"] else set()
        metrics["correct"].append((model, counts))
    found = []
    for section in sections:
        for table in re.findall(r"<table.*?</table>", section_of(html, section), re.S):
            head, _, body = table.partition("<tbody")
            heads, columns, last = set(named(words(head), every)), columns_of(head), []
            for row in re.findall(r"<tr.*?</tr>", body, re.S):
                cells = CELL.findall(row)
                last = [one for _, cell in cells for one in named(words(cell), every)] or last
                about = set(last) | heads
                for column, (attributes, _) in zip(columns[::-1], cells[::-1], strict=False):
                    numbers = full_values(attributes) - {math.inf, -math.inf}
                    metric = column.removesuffix(" 95% CI")
                    held = metrics.get(metric, records) if section == "estimates" else records
                    known = [of for models, of in held if models <= about]
                    if numbers and not any(numbers <= of for of in known):
                        found.append((section, column, words(row)[:60], sorted(numbers)))
    return found


def rows_of(html, section, labels):
    """List the rows of the tables of a section: the labels that each names, and its numbers."""
    for row in re.findall(r"<tr.*?</tr>", section_of(html, section), re.S):
        cells = CELL.findall(row)
        about = [one for _, cell in cells for one in named(words(cell), labels)]
        numbers = {n for attributes, _ in cells for n in full_values(attributes)}
        yield frozenset(about), numbers


def incomplete_pairs(html, plain):
    """List what a reader needs of each pair that a table shows and its row lacks.

    That is the estimate, its interval and the simultaneous one, the statistic or the counts, the
    exact and the adjusted p, and an effect size (checklist, item 4).
    """
    label = labels_of(plain)
    rows = list(rows_of(html, "comparisons", set(label.values())))
    over_splits = {m["name"] for m in plain["methods"] if m["over_splits"]}
    found = []
    for pair in pairs_of(plain):
        shown = [
            signed(numbers)
            for about, numbers in rows
            if about == {label[m] for m in pair["models"]}
        ]
        estimate, joint = pair["estimate"] or {}, pair["simultaneous"] or {}
        needed = {
            name: {value} - {None}
            for name, value in (
                *((f"estimate {key}", estimate.get(key)) for key in ("value", "low", "high")),
                *((f"simultaneous {key}", joint.get(key)) for key in ("low", "high")),
                ("p", pair["p"]),
                ("adjusted p", pair["p_adjusted"]),
            )
        }
        missing = [name for name, of in needed.items() if shown and not any(of <= s for s in shown)]
        counts = pair["table"] and {float(pair["table"][0][1]), float(pair["table"][1][0])}
        statistic = pair["statistic"] and pair["statistic"]["value"]
        if shown and not any((counts and counts <= s) or statistic in s for s in shown):
            missing += ["statistic"] if counts or statistic is not None else []
        effects = signed({float(e["value"]) for e in pair["effects"] if e["value"] is not None})
        effects = set() if pair["test"] in over_splits else effects
        if shown and effects and not any(effects & s for s in shown):
            missing.append("effect size")
        found += [(pair["models"], pair["test"], one) for one in missing]
    return found


def unnamed_intervals(html, plain):
    """List the tables with intervals whose notes lack their level or the title of their method,

    and the adjusted tests with an interval that have no simultaneous one, or one that is narrower
    (checklist, item 3). Control of false discoveries has them for the pairs it selects alone.
    """
    titles, found = {}, []
    for method in plain["methods"]:
        if method["kind"].startswith("interval") or method["kind"] == "test":
            known = {method["title"], method.get("of_difference") or method["title"]}
            plain_known = {one.replace("'", "’").lower() for one in known}
            titles.setdefault(method["name"], set()).update(plain_known)
    for section, records in (
        ("estimates", [([e["model"]], e["interval"]) for e in plain["estimates"]]),
        ("comparisons", [(p["models"], p["estimate"]) for p in pairs_of(plain)]),
    ):
        for table in re.findall(
            r"<figure class=.table.*?</figure>", section_of(html, section), re.S
        ):
            notes = words(table).lower()
            bounds = {tuple(map(float, pair)) for pair in FULL.findall(table) if pair[1]}
            for _, one in records:
                if one is None or (one["low"], one["high"]) not in bounds:
                    continue
                method = re.split(r"[ (,]", one["method"])[0]
                named_so = any(title in notes for title in titles.get(method, {""}))
                if not named_so or f"{100 * one['level']:.4g}%" not in notes:
                    found.append((section, one["method"], one["level"]))
    for comparison in plain["comparisons"]:
        for pair in comparison["pairwise"]:
            plainly, joint = pair["estimate"] or {}, pair["simultaneous"]
            if None in (pair["p_adjusted"], plainly.get("low"), plainly.get("high")):
                continue
            if comparison["family"]["size"] > 1 and comparison["family"]["correction"]:
                matching = joint and (
                    joint["low"] <= plainly["low"] and joint["high"] >= plainly["high"]
                )
                chosen = comparison["family"]["correction"].startswith("fdr_")
                if not matching and not (chosen and joint is None and not pair["reject"]):
                    found.append(("simultaneous", pair["models"]))
    return found


# --- the order of pairs ------------------------------------------------------------------------

BOUNDS = re.compile(r"\[([−+]?[\d,]*\.?\d+), ([−+]?[\d,]*\.?\d+)\]")


def better_first(plain):
    """List each pair that has a better model and a worse one, as labels, with its record.

    The numbers of the record are first minus second; the last item is whether the first is better.
    """
    label = labels_of(plain)
    better = {m["name"]: m for m in plain["methods"] if m["kind"] == "metric"}
    for comparison in plain["comparisons"]:
        metric = better[comparison["metric"]]
        for pair in comparison["pairwise"]:
            extra, value = pair["extra"], (pair["estimate"] or {}).get("value")
            one_margin = "margin" in extra and "p_lower" not in extra
            asks_one_way = pair["side"] is not None or one_margin or len(pair["models"]) < 2
            if not value or asks_one_way or metric["ideal"] is not None:
                continue
            lower = metric["better"] == "lower" or "rank_first" in extra
            yield [label[name] for name in pair["models"]], pair, (value < 0) == lower


def misoriented(texts, plain):
    """List the pairs and intervals of pages, tables and text that are worse minus better.

    Numbers are compared with those of results.json, where they are first minus second.
    """
    ordered, right, wrong = set(), set(), set()
    for e in plain["estimates"]:
        right.add(((e["interval"] or {}).get("low"), (e["interval"] or {}).get("high")))
    for names, pair, first in better_first(plain):
        ordered.add(tuple(names if first else names[::-1]))
        for one in (pair["estimate"], pair["simultaneous"]):
            if one is not None and None not in (one["low"], one["high"]):
                ends = ((one["low"], one["high"]), (-one["high"], -one["low"]))
                right.add(ends[not first])
                wrong.add(ends[first])
    found = []
    for text in texts:
        plainly = words(text.replace("$-$", "−").replace("~", " ").replace("\\_", "_"))
        for better, worse in ordered:
            turned = rf"(?<!\w){re.escape(worse)} (?:−|minus) {re.escape(better)}(?!\w)"
            if (worse, better) not in ordered and re.search(turned, plainly):
                found.append(f"{worse} minus {better}")
        for low, high in BOUNDS.findall(plainly):
            if printed(wrong, low, high) and not printed(right, low, high):
                found.append(f"[{low}, {high}]")
    return found


def printed(bounds, low, high):
    """Return whether a printed interval is one of several, in units or in percent."""
    return any(
        all(
            _distance(text, Decimal(end) * unit) <= 1
            for text, end in ((low, ends[0]), (high, ends[1]))
        )
        for ends in bounds
        for unit in (1, 100)
        if None not in ends and all(map(math.isfinite, ends))
    )


# --- analyses ----------------------------------------------------------------------------------

OF_SECTION = {"confusion_matrices": "confusion", "agreement_of_models": "agreement"}
"""The kinds of analyses whose sections do not have the name of the catalogue."""


def analyses_of(section, caption, plain):
    """List the analyses that a table of a section is of: by its section, else by its caption."""
    methods = [m for m in plain["methods"] if m["kind"] == "analysis"]
    kinds = {m["name"] for m in methods if m.get("section") == section}
    kinds |= {OF_SECTION.get(section)} & {m["name"] for m in methods}
    if section == "curves":
        begins = re.sub(r"^Table S?\d+\. ", "", caption).lower()
        titles = {m["name"]: m["title"].replace("'", "’").lower() for m in methods}
        kinds = {name for name, title in titles.items() if begins.startswith(title)}
    return [item for item in plain["analyses"] if item["kind"] in kinds]


def parts_of(item, label):
    """List the numbers of an analysis with the models that they are about; none for all."""
    every = {label[item["model"]]} if item["model"] in label else set()
    pairs = item["values"].get("pairs") or ()
    of_pairs = [p for p in pairs if isinstance(p, dict) and "models" in p]
    if not of_pairs:
        return [(every, signed(numbers_of(item["values"])))]
    found = [({label[m] for m in p["models"]}, signed(numbers_of(p))) for p in of_pairs]
    rest = {k: v for k, v in item["values"].items() if k != "pairs"}
    return [*found, (every, signed(numbers_of(rest)))]


def misplaced_in_analyses(html, plain):
    """List the cells of analyses whose numbers are not of that analysis and of their models.

    The models are those that the row names, else those of the rows above it or of the caption,
    and those that the head of the column names.
    Notes below a table, too, have numbers with a fraction from its analyses alone, and from the
    settings of the study.
    """
    label, found = labels_of(plain), []
    every = set(label.values())
    settings = {k: v for k, v in plain.items() if k not in RESULTS}
    for identifier, whole in re.findall(r'<section[^>]*id="([^"]+)"(.*?)</section>', html, re.S):
        section = identifier.removesuffix("-supplement")
        for table in re.findall(r"<figure class=.table.*?</figure>", whole, re.S):
            caption = words(re.search(r"<(figcaption|caption)[^>]*>(.*?)</\1>", table, re.S)[2])
            items = analyses_of(section, caption, plain)
            if not items:
                continue
            parts = [part for item in items for part in parts_of(item, label)]
            head, _, body = table.partition("<tbody")
            owners = models_of_columns(head, every)
            last = named(caption, every)
            for row in re.findall(r"<tr.*?</tr>", body, re.S):
                cells = CELL.findall(row)
                last = [one for _, cell in cells for one in named(words(cell), every)] or last
                for (attributes, cell), owner in zip(cells, owners, strict=False):
                    about = set(last) | owner
                    held = [of for models, of in parts if not about or models <= about]
                    known = [n for of in held for n in of]
                    numbers = full_values(attributes) - {math.inf, -math.inf}
                    if numbers and not any(numbers <= of for of in held):
                        found.append((section, words(row)[:60], sorted(numbers)))
                    elif untrue := untrue_words(words(cell), [settings, known]):
                        found.append((section, words(row)[:60], untrue))
            text = words(re.sub(r"<tbody.*?</tbody>|<thead.*?</thead>", " ", table, flags=re.S))
            untrue = untrue_words(text, [settings, [item["values"] for item in items]])
            found += [(section, caption, one) for one in untrue]
    return found


def models_of_columns(head, labels):
    """List the models that the heads of each column name; a row of a group has one wide cell."""
    owners = []
    for line in re.findall(r"<tr.*?</tr>", head, re.S)[:1]:
        for attributes, cell in CELL.findall(line):
            span = re.search(r'colspan="(\d+)"', attributes)
            owners += [set(named(words(cell), labels))] * int(span[1] if span else 1)
    return owners


def pairs_of(plain):
    """List the pairs of all comparisons."""
    return [pair for comparison in plain["comparisons"] for pair in comparison["pairwise"]]


def untruths(html, plain):
    """List what is untrue of a page: numbers, their places, intervals, pairs and citations."""
    return {
        "values": untrue_values(html, plain),
        "rounding": badly_rounded(html),
        "prose": untrue_prose(html, plain),
        "findings": misplaced_in_findings(html, plain),
        "tables": misplaced_in_tables(html, plain),
        "analyses": misplaced_in_analyses(html, plain),
        "intervals": unnamed_intervals(html, plain),
        "pairs": incomplete_pairs(html, plain),
        "citations": sorted(loose_citations(html)),
    }
