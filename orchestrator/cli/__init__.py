"""mlectl: a file a command in `commands/`; each parses, calls what others can import too, and prints what came back."""
