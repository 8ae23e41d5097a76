"""A plain scikit-learn agent: reads a task, fits a ladder of models and keeps the best submission so far."""
