"""The personas: synthetic people, their months of sessions, and questions whose answers are known exactly.

`data/` holds what is said, as text; the modules draw from it. Nothing here asks a clock, a system or a generator of
random numbers: the same seed gives the same bytes everywhere.
"""
