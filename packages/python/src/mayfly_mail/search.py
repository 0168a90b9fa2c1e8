"""The messages that match, as they arrive."""

from __future__ import annotations

import re
import time
from typing import Any, Iterator, Mapping

from .criteria import failed_patterns, in_url, query_of
from .deadline import Deadline
from .near_misses import NearMisses
from .transport import Transport

PAGE = 100


class Search:
    """Yields messages, oldest first. Each request continues at the mark of the one before."""

    def __init__(
        self,
        transport: Transport,
        path: str,
        criteria: Mapping[str, Any],
        timeout: float,
        extract: bool = False,
    ) -> None:
        """With `extract`, messages have `extracted`, and no text unless a pattern needs it."""
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
        self.misses.add([{"messageId": message["id"], "subject": message["subject"], "failed": failed}])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        query = query_of(self._criteria)
        reads_what_is_there = False
        while True:
            asked = {**query, "count": PAGE if reads_what_is_there else 1, **self._shown}
            deadline = Deadline(self._until, reads_what_is_there)
            result = self._transport.json("GET", self._path, in_url(asked), deadline=deadline)
            # After a match the mark ends there, and what failed after it is considered again.
            unmatched = result["unmatched"]
            self.misses.add(unmatched["nearest"], 0 if result["messages"] else unmatched["count"])
            for message in result["messages"]:
                failed = failed_patterns(self._criteria, message)
                if failed:
                    self.miss(message, failed)
                else:
                    yield message
            reads_what_is_there = bool(result["messages"])
            if not reads_what_is_there and time.monotonic() >= self._until:
                self.settled = result["settled"]
                return
            # Whether a message is claimed changes: one that did not match can match later.
            if reads_what_is_there or self._criteria.get("claimed") is None:
                query["mark"] = result["mark"]
