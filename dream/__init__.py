"""Dreaming: sessions become notes and pages on a staged tree, synced when the gate passes it."""
