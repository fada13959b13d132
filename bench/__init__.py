"""Benchmarks: two programs that measure speed, and one that attacks.

| command | measures | takes |
| --- | --- | --- |
| ``python -m bench.speed`` | speed of the library, as ratios of things run in turn | minutes |
| ``python -m bench.serving`` | throughput, latency, overload, fairness of the server | 8 minutes |
| ``python -m bench.serving --short`` | the same with windows of two seconds | 3 minutes |
| ``python -m bench.attack`` | what hostile peers and faults cost the server | minutes |

Without arguments ``bench.speed`` lists its commands, and each explains itself with ``--help``. All
run from the root of the repository. Every row of output is a JSON object on a line of its own.
"""
