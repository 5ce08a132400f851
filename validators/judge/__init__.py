"""Does what was said bear out what is claimed? The question of the semantic rules, and who answers it.

`verdict` holds the question, the answer and the protocol; `offline` the judge that needs no model. Each of the other
modules asks one thing of a claim and its evidence and answers in words, or not at all; what the words of a language
do stands in the data files beside them.
"""
