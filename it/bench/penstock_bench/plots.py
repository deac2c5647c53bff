# SPDX-License-Identifier: Apache-2.0
"""Drawings as inline SVG whose colours and letters are the page's own, so that they follow light and dark.

Every function gives SVG text, or None when there is nothing to draw or matplotlib (Debian: python3-matplotlib) is
missing: the tables say all that the drawings do.
"""

import importlib.util
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .wording import CONTENDERS

# Colours that matplotlib shall write, and what takes their place in the page.
_COLOURS = {"#010203": "var(--bare)", "#010204": "var(--edge)", "#010205": "var(--ovn)", "#010206": "var(--other)",
            "#010207": "var(--ink)", "#010208": "var(--soft)", "#010209": "var(--line)", "#01020a": "var(--page)",
            "#01020b": "var(--good)", "#01020c": "var(--bad)"}
_BARE, _EDGE, _OVN, _OTHER, _INK, _SOFT, _LINE, _PAGE, _GOOD, _BAD = _COLOURS
_MARKS = {"bare": (_BARE, "s"), "edge": (_EDGE, "o"), "ovn": (_OVN, "^"), "ovn-gateway": (_OVN, "v")}
_OTHER_MARK = (_OTHER, "D")
_SETTINGS = {
    "svg.fonttype": "none", "font.size": 11, "axes.titlesize": 12, "axes.titleweight": "semibold",
    "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "axes.edgecolor": _SOFT, "axes.labelcolor": _INK, "axes.titlecolor": _INK, "text.color": _INK,
    "xtick.color": _SOFT, "ytick.color": _SOFT, "xtick.labelcolor": _INK, "ytick.labelcolor": _INK,
    "xtick.minor.size": 0, "ytick.minor.size": 0, "axes.grid": True, "grid.color": _LINE, "grid.linewidth": 0.8,
    "lines.linewidth": 2, "lines.markersize": 6, "legend.frameon": False, "axes.unicode_minus": False,
}


def available() -> bool:
    """Whether there will be drawings."""
    return importlib.util.find_spec("matplotlib") is not None


def targets(rows: Sequence[Any]) -> str | None:
    """Each ratio on its way to its target: rows of (name, value, low, high, met), 1 being the target, right better."""
    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for place, (_, value, low, high, met) in enumerate(reversed(rows)):
            colour = _GOOD if met else _BAD
            axes.plot([low, high], [place, place], color=colour, linewidth=4, alpha=0.35, solid_capstyle="butt")
            axes.plot([value], [place], marker="o" if met else "X", color=colour, linestyle="none", markersize=8)
        axes.axvline(1, color=_INK, linewidth=1.2)
        axes.set_xscale("log", base=2)
        reach = [edge for row in rows for edge in row[1:4]] + [0.5, 2]
        axes.set_xlim(min(reach) * 0.8, max(reach) * 1.25)
        low, high = axes.get_xlim()
        _plain_ticks(axes.xaxis, _round_steps(low, high, (1 / 64, 1 / 16, 1 / 4, 1 / 2, 1, 2, 4, 16, 64, 256)))
        axes.set_yticks(range(len(rows)), [row[0] for row in reversed(rows)])
        axes.set_ylim(-0.7, len(rows) - 0.3)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("how far, as a multiple of the target (right of 1: met)")

    return _draw("targets", (9.6, 0.9 + 0.34 * len(rows)), draw) if rows else None


def scale(name: str, series: Mapping[str, Sequence[Any]]) -> str | None:
    """Mpps and cycles a packet against tenants: {contender: [(tenants, mpps, cycles, generator was the limit)]}."""
    def draw(figure: Any) -> None:
        rate, cycles = figure.subplots(1, 2)
        for contender, points in series.items():
            colour, mark = _MARKS[contender]
            for axes, column in ((rate, 1), (cycles, 2)):
                known = [point for point in points if point[column] is not None]
                axes.plot([point[0] for point in known], [point[column] for point in known], color=colour, marker=mark,
                          label=CONTENDERS[contender], markerfacecolor=_PAGE if column == 1 else colour)
            full = [point for point in points if point[1] is not None and not point[3]]
            rate.plot([point[0] for point in full], [point[1] for point in full], color=colour, marker=mark,
                      linestyle="none")
        for axes, title in ((rate, "Mpps (hollow: the generator was the limit)"),
                            (cycles, "PMD cycles a packet (less is better)")):
            axes.set_title(title)
            axes.set_ylim(bottom=0)
            _tenants(axes, [point[0] for points in series.values() for point in points])
        _legend(rate, handles=cycles.get_legend_handles_labels()[0])

    return _draw(name, (9.6, 3.9), draw) if any(series.values()) else None


