"""What pages, notes and transcripts are made of: blocks, lines, front matter, marks. Pure, and lossless."""
