"""The exceptions of the client."""

from __future__ import annotations

import json
from typing import Any, Mapping, NamedTuple, Sequence

# Messages of other mailboxes that an error names at most.
NAMED = 3


class MayflyError(Exception):
    """An error response, or none after all attempts (status 0, code "unavailable").

    Other codes of the client are "unsupported", when the service is older than the client, "redirected" and "not_json",
    when something else answered, and "unsettled" of expect_none.
    """

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(body.get("error") or f"The service answered with status {status}.")
        self.status = status
        self.code: str = body.get("code") or "unknown"
        self.request_id: str | None = body.get("requestId")
        self.details: Any = body.get("details")


class Unanswered(MayflyError):
    """A request without a response within its time."""

    def __init__(self, url: str, seconds: float) -> None:
        self.reason = f"no response within {round(seconds, 1):g} s"
        super().__init__(0, {"code": "unavailable", "error": f"{url} has not answered: {self.reason}"})


class Elsewhere(NamedTuple):
    """What other mailboxes have received meanwhile, the most interesting first."""

    # Whether the messages match the criteria; None without criteria.
    fits: bool | None
    count: int
    named: Sequence[Mapping[str, Any]]


NOWHERE = (
    "No other mailbox of this token has received mail meanwhile: check that the application sends it, and its SMTP_URL."
)


class MayflyTimeout(Exception):
    """No message matches in time.

    The first line of its text is "0 messages for ADDRESS", or another number of those that were considered. The other
    lines name the criteria, and the messages that fail the fewest or what other mailboxes have received meanwhile.
    `unmatched` is the number of messages that were considered, at least; None for a claim, which names none, and if the
    service has not told it in time. `is_answered` is whether the service answered the last request: without an answer,
    a message may be there.
    """

    def __init__(
        self,
        mailbox: str | None,
        criteria: str,
        waited: float,
        nearest: list[dict[str, Any]],
        unmatched: int | None,
        *,
        facts: Mapping[str, Any] | None = None,
        is_after: bool = False,
        unanswered: str | None = None,
        address: str | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        """`facts` are the mailbox as it is now; with `is_after`, messages before a mark or time were left out.

        Without a name of a mailbox, the wait was for all mailboxes.
        """
        known = facts or {}
        total: int | None = known.get("messageCount")
        older = max(0, (total or 0) - unmatched) if is_after and unmatched is not None else 0
        address = address or known.get("address", mailbox)
        where = "in all mailboxes" if mailbox is None else f"for {address}"
        lines = [
            f"{_counted(total if unmatched is None else unmatched)} {where}",
            f"No {criteria} within {waited:.1f} s.",
        ]
        if unanswered is not None:
            lines.append(f"Mayfly has not answered the last request: {unanswered}.")
        if older:
            lines.append(f"{_counted(older)} came before the mark or time that was given.")
        if elsewhere is not None:
            lines.append(_elsewhere_line(elsewhere, address or ""))
        super().__init__("\n".join([*lines, *_explain(nearest)]))
        self.mailbox = mailbox
        self.criteria = criteria
        self.waited = waited
        self.nearest = nearest
        self.unmatched = unmatched
        self.is_answered = unanswered is None


class UnexpectedMessage(AssertionError):
    """A message that must not arrive is there."""

    def __init__(self, mailbox: str | None, criteria: str, message: dict[str, Any]) -> None:
        where = "any mailbox" if mailbox is None else f'mailbox "{mailbox}"'
        place = f'in "{message["mailbox"]}"' if "mailbox" in message else "there"
        super().__init__(
            f'Expected no {criteria} in {where}, but {message["id"]} '
            f"{message['subject']!r} from {message['from']} is {place}."
        )
        self.message = message


class SignatureError(Exception):
    """A webhook request was not signed with the secret, or not within the last 300 seconds."""


def _counted(messages: int | None) -> str:
    if messages is None:
        return "Unknown number of messages"
    return f"{messages} message{'' if messages == 1 else 's'}"


def _elsewhere_line(elsewhere: Elsewhere, address: str) -> str:
    """`address` is that of a mailbox of the same workspace."""
    fits, count, named = elsewhere
    if count == 0:
        return NOWHERE
    is_one = count == 1
    matches = " that matches" if is_one else " that match"
    do_not = f" that {'does' if is_one else 'do'} not match"
    which = "" if fits is None else matches if fits else do_not
    domain = address.partition("@")[2]
    shown = [f"{one['mailbox']}@{domain} (subject {_quoted(one['subject'])})" for one in named[:NAMED]]
    more = f" and {count - len(shown)} more" if count > len(shown) else ""
    return (
        f"{_counted(count)}{which} arrived in other mailboxes, perhaps of other tests, meanwhile or in the minute before: "
        f"{', '.join(shown)}{more}"
    )


def _explain(nearest: list[dict[str, Any]]) -> list[str]:
    lines = ["The nearest:"] if nearest else []
    for miss in nearest:
        subject = _quoted(miss["subject"])
        place = f' in "{miss["mailbox"]}"' if "mailbox" in miss else ""
        lines.append(f"  {miss['messageId']} {subject}{place} fails: {', '.join(miss['failed'])}")
    if any(name.split()[0] in ("code", "link") for miss in nearest for name in miss["failed"]):
        lines.append("inbox.extracted(id) tells the codes and links of a message, and why others are none.")
    return lines


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
