"""A mailbox as a test uses it."""

from __future__ import annotations

import itertools
import urllib.parse
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Mapping, Sequence

from .claim import Claim, claim_message
from .contents import Contents
from .criteria import Criteria
from .transport import Transport
from .waits import Place

if TYPE_CHECKING:
    from typing_extensions import Unpack

PAGE = 100


class Inbox(Contents):
    """Messages are dictionaries as in the REST API. Durations are seconds."""

    def __init__(self, transport: Transport, name: str, data: Mapping[str, Any] | None = None) -> None:
        self._transport = transport
        self._mailbox = f"/api/mailboxes/{urllib.parse.quote(name, safe='')}"
        self._messages = f"{self._mailbox}/messages"
        address = None if data is None else data["address"]
        super().__init__(Place(transport, name, self._mailbox, self._messages, address))
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
        return claim_message(self._place, criteria, **options)

    def mark(self) -> str:
        """What is in the mailbox now, to wait for what comes after it."""
        return self._transport.json("GET", f"{self._mailbox}/mark")["mark"]

    def messages(self) -> Iterator[dict[str, Any]]:
        """All messages, newest first, read page by page."""
        after: dict[str, str] = {}
        while True:
            page = self._transport.json("GET", self._messages, {"limit": PAGE, **after})
            yield from page["messages"]
            if page["nextCursor"] is None:
                return
            after = {"after": page["nextCursor"]}

    def list(self, limit: int = PAGE) -> List[dict[str, Any]]:
        """The newest messages, at most `limit` of them."""
        return list(itertools.islice(self.messages(), limit))

    def store(
        self, raw: bytes | str, *, to: str | Iterable[str] | None = None, from_: str | None = None
    ) -> dict[str, Any]:
        """Stores a mail in the format of RFC 5322, such as an .eml file, as if it had arrived here.

        `from_` and `to` are the sender and the recipients of its envelope; by default those of `From`, and this
        mailbox. Returns a dictionary with the `messageId`.
        """
        if not isinstance(raw, (bytes, str)) or not raw:
            raise TypeError("store() takes a mail in the format of RFC 5322: bytes or a string, such as bytes(mail).")
        envelope: dict[str, Any] = {} if from_ is None else {"from": from_}
        if to is not None:
            envelope["to"] = [to] if isinstance(to, str) else [*to]
        body = raw.encode() if isinstance(raw, str) else raw
        return self._transport.json("POST", f"{self._messages}/raw", envelope, body)

    def send(self, *, to: Sequence[str], subject: str, **mail: Any) -> dict[str, Any]:
        """Sends a mail from this mailbox to mailboxes of the workspace: `text`, `html`, `cc`, `attachments`."""
        return self._transport.json("POST", self._messages, body={"to": [*to], "subject": subject, **mail})

    def reply(self, message_id: str, kind: str = "reply", **body: Any) -> dict[str, Any]:
        """Answers a message (`reply`, `replyAll`) or forwards it (`forward`, with `to`): `text`, `html`."""
        return self._transport.json("POST", f"{self._of(message_id)}/reply", body={"kind": kind, **body})

    def clear(self) -> int:
        """Deletes all messages. Returns how many."""
        return self._transport.json("DELETE", self._messages)["deleted"]

    def delete(self) -> None:
        """Deletes the mailbox with its messages."""
        self._transport.json("DELETE", self._mailbox)
