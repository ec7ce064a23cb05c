"""Whether the numbers and citations of a page are those of its results."""

import math
import re
from bisect import bisect_left
from decimal import Decimal
from html import unescape

ALPHAS = (0.001, 0.01, 0.05, 0.1, 0.999)  # "p < .001" states a bound


def numbers_of(plain):
    """Collect every number of the results."""
    if isinstance(plain, dict):
        return {n for value in plain.values() for n in numbers_of(value)}
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
    shown = re.findall(r'(?:value|data-v|data-low|data-high)="([^"]+)"', html)
    titles = re.findall(r'class="interval" title="(\S+) to (\S+)"', html)
    values = [float(v) for v in shown if v not in ("auto", "light", "dark")]
    values += [float(bound) for pair in titles for bound in pair]
    assert values
    return [v for v in values if v not in known and not v.is_integer()]


def badly_rounded(html):
    """List the printed numbers that are not the full value behind them, rounded."""
    found = []
    for value, text in re.findall(r'<data value="([^"]+)"[^>]*>([^<]*)</data>', html):
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


def untrue_prose(html, plain, sections=("findings", "estimates", "comparisons", "requirements")):
    """List the numbers with a fraction in sections that no number of the results gives."""
    whole = "".join(
        found.group()
        for name in sections
        if (found := re.search(rf'<section[^>]*id="{name}".*?</section>', html, re.S))
    )
    # Heads of columns name folds, as in "2.1", and the words of drawings end in ticks.
    text = re.sub(r'<svg.*?</svg>|<th scope="col".*?</th>', "", whole, flags=re.S)
    text = unescape(re.sub(r"<[^>]*>", " ", text)).replace("\u2060", "")
    return untrue_words(text, plain)


def untrue_words(text, plain):
    """List the numbers with a fraction in a text that no number of the results gives."""
    known = {abs(n) for n in numbers_of(plain) if math.isfinite(n)} | set(ALPHAS)
    scaled = sorted(known | {100 * n for n in known} | {100 * (1 - n) for n in known if n <= 1})
    found = []
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
