"""What both dashboards are made of: the variables on top, and panels that need only a title, a unit and queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, table, timeseries
from grafana_foundation_sdk.models.common import (
    LegendDisplayMode,
    LegendPlacement,
    SortOrder,
    StackingMode,
    TableCellBackgroundDisplayMode,
    TableColoredBackgroundCellOptions,
    TooltipDisplayMode,
)
from grafana_foundation_sdk.models.dashboard import (
    DataSourceRef,
    DataTransformerConfig,
    ValueMap,
    ValueMappingResult,
    VariableRefresh,
)
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")

CHOSEN = 'namespace=~"$namespace",experiment=~"$experiment"'
"""Selects the experiments that were chosen on top."""

WIDTH = 24
"""Of the grid on which Grafana places panels."""

P = TypeVar("P", stat.Panel, table.Panel, timeseries.Panel)


@dataclass(frozen=True)
class Query:
    """What is asked, and what its lines are called."""

    expr: str
    legend: str = ""


Panel = stat.Panel | table.Panel | timeseries.Panel


def page(uid: str, title: str, about: str, rows: Mapping[str, Sequence[Panel]]) -> dashboard.Dashboard:
    """A dashboard of these rows of panels, by their titles."""
    found = _empty(uid, title, about)
    numbers = count(1)
    for row, panels in rows.items():
        found = found.with_row(dashboard.Row(row).id(next(numbers)))
        for panel in panels:
            found = found.with_panel(panel.id(next(numbers)))
    return found


def _empty(uid: str, title: str, about: str) -> dashboard.Dashboard:
    return (
        dashboard.Dashboard(title)
        .uid(uid)
        .description(about)
        .tags(["mlectl"])
        .time("now-24h", "now")
        .refresh("1m")
        .timezone("browser")
        .with_variable(dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
        .with_variable(_variable("namespace", "label_values(mlectl_experiment_phase, namespace)"))
        .with_variable(
            _variable("experiment", 'label_values(mlectl_experiment_phase{namespace=~"$namespace"}, experiment)')
        )
    )


def _variable(name: str, query: str) -> dashboard.QueryVariable:
    return (
        dashboard.QueryVariable(name)
        .label(name.capitalize())
        .datasource(SOURCE)
        .query({"query": query, "refId": name})
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .multi(True)
        .include_all(True)
        .all_value(".*")
    )


def lines(
    title: str, about: str, unit: str, *queries: Query, width: int = 12, stacked: bool = False
) -> timeseries.Panel:
    """Figures over time."""
    legend = common.VizLegendOptions().display_mode(LegendDisplayMode.LIST).placement(LegendPlacement.BOTTOM)
    panel = (
        _panel(timeseries.Panel(), title, about, width, 8)
        .unit(unit)
        .min(0)
        .legend(legend.show_legend(True))
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING))
    )
    if stacked:
        panel = panel.stacking(common.StackingConfig().mode(StackingMode.NORMAL)).fill_opacity(60)
    for target in _targets(queries):
        panel = panel.with_target(target.range())
    return panel


def figure(title: str, about: str, unit: str, *queries: Query, width: int = 6) -> stat.Panel:
    """The figures of now, large."""
    panel = _panel(stat.Panel(), title, about, width, 5).unit(unit).no_value("none yet")
    for target in _targets(queries):
        panel = panel.with_target(target.instant())
    return panel.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))


@dataclass(frozen=True)
class Shade:
    """How a number is shown in a grid."""

    text: str
    colour: str


def grid(title: str, about: str, query: Query, *, rows: str, columns: str, shades: Sequence[Shade]) -> table.Panel:
    """A matrix of two labels; a cell's number is the place of its shade."""
    matrix = {"rowField": rows, "columnField": columns, "valueField": "Value"}
    (target,) = _targets([query])
    return (
        _panel(table.Panel(), title, about, WIDTH, 12)
        .with_target(target.instant().format(PromQueryFormat.TABLE))
        .with_transformation(DataTransformerConfig(id_val="groupingToMatrix", options=matrix))
        .mappings(
            [
                ValueMap(
                    {
                        str(number): ValueMappingResult(text=shade.text, color=shade.colour, index=number)
                        for number, shade in enumerate(shades)
                    }
                )
            ]
        )
        .cell_options(TableColoredBackgroundCellOptions(mode=TableCellBackgroundDisplayMode.BASIC))
    )


def _panel(panel: P, title: str, about: str, width: int, height: int) -> P:
    return panel.title(title).description(about).datasource(SOURCE).span(width).height(height)


def _targets(queries: Sequence[Query]) -> list[prometheus.Dataquery]:
    return [
        prometheus.Dataquery().expr(query.expr).legend_format(query.legend).ref_id(chr(ord("A") + number))
        for number, query in enumerate(queries)
    ]
