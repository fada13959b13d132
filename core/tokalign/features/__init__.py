"""Features of annotated pairs: `templates` lists them, the kernels compute them."""
