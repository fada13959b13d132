"""The Grafana dashboard: one panel per row of PANELS.

python -m lab.recipes.grafana > deploy/grafana.json      (make api)
"""

import json
import re
from typing import Any, TypeAlias

Panel: TypeAlias = tuple[str, str, *tuple[tuple[str, str], ...]]
"""Title, unit, then the legend and the expression of each line."""

# What to show, chosen at the top; "All" takes series without the label as well.
VARIABLES = ("job", "namespace", "instance")
SELECTED = ",".join(f'{name}=~"${name}"' for name in VARIABLES)
METRIC = re.compile(r"\b(?:grpc_server|tokalign)_\w+")
# Envoy's targets are others than the servers', in the same namespace.
ENVOY = 'namespace=~"$namespace"'
CALLS = f'{ENVOY},envoy_http_conn_manager_prefix="tokalign"'
SERVERS = f'{ENVOY},envoy_cluster_name="tokalign"'

METHOD = 'grpc_server_handling_seconds_bucket{outcome="answered"}'
PANELS: tuple[Panel, ...] = (
    ("Calls by code", "reqps",
     ("{{grpc_code}}", "sum by (grpc_code) (rate(grpc_server_handled_total[1m]))")),
    ("Pairs", "pairs/s", ("{{code}}", "sum by (code) (rate(tokalign_pairs_total[1m]))")),
    ("Latency of answers by method, p99", "s",
     ("{{grpc_method}}",
      f"histogram_quantile(0.99, sum by (grpc_method, le) (rate({METHOD}[5m])))")),
    ("Time in the queue", "s",
     ("p50", "histogram_quantile(0.5, sum by (le) (rate(tokalign_queue_seconds_bucket[5m])))"),
     ("p99", "histogram_quantile(0.99, sum by (le) (rate(tokalign_queue_seconds_bucket[5m])))")),
    ("Compute time per pair, by stage", "s",
     ("{{stage}}",
      "sum by (stage) (rate(tokalign_stage_seconds_sum[1m]))"
      " / ignoring (stage) group_left sum (rate(tokalign_shard_pairs_sum[1m]))")),
    ("Pairs per shard", "short",
     ("mean",
      "sum(rate(tokalign_shard_pairs_sum[1m])) / sum(rate(tokalign_shard_pairs_count[1m]))")),
    ("Admitted and waiting work, in typical pairs", "short",
     ("admitted", "sum(tokalign_admitted_cost)"), ("waiting", "sum(tokalign_queue_cost)")),
    ("Workers", "short",
     ("ready", "sum(tokalign_workers_ready)"), ("busy", "sum(tokalign_workers_busy)")),
    ("Worker restarts", "short",
     ("{{reason}}", "sum by (reason) (increase(tokalign_worker_restarts_total[10m]))")),
    ("Reloads", "short", ("{{result}}", "sum by (result) (increase(tokalign_reloads_total[1h]))")),
    ("Work by caller, in typical pairs per second", "short",
     ("{{caller}}", "sum by (caller) (rate(tokalign_usage_cost_total[1m]))")),
    ("Calls by the reason of their error", "reqps",
     ("{{reason}}", "sum by (reason) (rate(tokalign_usage_calls_total[1m]))")),
    ("Pairs by model", "pairs/s",
     ("{{model}}", "sum by (model) (rate(tokalign_usage_pairs_total[1m]))")),
    ("Event loop: lag, p99", "s",
     ("{{instance}}",
      "histogram_quantile(0.99,"
      " sum by (instance, le) (rate(tokalign_loop_lag_seconds_bucket[5m])))")),
    ("Envoy: calls by class of status", "reqps",
     ("{{envoy_response_code_class}}xx",
      "sum by (envoy_response_code_class)"
      f" (rate(envoy_http_downstream_rq_xx{{{CALLS}}}[1m]))")),
    ("Envoy: latency, p99", "ms",
     ("p99",
      "histogram_quantile(0.99, sum by (le)"
      f" (rate(envoy_http_downstream_rq_time_bucket{{{CALLS}}}[5m])))")),
    ("Envoy: strangers", "reqps",
     ("refused for their token", f"sum(rate(envoy_tokalign_unauthenticated{{{ENVOY}}}[1m]))"),
     ("made to wait", f"sum(rate(envoy_http_fault_delays_injected{{{CALLS}}}[1m]))"),
     ("connections refused",
      f"sum(rate(envoy_listener_downstream_global_cx_overflow{{{ENVOY}}}[1m]))"
      f" + sum(rate(envoy_local_rate_limit_rate_limited{{{ENVOY}}}[1m]))")),
    ("Envoy: connections, healthy servers, retries", "short",
     ("connections", f"sum(envoy_http_downstream_cx_active{{{CALLS}}})"),
     ("healthy servers of the worst Envoy", f"min(envoy_cluster_membership_healthy{{{SERVERS}}})"),
     ("retries per second", f"sum(rate(envoy_cluster_upstream_rq_retry{{{SERVERS}}}[1m]))")),
)  # fmt: skip


def variable(index: int) -> dict[str, Any]:
    """Return one of VARIABLES, with the values it has where those before it are as chosen."""
    chosen = ",".join(SELECTED.split(",")[:index])
    query = f"label_values(tokalign_workers_ready{{{chosen}}}, {VARIABLES[index]})"
    return {
        "name": VARIABLES[index],
        "type": "query",
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "query": {"query": query, "refId": VARIABLES[index]},
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
    }


def dashboard() -> dict[str, Any]:
    """Return the dashboard, two panels to a line."""
    panels = []
    for index, (title, unit, *targets) in enumerate(PANELS):
        panels.append(
            {
                "id": index + 1,
                "type": "timeseries",
                "title": title,
                "datasource": {"type": "prometheus", "uid": "${datasource}"},
                "gridPos": {"h": 8, "w": 12, "x": 12 * (index % 2), "y": 8 * (index // 2)},
                "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
                "targets": [
                    {
                        "refId": chr(65 + i),
                        "legendFormat": legend,
                        "expr": METRIC.sub(rf"\g<0>{{{SELECTED}}}", expression).replace("}{", ","),
                    }
                    for i, (legend, expression) in enumerate(targets)
                ],
            }
        )
    source = {"name": "datasource", "type": "datasource", "query": "prometheus"}
    return {
        "title": "tokalign",
        "uid": "tokalign",
        "schemaVersion": 39,
        "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [source, *map(variable, range(len(VARIABLES)))]},
        "panels": panels,
    }


if __name__ == "__main__":
    print(json.dumps(dashboard(), indent=1))
