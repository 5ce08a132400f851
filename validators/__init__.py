"""The gate: rules that read a whole tree against its base and say what is wrong with it. See docs/architecture.md."""
