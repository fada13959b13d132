"""Parts for frameworks and agents, a module and an extra for each; docs/integrations.md."""
