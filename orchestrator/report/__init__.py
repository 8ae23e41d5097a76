"""From reports to a result: aggregate, collect, show, compare, hand on. Reads stores and files; decides nothing."""
