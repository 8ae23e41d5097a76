"""Grafana dashboards as code. `python -m dashboards` writes the JSON that the chart installs."""
