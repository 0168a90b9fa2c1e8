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
MOST_SECONDS = 3600


def check_seconds(seconds: float, name: str) -> float:
    """The seconds that a call waits. Raises TypeError for what is no number, and ValueError below 0 and above 3,600."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds != seconds:
        raise TypeError(f"{name} is a number of seconds, not {seconds!r}.")
    if not 0 <= seconds <= MOST_SECONDS:
        meant = f" Write {seconds / 1000:g} for {seconds} ms." if seconds > 0 and seconds % 1000 == 0 else ""
        raise ValueError(f"{name} is in seconds, 0 to {MOST_SECONDS}, not {seconds}.{meant}")
    return seconds


class Deadline:
    """The end of a call, which waits for a message until a time of `time.monotonic`, or does not wait."""

    def __init__(self, until: float | None = None, *, asks: bool = True, repeats: float | None = None) -> None:
        """Without `asks`, this request of a call that waits has an answer at once.

        `repeats` are the seconds of a call that does not wait.
        """
        now = time.monotonic()
        longest = REPEATS_SECONDS if repeats is None else repeats
        self._until = until
        self._asks = asks
        self._end = now + longest if until is None else max(now, until) + GRACE_SECONDS

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
