"""Which sentences of two texts belong together, and what changed between the texts (`diff`).

`text_plan.TextPlan` cuts both texts into sentences, says which of them are worth comparing, and
makes blocks of what the comparison says. The library compares with its aligner (`align_texts`), the
server with its workers.
"""
