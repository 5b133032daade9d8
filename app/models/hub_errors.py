"""What went wrong between this program and a model server, in our own words.

The libraries' exceptions overlap: a gated repository *is a* missing one, every Hub error *is an*
``OSError``. They are told apart here, in the order that matters, and nowhere else.
"""

from typing import Final

import httpx2

from app.core.errors import Bug, ContenoxError, DataFault, EnvironmentFault, UserError

# Codes of what may pass by itself; the download waits and tries again.
TEMPORARY: Final = frozenset({"network_unreachable", "server_busy", "network_login"})


class ServerAnswer(Exception):
    """An HTTP answer that is no success, before it is translated."""

    def __init__(self, status: int, error_code: str, host: str, asked_s: float | None) -> None:
        super().__init__(f"HTTP {status} {error_code} from {host}")
        self.status = status
        self.error_code = error_code
        self.host = host
        self.asked_s = asked_s

    @property
    def temporary(self) -> bool:
        return self.status in (408, 425, 429) or self.status >= 500


def unreachable(host: str, error: Exception) -> EnvironmentFault:
    """No connection, or one that broke again and again."""
    kind = type(error).__name__
    if isinstance(error, httpx2.ProxyError):
        sentence = f"The network's proxy refused the connection to {host} ({error})."
        remedy = "Check the proxy in the system's settings, or import the model from a folder."
    elif "CERTIFICATE_VERIFY_FAILED" in str(error):
        sentence = f"The certificate of {host} isn't trusted by this system."
        remedy = "Add your company's certificate to the system's store."
    else:
        sentence = f"{host} can't be reached or stopped answering ({kind})."
        remedy = "Check the network; the download goes on where it stopped."
    return EnvironmentFault("network_unreachable", sentence, remedy)


def login_page(host: str) -> EnvironmentFault:
    """A page where a file should be: a hotel's or a company's sign-in page."""
    return EnvironmentFault(
        "network_login",
        f"The network answered with a web page in place of what {host} should send.",
        "Open a browser and sign in to the network; the download goes on afterwards.",
    )


def from_answer(answer: ServerAnswer) -> ContenoxError:
    """Translates an HTTP answer of a Hub or a mirror."""
    if answer.temporary:
        return EnvironmentFault(
            "server_busy",
            f"{answer.host} is overloaded or out of order (HTTP {answer.status}).",
            "Wait; the download goes on where it stopped.",
        )
    if answer.error_code == "GatedRepo":
        return gated()
    if answer.error_code in ("RepoNotFound", "RevisionNotFound", "EntryNotFound") or (
        answer.status in (404, 410)
    ):
        return not_found()
    if answer.status == 407:
        return EnvironmentFault(
            "network_unreachable",
            "The network's proxy asks for a name and a password.",
            "Set them in the system's proxy settings.",
        )
    if answer.status in (401, 403, 451):
        return UserError(
            "access_refused",
            f"{answer.host} refuses to hand out this file (HTTP {answer.status}).",
            "Remove the access token if you set one, and try again.",
        )
    return DataFault(
        "server_answer",
        f"{answer.host} gave an answer that makes no sense here (HTTP {answer.status}).",
        "Try again later, or another mirror.",
    )


def gated() -> UserError:
    """The publisher wants each user to accept conditions on its web site."""
    return UserError(
        "model_gated",
        "The publisher hands this model only to people who accepted its conditions.",
        "Choose another model of the list.",
    )


def not_found() -> DataFault:
    """A repository, commit or file that the list names is gone (or private now)."""
    return DataFault(
        "model_withdrawn",
        "The publisher's server no longer has this model, or not in the listed version.",
        "Choose another model, or update this program for a newer list.",
    )


def wrong_size(path: str, expected: int, offered: int) -> DataFault:
    return DataFault(
        "wrong_size",
        f"The file {path} should have {expected} bytes, but {offered} were offered.",
        "Nothing of it was kept. Try again later, or another mirror.",
    )


def wrong_digest(path: str) -> DataFault:
    return DataFault(
        "wrong_digest",
        f"The bytes of {path} are not the ones that the list vouches for.",
        "Nothing of it was kept. Try again; if it happens twice, don't trust this server.",
    )


def from_library(error: Exception, host: str) -> ContenoxError:
    """Translates what huggingface_hub raises."""
    from huggingface_hub import errors  # slow to import, and used online only

    if isinstance(error, errors.GatedRepoError):
        return gated()
    if isinstance(
        error,
        (
            errors.RepositoryNotFoundError,
            errors.RevisionNotFoundError,
            errors.EntryNotFoundError,
            errors.DisabledRepoError,
        ),
    ):
        return not_found()
    if isinstance(error, errors.HfHubHTTPError):
        response = error.response
        code = response.headers.get("x-error-code", "")
        return from_answer(ServerAnswer(response.status_code, code, host, None))
    if isinstance(error, httpx2.TransportError):
        return unreachable(host, error)
    if isinstance(error, ValueError):  # a page in place of JSON
        return login_page(host)
    return Bug.unexpected(error)
