"""Finding files in a brain for an agent, and the folder in which it reads them."""
