"""The speed of the library, as ratios of things that run in turn in one run."""
