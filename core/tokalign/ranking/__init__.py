"""Questions, and how likely a candidate answers one."""
