"""`python -m dashboards` (part of `make docs`): renews helm/mlectl/files/dashboards."""

from pathlib import Path

from dashboards.all import FOLDER, rendered


def write(checkout: Path) -> None:
    folder = checkout / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in rendered().items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    write(Path(__file__).parents[1])
