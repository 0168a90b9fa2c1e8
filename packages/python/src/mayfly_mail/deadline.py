"""How long a call and each of its requests may take."""

from __future__ import annotations

import math
import time

# Seconds of one wait of the service. Proxies often close a connection after 30 s without a byte.
WAIT_SECONDS = 25
# Seconds that a call may take longer than it waits.
GRACE_SECONDS = 15.0
# Seconds of a request that does not wait, and of such a request with its repeats.
REQUEST_SECONDS = 30.0
REPEATS_SECONDS = 120.0
# A repeat has this many seconds, however few are left.
LEAST_SECONDS = 1.0


class Deadline:
    """The end of a call, which waits for a message until a time of `time.monotonic`, or does not wait."""

    def __init__(self, until: float | None = None, reads_what_is_there: bool = False) -> None:
        """With `reads_what_is_there`, this request of a call that waits has an answer at once."""
        now = time.monotonic()
        self._until = until
        self._asks = not reads_what_is_there
        self._end = now + REPEATS_SECONDS if until is None else max(now, until) + GRACE_SECONDS

    def asked(self) -> dict[str, int]:
        """The parameter `timeout` of a request that is sent now; none if the call does not wait."""
        if self._until is None:
            return {}
        left = max(0, math.ceil(self._until - time.monotonic())) if self._asks else 0
        return {"timeout": min(left, WAIT_SECONDS)}

    def seconds_of(self, asked: dict[str, int]) -> float:
        """The timeout of a request that is sent now."""
        longest = asked["timeout"] + GRACE_SECONDS if asked else REQUEST_SECONDS
        return max(LEAST_SECONDS, min(longest, self._end - time.monotonic()))

    def is_before(self, seconds: float) -> bool:
        """Whether the call ends before so many seconds from now."""
        return self._end <= time.monotonic() + seconds
