"""Part of Brain; see docs/architecture.md."""
