"""python -m brain.eval.bench NAME: what Brain costs, as ratios within one run."""
