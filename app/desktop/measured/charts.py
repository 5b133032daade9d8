"""Four pictures: decode and prefill against depth, product against control, memory.

The only module that knows pyqtgraph. It is imported when the window opens for the first time, never
at start-up.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from app.certify.certificate import DepthFigures, Pace
from app.certify.verdict import DECODE_RATIO_NEEDED
from app.desktop.measured import words
from app.desktop.theme import Colours
from app.workflows.certified import Measured

translate = QCoreApplication.translate

# Qt owns what is drawn here, and takes it down in its own order.
pg.setConfigOptions(antialias=True, exitCleanup=False)

_LIGHT: Final = ("#1f7a63", "#b4552d", "#3b6fb6", "#8a5aa8", "#8a6100", "#5f6b7a")
_DARK: Final = ("#5cc2a5", "#f2a58f", "#82aef0", "#c79be0", "#e2b65c", "#a9b4c2")
_SYMBOLS: Final = ("o", "s", "t", "d", "star", "h")
_MEGABYTE: Final = 1e6


def series_colours(count: int, colours: Colours) -> list[str]:
    """A colour for each certificate, on the ground that ``colours`` has."""
    palette = _DARK if QColor(colours.window).lightness() < 128 else _LIGHT
    return [palette[index % len(palette)] for index in range(count)]


class LocaleAxis(pg.AxisItem):  # type: ignore[misc]  # the library has no types
    """An axis whose numbers are written as the person's language does."""

    def tickStrings(  # noqa: N802  pyqtgraph's name
        self, values: Sequence[float], scale: float, spacing: float
    ) -> list[str]:
        digits = max(0, math.ceil(-math.log10(spacing * scale)))
        return [QLocale().toString(float(value * scale), "f", digits) for value in values]


class Picture(QFrame):
    """One plot in a frame, with a title and what its axes are."""

    def __init__(self, title: str, unit: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sheet")
        self.setAccessibleName(f"{title}, {unit}")
        heading = QLabel(title, self)
        heading.setObjectName("strong")
        below = QLabel(unit, self)
        below.setObjectName("muted")
        self.plot = pg.PlotWidget(
            self, axisItems={"left": LocaleAxis("left"), "bottom": LocaleAxis("bottom")}
        )
        self.plot.setMinimumHeight(150)
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for side in ("left", "bottom"):
            self.plot.getAxis(side).enableAutoSIPrefix(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 10)
        layout.setSpacing(2)
        layout.addWidget(heading)
        layout.addWidget(below)
        layout.addWidget(self.plot, 1)

    def begin(self, colours: Colours) -> Any:
        """Empties the plot and gives it the window's colours; returns what is drawn on."""
        item = self.plot.getPlotItem()
        item.clear()
        self.plot.setBackground(colours.surface)
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(colours.border))
            axis.setTextPen(pg.mkPen(colours.muted))
            axis.setTicks(None)
            axis.setZValue(-1)  # its grid stays behind what is drawn
        item.showGrid(x=False, y=True, alpha=0.18)
        return item


