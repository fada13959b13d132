"""The optional neural tier: an encoder reads both sentences and scores their word pairs.

Nothing here is imported unless a model that names an encoder is loaded. It needs the packages of
the extra ``neural``; training one (`lab.recipes.neural`) also needs PyTorch.
"""
