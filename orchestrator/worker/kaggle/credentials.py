"""Who asks Kaggle: the same places that the `kaggle` command looks at, in its order, without its prompts and exits.

1. An access token: KAGGLE_API_TOKEN (the token, or a file with it), ~/.kaggle/access_token.
2. A user name and key: KAGGLE_USERNAME and KAGGLE_KEY, or kaggle.json in KAGGLE_CONFIG_DIR, ~/.kaggle or
   ~/.config/kaggle.
3. What `kaggle auth login` left in ~/.kaggle/credentials.json.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.worker.kaggle.errors import TOKEN_PAGE, NoCredentials, OutOfReach


@dataclass(frozen=True)
class Credentials:
    """A token, or a user name and key; and where they were found, for messages."""

    source: str
    token: str | None = field(default=None, repr=False)
    username: str | None = None
    key: str | None = field(default=None, repr=False)


def find_credentials() -> Credentials:
    """The credentials of whoever runs this; `NoCredentials` says how to get some."""
    found = _access_token() or _api_key() or _login()
    if found is None:
        raise NoCredentials(
            f"There are no Kaggle credentials: make an API token at {TOKEN_PAGE} and set KAGGLE_API_TOKEN, "
            "or save the token as ~/.kaggle/access_token."
        )
    return found


def _access_token() -> Credentials | None:
    from kagglesdk.kaggle_env import get_access_token_from_env

    token, source = get_access_token_from_env()
    return Credentials(str(source), token=token) if token else None


def _api_key() -> Credentials | None:
    username, key = os.environ.get("KAGGLE_USERNAME"), os.environ.get("KAGGLE_KEY")
    if username and key:
        return Credentials("KAGGLE_USERNAME and KAGGLE_KEY", username=username, key=key)
    file = next((folder / "kaggle.json" for folder in _folders() if (folder / "kaggle.json").is_file()), None)
    if file is None:
        return None
    try:
        written = json.loads(file.read_text(encoding="utf-8"))
        return Credentials(str(file), username=username or written["username"], key=key or written["key"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoCredentials(
            f'{file} can\'t be used ({type(error).__name__}: {error}): it should hold {{"username": …, "key": …}}, '
            f"as {TOKEN_PAGE} makes it."
        ) from error


def _folders() -> list[Path]:
    if configured := os.environ.get("KAGGLE_CONFIG_DIR"):
        return [Path(configured)]
    xdg = os.environ.get("XDG_CONFIG_HOME")
    return [Path.home() / ".kaggle", (Path(xdg) if xdg else Path.home() / ".config") / "kaggle"]


def _login() -> Credentials | None:
    """The token of an earlier `kaggle auth login`; Kaggle renews it when it is old."""
    import requests
    from kagglesdk.kaggle_client import KaggleClient
    from kagglesdk.kaggle_creds import KaggleCredentials

    kept = KaggleCredentials.load(client=KaggleClient())
    if kept is None:
        return None
    try:
        return Credentials("~/.kaggle/credentials.json", token=kept.get_access_token())
    except requests.HTTPError as error:
        raise NoCredentials(
            f"The login in ~/.kaggle/credentials.json is no longer accepted ({error}): run `kaggle auth login`."
        ) from error
    except requests.RequestException as error:
        raise OutOfReach(
            f"Kaggle can't be reached to renew the login ({error}): check network and proxy, then run this again."
        ) from error
