"""What commands print, where it is more than a few lines: pure functions from data to text."""
