"""From an annotated pair to links: both directions' chains, symmetrization, explanations."""
