"""Where mail went while a wait of a mailbox found none.

One request of the wait in all mailboxes tests the criteria in the service, among the messages received after a time:
the wait of the mailbox has done the same, and a search of the text takes turns with other searches.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any, Mapping

from .criteria import failed_patterns, in_url, query_of
from .deadline import Deadline
from .errors import Elsewhere
from .transport import Transport

# An application can send its mail before the test waits for it.
BEFORE_SECONDS = 60
# Messages that match and are counted at most: a page.
COUNT = 100
# These name the recipient, the mailbox, or another time.
LEFT_OUT = ("to", "tag", "mark", "since")


def elsewhere_of(
    transport: Transport,
    mailbox: Mapping[str, Any],
    criteria: Mapping[str, Any],
    waited: float,
    deadline: Deadline,
) -> Elsewhere:
    """What other mailboxes have received since a minute before the wait, but not before the mailbox was created.

    They are the messages that match, first those that arrived when the wait began; if none matches, those that fail the
    fewest criteria. `waited` are the seconds since the wait began. Raises MayflyError if the
    service does not tell in time.
    """
    asked = {name: value for name, value in criteria.items() if name not in LEFT_OUT and value is not None}
    began = datetime.now(timezone.utc) - timedelta(seconds=waited)
    earliest = began - timedelta(seconds=BEFORE_SECONDS)
    query = {
        **query_of(asked),
        "count": COUNT,
        "order": "newest",
        "timeout": 0,
        # Both are in UTC and have the same form.
        "since": max(earliest.isoformat(timespec="milliseconds").replace("+00:00", "Z"), mailbox["createdAt"]),
        "view": "full" if isinstance(asked.get("text"), re.Pattern) else "summary",
    }
    result = transport.json("GET", "/api/messages/wait", in_url(query), deadline=deadline)
    there = [one for one in result["messages"] if one["mailbox"] != mailbox["name"]]
    found = [one for one in there if not failed_patterns(asked, one)]
    if found:
        # A test waits after it has caused its mail; mail of other tests arrives at any time.
        found.sort(key=lambda one: abs(_time_of(one["receivedAt"]) - began))
        return Elsewhere(True if asked else None, len(found), found)
    # Those of the mailbox itself came before the mark.
    unmatched = result["unmatched"]
    nearest = [one for one in unmatched["nearest"] if one["mailbox"] != mailbox["name"]]
    count = len(there) + unmatched["count"] - (len(unmatched["nearest"]) - len(nearest))
    named = [*there, *nearest]
    return Elsewhere(False, count if named else 0, named)


def _time_of(text: str) -> datetime:
    # Python 3.9 does not read the Z.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
