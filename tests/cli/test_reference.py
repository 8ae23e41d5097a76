from orchestrator.cli.main import COMMANDS, HIDDEN
from orchestrator.cli.reference import PAGE, reference_page


def test_the_reference_page_is_what_the_commands_say():
    assert PAGE.read_text(encoding="utf-8") == reference_page(), "run `make docs`"


def test_the_reference_page_has_every_command():
    page = reference_page()
    assert all((f"### mlectl {name}\n" in page) == (name not in HIDDEN) for name in COMMANDS)
