"""The exceptions of the client."""

from __future__ import annotations

import json
from typing import Any


class MayflyError(Exception):
    """An error response, or none after all attempts (status 0, code "unavailable").

    Other codes of the client are "unsupported", when the service is older than the client, "not_json", when something
    else answered, and "unsettled" of expect_none.
    """

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(body.get("error") or f"The service answered with status {status}.")
        self.status = status
        self.code: str = body.get("code") or "unknown"
        self.request_id: str | None = body.get("requestId")
        self.details: Any = body.get("details")


class MayflyTimeout(Exception):
    """No message matches in time. Its text names the criteria and the messages that fail the fewest.

    `unmatched` is the number of messages that were considered, at least; None for a claim, which names none.
    """

    def __init__(
        self,
        mailbox: str,
        criteria: str,
        waited: float,
        nearest: list[dict[str, Any]],
        unmatched: int | None,
    ) -> None:
        first = f'No {criteria} in mailbox "{mailbox}" within {waited:.1f} s.'
        super().__init__("\n".join([first, *_explain(unmatched, nearest)]))
        self.mailbox = mailbox
        self.criteria = criteria
        self.waited = waited
        self.nearest = nearest
        self.unmatched = unmatched


class UnexpectedMessage(AssertionError):
    """A message that must not arrive is there."""

    def __init__(self, mailbox: str, criteria: str, message: dict[str, Any]) -> None:
        super().__init__(
            f'Expected no {criteria} in mailbox "{mailbox}", but {message["id"]} '
            f"{message['subject']!r} from {message['from']} is there."
        )
        self.message = message


class SignatureError(Exception):
    """A webhook request was not signed with the secret, or not within the last 300 seconds."""


def _explain(unmatched: int | None, nearest: list[dict[str, Any]]) -> list[str]:
    if unmatched is None:
        return []
    if unmatched == 0:
        return ["No message was considered."]
    lines = [f"{unmatched} other message{'' if unmatched == 1 else 's'} considered. The nearest:"]
    for miss in nearest:
        subject = json.dumps(miss["subject"], ensure_ascii=False)
        lines.append(f"  {miss['messageId']} {subject} fails: {', '.join(miss['failed'])}")
    return lines
