"""Transcripts become evidence: detect a format, read it, append what is new, commit.

A format is one module with `detect` and `read`, and one line in `FORMATS`.
"""

from __future__ import annotations

from brain.ingest.formats import FORMATS
from brain.ingest.options import Options
from brain.ingest.run import IngestResult, Taken, ingest
from brain.ingest.source import Input, NoSource, Skipped

__all__ = ["FORMATS", "IngestResult", "Input", "NoSource", "Options", "Skipped", "Taken", "ingest"]
