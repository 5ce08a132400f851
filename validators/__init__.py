"""The gate: rules that read a staged tree against its base and say what is wrong with it."""
