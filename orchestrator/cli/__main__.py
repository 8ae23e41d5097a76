"""`python -m orchestrator.cli` is `mlectl`."""

from orchestrator.cli.main import main

if __name__ == "__main__":
    main()
