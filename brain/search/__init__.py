"""The search table: passages of the tree, found by words and by meaning. Imports neither LanceDB nor a model."""

from brain.search.rank import Found, Hit, Mode, Question, Searcher, find, search

__all__ = ["Found", "Hit", "Mode", "Question", "Searcher", "find", "search"]
