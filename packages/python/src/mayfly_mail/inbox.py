"""A mailbox as a test uses it."""

from __future__ import annotations

import time
import urllib.parse
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping

from .claim import Claim, claim_message
from .criteria import Criteria, describe, query_of
from .errors import MayflyError, MayflyTimeout, UnexpectedMessage
from .search import Search
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

# The least confidence of a main link, as for `link` of the service.
CONFIDENCE = 0.7
MAIN_KINDS = ("verify", "signIn", "reset", "invite")
# Seconds after the window of expect_none in which accepted mail must have been stored.
SETTLE_SECONDS = 30
PAGE = 100


class Inbox:
    """Messages are dictionaries as in the REST API. Durations are seconds."""

    def __init__(self, transport: Transport, name: str, data: Mapping[str, Any] | None = None) -> None:
        self._transport = transport
        self._mailbox = f"/api/mailboxes/{urllib.parse.quote(name, safe='')}"
        self._messages = f"{self._mailbox}/messages"
        self._data = data
        self.name = name

    @property
    def data(self) -> Mapping[str, Any]:
        """The properties of the mailbox: those of its creation, otherwise read once."""
        if self._data is None:
            self._data = self._transport.json("GET", self._mailbox)
        return self._data

    @property
    def address(self) -> str:
        """The e-mail address."""
        return self.data["address"]

    def wait(self, *, timeout: float = 25, **criteria: Unpack[Criteria]) -> dict[str, Any]:
        """The oldest message that matches. Raises MayflyTimeout without one in time."""
        return self._find("message", timeout, criteria, lambda message: message)

    def wait_for_code(self, *, timeout: float = 25, **criteria: Unpack[Criteria]) -> str:
        """The code of the oldest message that matches and has one. Raises MayflyTimeout."""
        look = lambda message: message["extracted"]["code"]  # noqa: E731
        return self._find("code", timeout, criteria, look, {"has_code": True})

    def wait_for_link(
        self, kind: str | None = None, *, timeout: float = 25, **criteria: Unpack[Criteria]
    ) -> str:
        """The main link of the oldest message that matches and has one, or its link of a kind."""
        what = "link" if kind is None else f'link "{kind}"'
        look = lambda message: _link_of(message["extracted"], kind)  # noqa: E731
        return self._find(what, timeout, criteria, look, {} if kind is None else {"link": kind})

    def expect_none(self, *, within: float = 5, **criteria: Unpack[Criteria]) -> None:
        """Returns when no message matches within `within` seconds, and all accepted mail was considered.

        Raises UnexpectedMessage as soon as one matches, and MayflyError "unsettled" when accepted mail is not stored
        within another 30 seconds.
        """
        give_up_at = time.monotonic() + within + SETTLE_SECONDS
        window = within
        while True:
            search = Search(self._transport, f"{self._messages}/wait", criteria, window)
            for message in search:
                raise UnexpectedMessage(self.name, describe(criteria, "message"), message)
            if search.settled:
                return
            if time.monotonic() >= give_up_at:
                error = "Whether a message arrived is unknown: accepted mail is still being stored."
                raise MayflyError(0, {"code": "unsettled", "error": error})
            window = 1

    def claim(
        self,
        *,
        timeout: float = 25,
        lease: int | None = None,
        owner: str | None = None,
        **criteria: Unpack[Criteria],
    ) -> Claim:
        """Claims the oldest free message that matches. With `lease` it is free again after so many seconds."""
        options: Any = {"timeout": timeout, "lease": lease, "owner": owner}
        return claim_message(self._transport, self.name, self._messages, criteria, **options)

    def mark(self) -> str:
        """What is in the mailbox now, to wait for what comes after it."""
        return self._transport.json("GET", f"{self._mailbox}/mark")["mark"]

    def read(self, message_id: str) -> dict[str, Any]:
        """A message."""
        return self._transport.json("GET", self._of(message_id))

    def extracted(self, message_id: str) -> dict[str, Any]:
        """The codes and links of a message, with the reasons."""
        return self._transport.json("GET", f"{self._of(message_id)}/extracted")

    def raw(self, message_id: str) -> bytes:
        """The mail as it arrived: an .eml file."""
        return self._transport.bytes("GET", f"{self._of(message_id)}/raw")

    def messages(self) -> Iterator[dict[str, Any]]:
        """All messages, newest first, read page by page."""
        after: dict[str, str] = {}
        while True:
            page = self._transport.json("GET", self._messages, {"limit": PAGE, **after})
            yield from page["messages"]
            if page["nextCursor"] is None:
                return
            after = {"after": page["nextCursor"]}

    def send(self, *, to: list[str], subject: str, **mail: Any) -> dict[str, Any]:
        """Sends a mail from this mailbox to mailboxes of the workspace: `text`, `html`, `cc`, `attachments`."""
        return self._transport.json("POST", self._messages, body={"to": to, "subject": subject, **mail})

    def reply(self, message_id: str, kind: str = "reply", **body: Any) -> dict[str, Any]:
        """Answers a message (`reply`, `replyAll`) or forwards it (`forward`, with `to`): `text`, `html`."""
        return self._transport.json("POST", f"{self._of(message_id)}/reply", body={"kind": kind, **body})

    def clear(self) -> int:
        """Deletes all messages. Returns how many."""
        return self._transport.json("DELETE", self._messages)["deleted"]

    def delete(self) -> None:
        """Deletes the mailbox with its messages."""
        self._transport.json("DELETE", self._mailbox)

    def _of(self, message_id: str) -> str:
        return f"{self._messages}/{urllib.parse.quote(message_id, safe='')}"

    def _find(
        self,
        what: str,
        timeout: float,
        criteria: Mapping[str, Any],
        look: Callable[[dict[str, Any]], Any],
        extract: Mapping[str, Any] | None = None,
    ) -> Any:
        """The first result. With a criterion of codes and links, or none, messages have `extracted`."""
        began = time.monotonic()
        asked = {**criteria, **(extract or {})}
        path = f"{self._messages}/wait"
        search = Search(self._transport, path, asked, timeout, extract is not None)
        for message in search:
            found = look(message)
            if found is not None:
                return found
            search.miss(message, [what])
        waited = time.monotonic() - began
        nearest = search.misses.nearest
        if extract is not None:
            # The service names the criterion; the error names what was waited for.
            named = query_of(extract)
            nearest = [
                {**miss, "failed": [what if name in named else name for name in miss["failed"]]}
                for miss in nearest
            ]
        raise MayflyTimeout(self.name, describe(criteria, what), waited, nearest, search.misses.count)


def _link_of(extracted: Mapping[str, Any], kind: str | None) -> str | None:
    if kind is None:
        return extracted["link"]
    of_kind = [link for link in extracted["links"] if link["kind"] == kind]
    if not of_kind:
        return None
    best = next((link for link in of_kind if link["url"] == extracted["link"]), of_kind[0])
    if kind in MAIN_KINDS and best["confidence"] < CONFIDENCE:
        return None
    return best["url"]
