"""What the tests of the reports share."""
