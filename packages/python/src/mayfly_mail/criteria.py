"""Criteria that a message must match."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Iterable, Mapping, TypedDict, Union

Text = Union[str, "re.Pattern[str]"]
PATTERNS = ("subject", "text")
# Names that the service writes otherwise.
NAMES = {"from_": "from", "has_attachment": "hasAttachment", "has_code": "hasCode"}


class Criteria(TypedDict, total=False):
    """All must hold. `subject` and `text` are texts, or patterns, which the client tests."""

    from_: Union[str, Iterable[str]]
    to: Union[str, Iterable[str]]
    tag: str
    subject: Text
    text: Text
    header: Mapping[str, str]
    has_attachment: bool
    has_code: bool
    link: str
    claimed: bool
    mark: str
    since: Union[datetime, str]


def query_of(criteria: Mapping[str, Any]) -> dict[str, Any]:
    """The criteria for the service, without patterns.

    Raises TypeError for an unknown name, and for a criterion without a value, such as a mark that is None: without it,
    a wait would find other messages.
    """
    query: dict[str, Any] = {}
    mark = criteria.get("mark", "none is given")
    if not isinstance(mark, str) or not mark:
        raise TypeError(f"A mark is the string that mark() returns, not {mark!r}.")
    for name, value in criteria.items():
        if name not in Criteria.__annotations__:
            hint = f" Write {name}_." if f"{name}_" in Criteria.__annotations__ else ""
            raise TypeError(f"There is no criterion {name!r}.{hint}")
        if isinstance(value, re.Pattern):
            if name in PATTERNS:
                continue
            raise TypeError(f"{name!r} takes text, not a pattern.")
        if value is None or (not isinstance(value, (str, bool)) and hasattr(value, "__len__") and len(value) == 0):
            raise TypeError(f"{name!r} has no value. Leave it out, or give one.")
        if name == "header":
            value = [f"{field}: {text}" for field, text in value.items()]
        elif name in ("from_", "to"):
            value = [value] if isinstance(value, str) else list(value)
        elif isinstance(value, datetime):
            value = value.astimezone().isoformat()
        query[NAMES.get(name, name)] = value
    return query


def in_url(query: Mapping[str, Any]) -> dict[str, Any]:
    """With booleans as the service writes them."""
    return {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in query.items()
    }


def failed_patterns(criteria: Mapping[str, Any], message: Mapping[str, Any]) -> list[str]:
    """The names of the patterns that a message does not match."""
    html = re.sub(r"<[^<>]*>", " ", message.get("html", ""))
    seen = {"subject": message["subject"], "text": message.get("text", "") + "\n" + html}
    return [
        name
        for name in PATTERNS
        if isinstance(criteria.get(name), re.Pattern) and not criteria[name].search(seen[name])
    ]


def describe(criteria: Mapping[str, Any], what: str) -> str:
    """The criteria as text: `message with subject 'code'`."""
    shown = [
        f"{name.rstrip('_')} {value.pattern if isinstance(value, re.Pattern) else value!r}"
        for name, value in criteria.items()
        if value is not None and name != "mark"
    ]
    return f"{what} with {', '.join(shown)}" if shown else what
