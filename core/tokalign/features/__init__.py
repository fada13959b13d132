"""From an annotated pair to sparse features: `table` lists them, the kernels compute them."""
