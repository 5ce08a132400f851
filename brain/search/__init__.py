"""The search table: passages of the tree, found by words and by meaning. Imports neither LanceDB nor a model."""
