"""The service and its mailboxes."""

from __future__ import annotations

import os
from typing import Any, Mapping

from .inbox import Inbox
from .transport import Transport
from .waits import Place, Waits

PAGE = 100


class Mailboxes:
    """The mailboxes of the workspace."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        name: str | None = None,
        expires_in: int | None = None,
        labels: Mapping[str, str] | None = None,
        client_id: str | None = None,
    ) -> Inbox:
        """Creates a mailbox. A `name` requires the plan Pro; without it, the service chooses one."""
        properties = {
            "name": name,
            "expiresIn": expires_in,
            "labels": labels,
            "clientId": client_id,
        }
        body = {key: value for key, value in properties.items() if value is not None}
        return self._inbox(self._transport.json("POST", "/api/mailboxes", body=body))

    def get(self, name: str) -> Inbox:
        """A mailbox. Raises MayflyError "not_found"."""
        inbox = Inbox(self._transport, name)
        return self._inbox(inbox.data)

    def list(self, labels: Mapping[str, str] | None = None, prefix: str | None = None) -> list[Inbox]:
        """The mailboxes that have all of the labels and whose names start with the prefix, newest first."""
        query = {"label": _labeled(labels or {}), **({"q": prefix} if prefix else {})}
        return [self._inbox(data) for data in self._transport.paged("/api/mailboxes", query)]

    def delete(self, labels: Mapping[str, str]) -> int:
        """Deletes the mailboxes that have all of the labels. Returns how many. Raises TypeError without a label."""
        if not isinstance(labels, Mapping) or not labels:
            raise TypeError("delete() takes labels, such as {'run': '1'}. For one mailbox, use inbox(name).delete().")
        query = {"label": _labeled(labels)}
        return self._transport.json("DELETE", "/api/mailboxes", query)["deleted"]

    def _inbox(self, data: Mapping[str, Any]) -> Inbox:
        return Inbox(self._transport, data["name"], data)


class Mayfly(Waits):
    """A client. `MAYFLY_URL` and `MAYFLY_TOKEN` are used for what is not given.

    Its waits are for messages in all mailboxes, which have the name of their `mailbox`.

    Raises TypeError without a token, and ValueError for a URL or a token of the wrong form.
    """

    def __init__(self, url: str | None = None, token: str | None = None) -> None:
        url = url or os.environ.get("MAYFLY_URL", "").strip() or "http://localhost:3000"
        token = token or os.environ.get("MAYFLY_TOKEN", "").strip()
        if not token:
            raise TypeError("The API token is missing. Set MAYFLY_TOKEN, or call Mayfly(token=...).")
        self._transport = Transport(url, token)
        super().__init__(Place(self._transport, None, None, "/api/messages"))
        self.mailboxes = Mailboxes(self._transport)

    def inbox(self, name: str) -> Inbox:
        """A mailbox that exists, without a request."""
        return Inbox(self._transport, name)

    def search(self, q: str, limit: int = PAGE) -> list[dict[str, Any]]:
        """The newest messages of all mailboxes that match a query, at most `limit` of them.

        Each has the name of its `mailbox`, and no `text` and `html`.
        """
        if not isinstance(q, str):
            raise TypeError(f"search() takes a query, not {q!r}.")
        found: list[dict[str, Any]] = []
        query: dict[str, Any] = {"q": q, "limit": PAGE}
        while True:
            # A search that stops for its time has a cursor, and possibly no messages.
            page = self._transport.json("GET", "/api/messages", query)
            found += page["messages"]
            if page["nextCursor"] is None or len(found) >= limit:
                return found[:limit]
            query["after"] = page["nextCursor"]

    def mark(self) -> str:
        """What is in all mailboxes now, to wait for what comes after it, in whichever mailbox."""
        return self._transport.json("GET", "/api/messages/mark")["mark"]


def _labeled(labels: Mapping[str, str]) -> list[str]:
    return [f"{key}:{value}" for key, value in labels.items()]
