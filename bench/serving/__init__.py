"""Throughput and latency of the server, overload, and fairness between callers.

Goals: at least 2,500 unary calls per second and 5,000 pairs per second in batches on two cores; p99
below 10 ms at half of that; goodput of 90% at three times the capacity with refusals within 10 ms;
a lone call's p99 at most tripled by a batch of 10,000 pairs, and by batches of pairs of any length.
The load generator is on the same cores. Processor time per pair, of the server's own process and of
its workers, is what a busy machine distorts least.

Speed does not decide the exit code: it is 1 where a call got no answer, or a status that the load
does not explain.
"""
