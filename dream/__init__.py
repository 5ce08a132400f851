"""Dreaming: sessions become notes and pages on a staged tree, and the tree is synced when the gate passes. See docs/architecture.md."""