def retention(panels: Mapping[str, Sequence[Any]]) -> str | None:
    """Share of the 10-tenant throughput kept: {title: [(label, ours, [(tenants, share)])]}."""
    def draw(figure: Any) -> None:
        for axes, (title, lines) in zip(figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], panels.items(),
                                           strict=True):
            for number, (label, ours, points) in enumerate(lines):
                axes.plot(*zip(*points, strict=True), color=_EDGE if ours else _OTHER, marker="o" if ours else "",
                          linewidth=2.6 if ours else 1.3, linestyle="-" if ours else _DASHES[number % len(_DASHES)],
                          label=label, zorder=3 if ours else 2)
            axes.set_title(title)
            axes.set_ylim(0, 1.19)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
            _tenants(axes, [point[0] for _, _, points in lines for point in points])
            _legend(axes, columns=2)

    return _draw("retention", (9.6, 4.2), draw) if panels else None


def control(times: Mapping[str, Sequence[Any]], changes: Mapping[str, Sequence[Any]]) -> str | None:
    """Seconds to provision against tenants, log-log, and single changes.

    times: {contender: [(tenants, median, low, high)]}; changes: {contender: [(tenants, p50, p95, p99)]}, seconds.
    """
    def draw(figure: Any) -> None:
        every, one = figure.subplots(1, 2)
        for contender, points in times.items():
            colour, mark = _MARKS[contender]
            xs, ys, low, high = zip(*points, strict=True)
            every.fill_between(xs, low, high, color=colour, alpha=0.2, linewidth=0)
            every.plot(xs, ys, color=colour, marker=mark, label=CONTENDERS[contender])
        all_points = [point for points in times.values() for point in points]
        if all_points:
            few, many = min(point[0] for point in all_points), max(point[0] for point in all_points)
            start = min(point[1] for point in all_points)
            every.plot([few, many], [start, start * many / few], color=_SOFT, linewidth=1, linestyle=(0, (2, 3)),
                       label="linear")
            every.set_yscale("log")
            _plain_ticks(every.yaxis, _round_steps(*every.get_ylim()))
            _tenants(every, [point[0] for point in all_points])
            _legend(every)
        for contender, points in changes.items():
            colour, mark = _MARKS[contender]
            sizes = [point[0] for point in points]
            one.fill_between(sizes, [point[1] * 1000 for point in points], [point[3] * 1000 for point in points],
                             color=colour, alpha=0.2, linewidth=0)
            one.plot(sizes, [point[2] * 1000 for point in points], color=colour, marker=mark,
                     label=CONTENDERS[contender])
        if any(changes.values()):
            one.set_yscale("log")
            _plain_ticks(one.yaxis, _round_steps(*one.get_ylim()))
            _tenants(one, [point[0] for points in changes.values() for point in points])
            _legend(one)
        every.set_title("Seconds to provision all tenants")
        one.set_title("ms for one change: p95, and p50 to p99")

    return _draw("control", (9.6, 3.9), draw) if any(times.values()) or any(changes.values()) else None


def loss(lines: Sequence[Any]) -> str | None:
    """Loss against offered load: [(label, contender, [(offered Mpps, lost share)])]."""
    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for (label, contender, points), dash in zip(lines, _dashes(lines), strict=False):
            colour, mark = _MARKS.get(contender, _OTHER_MARK)
            axes.plot(*zip(*points, strict=True), color=colour, marker=mark, label=label, linestyle=dash)
        axes.set_title("Share of frames lost")
        axes.set_xlabel("offered, Mpps")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_ylim(bottom=-0.01)
        axes.set_xlim(left=0)
        _legend(axes, columns=2)

    return _draw("loss", (9.6, 4.2), draw) if lines else None


def latency(name: str, lines: Sequence[Any]) -> str | None:
    """Latency against percentile: [(label, contender, {percentile text: microseconds})]."""
    def draw(figure: Any) -> None:
        axes = figure.subplots()
        names = []
        for _, _, points in lines:
            names += [name for name in points if name not in names]
        for (label, contender, points), dash in zip(lines, _dashes(lines), strict=False):
            colour, mark = _MARKS.get(contender, _OTHER_MARK)
            axes.plot([names.index(name) for name in points], list(points.values()), color=colour, marker=mark,
                      label=label, linestyle=dash)
        axes.set_xticks(range(len(names)), names)
        axes.set_yscale("log")
        _plain_ticks(axes.yaxis, _round_steps(*axes.get_ylim()))
        axes.set_title("Latency in us by percentile")
        _legend(axes, columns=2)

    return _draw(name, (9.6, 4.2), draw) if lines else None


