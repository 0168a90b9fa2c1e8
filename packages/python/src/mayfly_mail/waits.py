"""Waits for messages, and for their absence."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple

from .criteria import Criteria, describe, query_of
from .deadline import Deadline, check_seconds
from .elsewhere import elsewhere_of
from .errors import MayflyError, MayflyTimeout, Unanswered, UnexpectedMessage
from .search import Order, Search
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

# The least confidence of a main link, as for `link` of the service.
CONFIDENCE = 0.7
MAIN_KINDS = ("verify", "signIn", "reset", "invite")
# Seconds after the window of expect_none in which accepted mail must have been stored.
SETTLE_SECONDS = 30
# Seconds for what an error tells about the mailbox.
FACTS_SECONDS = 2


class Place(NamedTuple):
    """The mailbox whose messages are looked at, or all mailboxes (None), with the paths of the API."""

    transport: Transport
    name: str | None
    mailbox: str | None
    messages: str
    address: str | None = None


class Waits:
    """Waits for the messages of a place."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def wait(
        self, *, timeout: float = 25, order: Order = "oldest", **criteria: Unpack[Criteria]
    ) -> dict[str, Any]:
        """The oldest message that matches. Raises MayflyTimeout without one in time."""
        return self._find("message", timeout, order, criteria, lambda message: message)

    def wait_for_code(
        self, *, timeout: float = 25, order: Order = "newest", **criteria: Unpack[Criteria]
    ) -> str:
        """The code of the newest message that matches and has one. Raises MayflyTimeout.

        Pass `mark` to leave out a code that was there before.
        """
        look = lambda message: message["extracted"]["code"]  # noqa: E731
        return self._find("code", timeout, order, criteria, look, {"has_code": True})

    def wait_for_link(
        self,
        kind: str | None = None,
        *,
        timeout: float = 25,
        order: Order = "newest",
        **criteria: Unpack[Criteria],
    ) -> str:
        """The main link of the newest message that matches and has one, or its link of a kind."""
        what = "link" if kind is None else f'link "{kind}"'
        look = lambda message: _link_of(message["extracted"], kind)  # noqa: E731
        return self._find(what, timeout, order, criteria, look, {} if kind is None else {"link": kind})

    def expect_none(self, *, within: float = 5, **criteria: Unpack[Criteria]) -> None:
        """Returns when no message matches within `within` seconds, and all accepted mail was considered.

        Raises UnexpectedMessage as soon as one matches, and MayflyError "unsettled" when accepted mail is not stored
        within another 30 seconds.
        """
        if "timeout" in criteria:
            raise TypeError("expect_none() has no timeout: `within` is the time without mail.")
        place = self._place
        give_up_at = time.monotonic() + check_seconds(within, "within") + SETTLE_SECONDS
        window = within
        while True:
            search = Search(place.transport, f"{place.messages}/wait", criteria, window)
            try:
                for message in search:
                    raise UnexpectedMessage(place.name, describe(criteria, "message"), message)
            except Unanswered as error:
                raise _unsettled(error.reason) from error
            if search.settled:
                return
            if time.monotonic() >= give_up_at:
                raise _unsettled("accepted mail is still being stored")
            window = 1

    def _find(
        self,
        what: str,
        timeout: float,
        order: Order,
        criteria: Mapping[str, Any],
        look: Callable[[dict[str, Any]], Any],
        extract: Mapping[str, Any] | None = None,
    ) -> Any:
        """The first result. With a criterion of codes and links, or none, messages have `extracted`."""
        place = self._place
        began = time.monotonic()
        asked = {**criteria, **(extract or {})}
        path = f"{place.messages}/wait"
        seconds = check_seconds(timeout, "timeout")
        search = Search(place.transport, path, asked, seconds, order, extract is not None)
        unanswered = None
        try:
            for message in search:
                found = look(message)
                if found is not None:
                    return found
                search.miss(message, [what])
        except Unanswered as error:
            unanswered = error.reason
        waited = time.monotonic() - began
        nearest = search.misses.nearest
        if extract is not None:
            # The service names the criterion; the error names what was waited for.
            named = query_of(extract)
            nearest = [
                {**miss, "failed": [what if name in named else name for name in miss["failed"]]}
                for miss in nearest
            ]
        asked = asked if search.misses.count == 0 else None
        raise timed_out(place, criteria, what, waited, nearest, search.misses.count, unanswered, asked)


def timed_out(
    place: Place,
    criteria: Mapping[str, Any],
    what: str,
    waited: float,
    nearest: list[dict[str, Any]],
    unmatched: int | None,
    unanswered: str | None = None,
    asked: Mapping[str, Any] | None = None,
) -> MayflyTimeout:
    """The error of a wait that found nothing, with the mailbox as it is now if the service tells it in time.

    It names the messages of other mailboxes that match the criteria `asked`, if there are such criteria.
    """
    facts = elsewhere = None
    try:
        deadline = Deadline(repeats=FACTS_SECONDS)
        if place.mailbox is not None:
            facts = place.transport.json("GET", place.mailbox, deadline=deadline)
            if asked is not None:
                elsewhere = elsewhere_of(place.transport, facts, asked, waited, deadline)
    except MayflyError:
        pass
    is_after = bool({"mark", "since"} & criteria.keys())
    described = describe(criteria, what)
    return MayflyTimeout(
        place.name,
        described,
        waited,
        nearest,
        unmatched,
        facts=facts,
        is_after=is_after,
        unanswered=unanswered,
        address=place.address,
        elsewhere=elsewhere,
    )


def _unsettled(reason: str) -> MayflyError:
    error = f"Whether a message arrived is unknown: {reason}."
    return MayflyError(0, {"code": "unsettled", "error": error})


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
