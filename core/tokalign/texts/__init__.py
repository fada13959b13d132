"""Which sentences of two texts belong together, planned without a model.

`plan.TextPlan` cuts both texts into sentences, says which of them are worth comparing, and makes
blocks of what the comparison says. Whoever drives it compares: the library with its aligner, the
server with its workers.
"""
