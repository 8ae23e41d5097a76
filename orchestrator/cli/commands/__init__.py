"""The commands, imported one by one when they are called: a module each, with its printing beside it."""
