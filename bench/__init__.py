"""Benchmarks: three programs that measure, and one that attacks.

| command | measures | takes |
| --- | --- | --- |
| ``python -m bench.speed`` | speed of the library, as ratios of things run in turn | minutes |
| ``python -m bench.serving`` | throughput, latency, overload, fairness of the server | 8 minutes |
| ``python -m bench.serving --short`` | the same with windows of two seconds | 3 minutes |
| ``python -m bench.accuracy`` | accuracy on corpora and on tasks | minutes to hours |
| ``python -m bench.attack`` | what hostile peers and faults cost the server | minutes |
| ``python -m bench.figures`` | what docs/figures.json holds, by these programs | minutes to hours |

Without arguments ``bench.speed`` and ``bench.accuracy`` list their commands, and each command
explains itself with ``--help``. All run from the root of the repository, with the corpora in the
folder that TOKALIGN_DATA names. Every row of output is a JSON object on a line of its own.

``scale`` needs pyarrow, Ray and Spark (.venv-engines); ``encoding`` and ``crossval-neural`` need
the packages of .venv-torch, and so do annotators other than the native one.
"""
