"""The messages of several waits that failed the fewest criteria."""

from __future__ import annotations

from typing import Any, Iterable

SHOWN = 5


class NearMisses:
    """Up to five messages, and how many there are."""

    def __init__(self) -> None:
        self.nearest: list[dict[str, Any]] = []
        self._count = 0
        self._is_known = False

    @property
    def count(self) -> int | None:
        """Number of messages that failed, at least; None if nothing is known of them."""
        return max(self._count, len(self.nearest)) if self._is_known else None

    def add(self, nearest: Iterable[dict[str, Any]], count: int = 0) -> None:
        """`count` is the number of messages that failed and are not added again."""
        self._is_known = True
        self._count += count
        known = {miss["messageId"]: miss for miss in [*self.nearest, *nearest]}
        self.nearest = sorted(known.values(), key=lambda miss: len(miss["failed"]))[:SHOWN]