def heat(name: str, title: str, cells: Mapping[tuple[int, int], float], least: float) -> str | None:
    """Ratios by tenants and connections of each: {(tenants, each): ratio}; the fuller the colour, the further from
    `least`, which is to be reached."""
    rows, columns = (sorted({key[place] for key in cells}) for place in (0, 1))

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for (tenants, each), ratio in cells.items():
            x, y = columns.index(each), rows.index(tenants)
            axes.bar([x], [0.94], 0.96, [y - 0.47], color=_GOOD if ratio >= least else _BAD,
                     alpha=min(0.7, 0.12 + abs(ratio / least - 1)))
            axes.text(x, y, f"{ratio:.2f}", ha="center", va="center")
        axes.set_xticks(range(len(columns)), [f"{each:,}" for each in columns])
        axes.set_yticks(range(len(rows)), [f"{tenants:,}" for tenants in rows])
        axes.set_xlabel("connections of each tenant")
        axes.set_ylabel("tenants")
        axes.set_title(title)
        axes.grid(visible=False)

    return _draw(name, (7.2, 1.4 + 0.6 * len(rows)), draw) if cells else None


_DASHES = ("-", (0, (5, 2)), (0, (2, 2)), (0, (6, 2, 1, 2)), (0, (1, 1)))


def _dashes(lines: Sequence[Any]) -> Iterator[Any]:
    """A style for each line: the colour tells the contender, the dashes tell lines of one contender apart."""
    seen: dict[Any, int] = {}
    for _, contender, _ in lines:
        seen[contender] = seen.get(contender, -1) + 1
        yield _DASHES[seen[contender] % len(_DASHES)]


def _draw(name: str, inches: tuple[float, float], body: Callable[[Any], object]) -> str | None:
    if not available():
        return None
    import matplotlib  # noqa: PLC0415  (a report without drawings needs none of it)
    from matplotlib.backends import backend_svg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415
    with matplotlib.rc_context(_SETTINGS | {"svg.hashsalt": name}):
        figure = Figure(figsize=inches, layout="constrained")
        figure.patch.set_alpha(0)
        body(figure)
        for axes in figure.axes:
            axes.patch.set_alpha(0)
        text = io.StringIO()
        backend_svg.FigureCanvasSVG(figure).print_svg(text)
    return _page_svg(name, text.getvalue())


def _page_svg(name: str, text: str) -> str:
    """The svg element alone, with names of its own, as wide as the page lets it, in the page's colours and letters."""
    text = text[text.index("<svg"):]
    # It has the time in it, and addresses.
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'href="#', f'href="#{name}-', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    text = re.sub(r"font: ([^;\"]*?)(\d+(?:\.\d+)?px) [^;\"]*", r"font: \1\2 system-ui, sans-serif", text)
    return re.sub("|".join(_COLOURS), lambda match: _COLOURS[match.group()], text).strip()


def _tenants(axes: Any, sizes: Iterable[int]) -> None:
    """A logarithmic axis of tenants, with a mark where something was measured."""
    axes.set_xscale("log")
    _plain_ticks(axes.xaxis, sorted(set(sizes)))
    axes.set_xlabel("tenants")


def _legend(axes: Any, columns: int = 3, handles: Any = None) -> None:
    """Below the drawing, where no line can run through it."""
    low = -0.2 if axes.get_xlabel() else -0.1
    handles = handles or axes.get_legend_handles_labels()[0]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(0, low), ncol=columns, borderaxespad=0, fontsize=10,
                handlelength=2.4 if columns > 2 else 3.6)


def _plain_ticks(axis: Any, places: Sequence[float]) -> None:
    axis.set_ticks(places)
    axis.set_ticks([], minor=True)
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}")


def _round_steps(low: float, high: float, steps: Sequence[float] | None = None) -> list[float]:
    """Round numbers between low and high: at most about eight, by thinning out 1, 2, 5."""
    steps = steps or [digit * 10.0 ** power for power in range(-6, 7) for digit in (1, 2, 5)]
    found = [step for step in steps if low <= step <= high]
    if len(found) > 8:
        found = [step for step in found if f"{step:e}"[0] == "1"]
    return found
