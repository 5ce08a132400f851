"""Measuring: the sample and its demo, benchmarks, and what the memory is worth."""
