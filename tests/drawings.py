"""Reading the SVG of drawings."""

import re


def ungrouped(svg: str) -> str:
    """Write the style of each group into its elements."""
    return re.sub(
        r'<g style="([^"]*)">(.*?)</g>',
        lambda group: re.sub(r"(<\w+[^>]*?)(/?>)", rf'\1 style="{group[1]}"\2', group[2]),
        svg,
    )
