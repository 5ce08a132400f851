"""A file-tree wiki that gives an AI agent a memory which it reads with cat, grep and git."""

__version__ = "0.1.0"
