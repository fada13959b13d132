"""Sentence alignment of two texts, and the changes between them (`diff`).

`text_plan.TextPlan` splits both texts into sentences, chooses the pairs to compare, and makes
blocks from their similarities. The library compares with its aligner (`align_texts`), the server
with its workers.
"""
