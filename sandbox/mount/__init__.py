"""The whole brain at one commit as a read-only FUSE tree: names at once, contents when they are opened.

`names` holds what the kernel asks about without a round trip, `contents` brings bytes from a `Source` in batches and
keeps them in a `cache`, `operations` answers the kernel, `serving` runs until it is unmounted, `places` makes sure of
the folder and cleans up after a server that was killed, `opening` makes all of it from a brain.
"""
