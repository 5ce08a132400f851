"""Transcripts become evidence: detect a format, read it, append what is new, commit.

A format is one module with `detect` and `read`, and one line in `FORMATS`.
"""

from __future__ import annotations

from brain.ingest.formats import FORMATS
from brain.ingest.options import Options
from brain.ingest.run import ingest
from brain.ingest.source import Input, NoSource, Skipped
from brain.ingest.taken import IngestResult, Taken

__all__ = ["FORMATS", "IngestResult", "Input", "NoSource", "Options", "Skipped", "Taken", "ingest"]
