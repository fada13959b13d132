"""Components for frameworks and agents, each with its module and extra; docs/integrations.md."""
