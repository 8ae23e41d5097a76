"""What is made from the chart: the page of its values, and its objects as plain files."""
