"""Messages given to one of several clients."""

from __future__ import annotations

import re
import time
from typing import Any, Mapping

from .criteria import query_of
from .deadline import Deadline, check_seconds
from .errors import Unanswered
from .transport import Transport
from .waits import Place, timed_out


class Claim:
    """A message that no other client claims meanwhile."""

    def __init__(self, transport: Transport, path: str, data: dict[str, Any], message: dict[str, Any]) -> None:
        self._transport = transport
        self._path = path
        self.message = message
        self.id: str = data["id"]
        self.owner: str | None = data["owner"]
        self.expires_at: str | None = data["expiresAt"]

    def release(self) -> None:
        """Makes the message free for other clients."""
        self._transport.json("DELETE", self._path, {"claimId": self.id})

    def extend(self, lease: int | None) -> None:
        """Sets the end of the lease to `lease` seconds from now; None keeps the message for good."""
        body = {"claimId": self.id, "expiresIn": lease}
        self.expires_at = self._transport.json("PUT", self._path, body=body)["expiresAt"]


def claim_message(
    place: Place,
    criteria: Mapping[str, Any],
    *,
    timeout: float,
    lease: int | None,
    owner: str | None,
) -> Claim:
    """Claims the oldest free message that matches, or waits for one. Raises MayflyTimeout without one."""
    if any(isinstance(value, re.Pattern) for value in criteria.values()):
        raise TypeError("A claim accepts strings, not patterns. Use wait() for a pattern.")
    check_seconds(timeout, "timeout")
    transport, path = place.transport, place.messages
    match = query_of(criteria)
    mark = match.pop("mark", None)
    began = time.monotonic()
    body = {"match": match, "mark": mark, "owner": owner, "expiresIn": lease}
    while True:
        deadline = Deadline(began + timeout)
        try:
            result = transport.json("POST", f"{path}/claim", body=body, deadline=deadline)
        except Unanswered as error:
            waited = time.monotonic() - began
            raise timed_out(place, criteria, "free message", waited, [], None, error.reason) from error
        if result["claims"] and result["messages"]:
            message = result["messages"][0]
            return Claim(transport, f"{path}/{message['id']}/claim", result["claims"][0], message)
        if time.monotonic() - began >= timeout:
            waited = time.monotonic() - began
            raise timed_out(place, criteria, "free message", waited, [], None)
