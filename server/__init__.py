"""The tokalign gRPC server.

The server's own process runs one event loop. It takes calls (rpc), checks and costs them
(requests), lets them in (admission), and queues them for supervised worker processes (workers),
which annotate, align and serialise. Only the server's own process imports grpc, and only in rpc.
Operators look at it through observe. The life of the server is app.

On its way, a pair is part of these things, in this order:

RequestFields (requests/wire.py)
    The message of a call, cut into its fields.
Request (requests/request.py)
    Pairs with the same options, and what they cost.
Admitted (admission.py)
    A request that was let in; it counts until its answer is written.
Task (workers/shards.py)
    A request in the queue.
Slice (workers/shards.py)
    Consecutive pairs of a task.
Shard (workers/shards.py)
    Slices that one worker gets at a time.
Run (workers/frames.py)
    Neighbouring pairs of a shard with equal options, as they are sent to the worker.
Answer (requests/answers.py)
    The serialised alignment of a pair, or why there is none.
"""