class Charts(QWidget):
    """All four, filled anew for the certificates that are shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        depth = translate("measured", "tokens/s against prompt tokens; dashed: the bare library")
        self.decode = Picture(translate("measured", "Decode: writing the answer"), depth, self)
        self.prefill = Picture(translate("measured", "Prefill: reading the prompt"), depth, self)
        needed = QLocale().toString(DECODE_RATIO_NEEDED, "f", 2)
        self.ratio = Picture(
            translate("measured", "Against the bare library"),
            translate("measured", "share of its decode rate; {needed} is needed").format(
                needed=needed
            ),
            self,
        )
        self.memory = Picture(
            translate("measured", "Memory"),
            translate("measured", "most of the engine's memory in use, in MB"),
            self,
        )
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(12)
        for place, picture in enumerate((self.decode, self.prefill, self.ratio, self.memory)):
            grid.addWidget(picture, place // 2, place % 2)

    def show_rows(self, rows: tuple[Measured, ...], colours: Colours) -> None:
        """Draws ``rows``; the order gives each its colour and sign."""
        series = series_colours(len(rows), colours)
        depths = [one.certificate.throughput.depths for one in rows]
        self._against_depth(
            self.decode, [[(d, d.decode_tokens_per_s) for d in one] for one in depths], series,
            colours,
        )  # fmt: skip
        self._against_depth(
            self.prefill, [[(d, d.prefill_tokens_per_s) for d in one] for one in depths], series,
            colours,
        )  # fmt: skip
        self._against_library(depths, series, colours)
        self._of_memory(rows, series, colours)

    def _against_depth(
        self,
        picture: Picture,
        rows: list[list[tuple[DepthFigures, Pace]]],
        series: list[str],
        colours: Colours,
    ) -> None:
        item = picture.begin(colours)
        highest = 0.0
        for place, pairs in enumerate(rows):
            colour, sign = series[place], _sign(place)
            at = [math.log2(depth.prompt_tokens) for depth, _ in pairs]
            product = [pace.product for _, pace in pairs]
            item.plot(
                at, [one.median for one in product], pen=pg.mkPen(colour, width=2), symbol=sign,
                symbolBrush=colour, symbolPen=colours.surface, symbolSize=9,
            )  # fmt: skip
            _whiskers(item, at, product, colour)
            both = [(x, pace.control) for x, (_, pace) in zip(at, pairs, strict=True)]
            known = [(x, control.median) for x, control in both if control is not None]
            item.plot(
                [x for x, _ in known], [y for _, y in known],
                pen=pg.mkPen(colour, width=1.4, style=Qt.PenStyle.DashLine),
            )  # fmt: skip
            highest = max([highest, *(one.high for one in product), *(y for _, y in known)])
        _depth_axis(picture, [[depth for depth, _ in pairs] for pairs in rows])
        item.setYRange(0, highest or 1, padding=0.06)

    def _against_library(
        self, rows: list[tuple[DepthFigures, ...]], series: list[str], colours: Colours
    ) -> None:
        item = self.ratio.begin(colours)
        needed = pg.mkPen(colours.careful, width=1.4, style=Qt.PenStyle.DotLine)
        item.addLine(y=DECODE_RATIO_NEEDED, pen=needed)
        seen = [DECODE_RATIO_NEEDED]
        for place, depths in enumerate(rows):
            known = [
                (math.log2(one.prompt_tokens), one.decode_tokens_per_s.ratio)
                for one in depths
                if one.decode_tokens_per_s.ratio is not None
            ]
            at = [x for x, _ in known]
            ratios = [ratio for _, ratio in known if ratio is not None]
            colour, sign = series[place], _sign(place)
            item.plot(
                at, [one.median for one in ratios], pen=pg.mkPen(colour, width=2), symbol=sign,
                symbolBrush=colour, symbolPen=colours.surface, symbolSize=9,
            )  # fmt: skip
            _whiskers(item, at, ratios, colour)
            seen += [value for one in ratios for value in (one.low, one.high)]
        _depth_axis(self.ratio, rows)
        item.setYRange(min(0.8, *seen), max(1.1, *seen), padding=0.04)

    def _of_memory(self, rows: tuple[Measured, ...], series: list[str], colours: Colours) -> None:
        item = self.memory.begin(colours)
        item.showGrid(x=False, y=True, alpha=0.18)
        ticks = []
        highest = 0.0
        for place, one in enumerate(rows):
            key = one.certificate.key
            ticks.append((place, f"{key.backend} · {key.device}"))
            peak = one.certificate.throughput.peak_memory_bytes
            if peak is None:
                continue
            height = peak / _MEGABYTE
            highest = max(highest, height)
            bar = pg.BarGraphItem(
                x=[place], height=[height], width=0.5, brush=series[place], pen=series[place]
            )
            item.addItem(bar)
        self.memory.plot.getAxis("bottom").setTicks([ticks])
        item.setXRange(-0.7, max(len(rows) - 1, 1) + 0.7, padding=0)
        item.setYRange(0, highest or 1, padding=0.06)


def _sign(place: int) -> str:
    """A sign for each series; where the colours begin anew, the signs are others."""
    return _SYMBOLS[(place + place // len(_LIGHT)) % len(_SYMBOLS)]


def _whiskers(item: Any, at: list[float], spreads: Sequence[Any], colour: str) -> None:
    """From the least to the greatest, where there was more than one run."""
    several = [(x, one) for x, one in zip(at, spreads, strict=True) if one.runs > 1]
    if not several:
        return
    import numpy

    item.addItem(
        pg.ErrorBarItem(
            x=numpy.array([x for x, _ in several]),
            y=numpy.array([one.median for _, one in several]),
            top=numpy.array([one.high - one.median for _, one in several]),
            bottom=numpy.array([one.median - one.low for _, one in several]),
            beam=0.08,
            pen=pg.mkPen(colour, width=1),
        )
    )


def _depth_axis(picture: Picture, rows: Sequence[Sequence[DepthFigures]]) -> None:
    """Marks the sizes that were measured; two that nearly touch share the mark of the larger."""
    sizes = sorted({one.prompt_tokens for depths in rows for one in depths}, reverse=True)
    kept: list[int] = []
    for size in sizes:
        if not kept or math.log2(kept[-1] / size) > 0.4:
            kept.append(size)
    ticks = [(math.log2(size), words.short_count(size)) for size in kept]
    picture.plot.getAxis("bottom").setTicks([ticks])
    if kept:
        picture.plot.getPlotItem().setXRange(
            math.log2(kept[-1]) - 0.3, math.log2(kept[0]) + 0.3, padding=0
        )
