"""The messages that match, as they arrive."""

from __future__ import annotations

import re
import time
from typing import Any, Iterator, Literal, Mapping

from .criteria import failed_patterns, in_url, query_of
from .deadline import Deadline
from .near_misses import NearMisses
from .transport import Transport

PAGE = 100
# Which of several messages that match comes first.
Order = Literal["oldest", "newest"]


class Search:
    """Yields the messages that match: those that are there in the order asked for, then each as it arrives.

    Each request continues at the mark of the one before, so no message is missed.
    """

    def __init__(
        self,
        transport: Transport,
        path: str,
        criteria: Mapping[str, Any],
        timeout: float,
        order: Order = "oldest",
        extract: bool = False,
    ) -> None:
        """With `extract`, messages have `extracted`, and no text unless a pattern needs it."""
        if order not in ("oldest", "newest"):
            raise ValueError(f'order is "oldest" or "newest", not {order!r}.')
        self._order = order
        self._query = query_of(criteria)
        self._transport = transport
        self._path = path
        self._criteria = criteria
        self._until = time.monotonic() + timeout
        self._shown: dict[str, Any] = {}
        if extract:
            view = "full" if isinstance(criteria.get("text"), re.Pattern) else "summary"
            self._shown = {"extract": True, "view": view}
        self.misses = NearMisses()
        # Whether all mail that was accepted before the end has been considered.
        self.settled = False

    def miss(self, message: Mapping[str, Any], failed: list[str]) -> None:
        """Notes a message that does not match."""
        place = {"mailbox": message["mailbox"]} if "mailbox" in message else {}
        miss = {"messageId": message["id"], "subject": message["subject"], **place, "failed": failed}
        self.misses.add([miss])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            last = first = self._ask(1, self._order)
            yield from filter(self._fits, first["messages"])
            # The mark of the newest message covers those before it, which are still to be read.
            if not first["messages"] or self._order == "oldest":
                self._continue_at(first)
            if first["messages"]:
                newer: list[dict[str, Any]] = []
                last = self._next_page()
                while last["messages"]:
                    if self._order == "oldest":
                        yield from filter(self._fits, last["messages"])
                    else:
                        newer += last["messages"]
                    last = self._next_page()
                seen = first["messages"][0]["id"]
                yield from (one for one in reversed(newer) if one["id"] != seen and self._fits(one))
            if time.monotonic() >= self._until:
                self.settled = last["settled"]
                return

    def _ask(self, count: int, order: Order, asks: bool = True) -> dict[str, Any]:
        asked = {**self._query, "count": count, "order": order, **self._shown}
        deadline = Deadline(self._until, asks=asks)
        result: dict[str, Any] = self._transport.json("GET", self._path, in_url(asked), deadline=deadline)
        # After a match the mark ends there, and what failed after it is considered again.
        unmatched = result["unmatched"]
        self.misses.add(unmatched["nearest"], 0 if result["messages"] else unmatched["count"])
        return result

    def _next_page(self) -> dict[str, Any]:
        """What is there after the mark, which then covers it."""
        page = self._ask(PAGE, "oldest", asks=False)
        self._continue_at(page)
        return page

    def _continue_at(self, result: Mapping[str, Any]) -> None:
        # Whether a message is claimed changes: one that did not match can match later.
        if result["messages"] or self._criteria.get("claimed") is None:
            self._query["mark"] = result["mark"]

    def _fits(self, message: Mapping[str, Any]) -> bool:
        failed = failed_patterns(self._criteria, message)
        if failed:
            self.miss(message, failed)
        return not failed
