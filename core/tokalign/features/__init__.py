"""From an annotated pair to sparse features: `templates` lists them, the kernels compute them."""
