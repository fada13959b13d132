"""Systems of the literature: each aligns an annotated pair without a model's weights."""
