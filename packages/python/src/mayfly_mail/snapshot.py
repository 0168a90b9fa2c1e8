"""A message as text for a snapshot, with placeholders for what differs from one mail of a template to the next.

The rules are those of `@mayfly/client/snapshot`.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Iterable, Mapping, Sequence

from .random_words import looks_like_short_id, looks_random

LETTER = r"[^\W\d_]"
MONTH = (
    "(?:jan|feb|fév|mar|mär|apr|abr|avr|may|mai|mei|maj|mag|jun|juin|giu|jul|juil|lug|aug|ago|aoû|sep|set|oct|okt|out"
    rf"|ott|nov|dec|dez|déc|dic|ene|gen){LETTER}*\.?"
)
WEEKDAY = (
    "(?:(?:mon|tue|wed|thu|fri|sat|sun|die|mit|don|fre|sam|son|lun|mar|mer|jeu|ven|dim|mié|jue|vie|sáb|dom|gio|sab|seg"
    rf"|ter|qua|qui|sex|maa|din|woe|vri|zat|zon){LETTER}*[.,]*\s+)?"
)
START = r"(?<![^\W_])"
END = r"(?![^\W_])"
CLOCK = (
    r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[ap]\.?m\b\.?)?"
    rf"(?:\s?(?:Z|UTC|GMT|CES?T|[+-]\d{{2}}:?\d{{2}}){END}(?: \([A-Z]{{2,5}}\))?)?"
)
AT = rf"(?:(?:,?\s+(?:at\s+|um\s+|à\s+)?|T){CLOCK})?"
DAY = r"\d{1,2}(?:st|nd|rd|th|er|º|\.)?"
YEAR = r"(?:,?\s+(?:de\s+)?\d{4})?"

# In this order: the first that fits at a position is taken.
KINDS = [
    ("url", r"""https?:\/\/[^\s<>"'\])}]+"""),
    ("message-id", r"""<[^\s<>@"=\d]*\d[^\s<>@"=]*@[^\s<>"=]+>|(?<=cid:)[^\s<>"')]+"""),
    ("date", rf"{START}\d{{4}}-\d{{2}}-\d{{2}}{AT}{END}"),
    ("date", rf"{START}{WEEKDAY}{DAY}\s+(?:of\s+|de\s+)?{MONTH}{YEAR}{AT}{END}"),
    ("date", rf"{START}{WEEKDAY}{MONTH}\s+{DAY}{YEAR}{AT}{END}"),
    ("date", rf"{START}\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}(?!\.?\d){AT}{END}"),
    ("time", rf"{START}{CLOCK}{END}"),
    ("uuid", rf"{START}[\da-f]{{8}}(?:-[\da-f]{{4}}){{3}}-[\da-f]{{12}}{END}"),
    ("id", rf"{START}[a-z]{{3,4}}_[\da-z]{{26}}{END}"),
    ("hex", rf"{START}[\da-f]{{16,}}{END}"),
    ("random", rf"{START}[A-Za-z\d_-]{{16,}}{END}"),
    # Amounts, colors and character references. The length of an amount bounds what is read twice.
    ("kept", rf"[$€£¥]\s?\d[\d.,]*|\d[\d.,]{{0,40}}\s?(?:[€£%]|(?:EUR|USD|GBP|CHF){END})"),
    ("kept", rf"(?<!\d)\d+[.,]\d+|#[\da-f]{{3,8}}{END}"),
    ("code", rf"{START}(?:[A-Z]{{1,3}}-)?(?:\d{{3}}[ -]\d{{3}}|\d{{4,10}}){END}"),
    ("code", rf"{START}(?=[A-Z-]*\d)[A-Z\d]{{2,5}}(?:-[A-Z\d]{{2,5}}){{1,3}}{END}"),
    ("code", rf"{START}(?:[A-Z]{{3}}-[A-Z]{{3}}|[A-Z]{{4}}-[A-Z]{{4}}|[A-Z]{{5}}-[A-Z]{{5}}){END}"),
    ("code", rf"{START}(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{{4,10}}{END}"),
]
# No mail has this character: Unicode reserves it. Unlike the placeholder, it can stand in a link.
MASKED = "\uffff"
PARTS = re.compile(r"(https?://)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.I | re.S)


def mail_text(message: Mapping[str, Any], mask: Sequence[str | re.Pattern[str]] = ()) -> str:
    """Addresses, subject, attachments, text and HTML of a message, masked, as is what matches a pattern of `mask`.

    Raises TypeError for another value, and for a mask that is no list of patterns.
    """
    patterns = _patterns(mask)
    if not isinstance(message, Mapping) or "subject" not in message:
        raise TypeError("A snapshot of a mail takes a message, such as inbox.wait().")
    sender = message["from"]
    lines = [
        f"From: {message['fromName']} <{sender}>" if message.get("fromName") else f"From: {sender}",
        f"To: {', '.join(message['to'])}",
        *([f"Cc: {', '.join(message['cc'])}"] if message["cc"] else []),
        f"Subject: {message['subject']}",
        *(f"Attachment: {one['filename']} ({one['contentType']})" for one in message["attachments"]),
    ]
    for name in ("text", "html"):
        body = "\n".join(line.rstrip() for line in message.get(name, "").splitlines()).strip()
        if body:
            lines += ["", f"--- {name} ---", body]
    envelope = message.get("envelope") or {"to": []}
    hidden = "\n".join(lines)
    for pattern in patterns:
        hidden = pattern.sub(lambda found: MASKED if found.group() else "", hidden)
    return masked(hidden, {*message["to"], *message["cc"], *envelope["to"]}).replace(MASKED, "<masked>")


def _patterns(mask: Any) -> list[re.Pattern[str]]:
    if isinstance(mask, (list, tuple)):
        patterns = [re.compile(one) if isinstance(one, str) else one for one in mask]
        if all(isinstance(one, re.Pattern) and isinstance(one.pattern, str) for one in patterns):
            return patterns
    raise TypeError("The mask of a snapshot is a list of patterns: re.compile(...) or str.")


def masked(text: str, recipients: Iterable[str]) -> str:
    """A text with placeholders for codes, values in links, dates, times, ids, random words and recipients."""
    addresses = "|".join(sorted(re.escape(one) for one in recipients if one))
    kinds = [*KINDS]
    if addresses:
        kinds.insert(1, ("recipient", addresses))
    pattern = re.compile("|".join(f"({one})" for _, one in kinds), re.I)

    def placeholder(found: re.Match[str]) -> str:
        kind, word = kinds[found.lastindex - 1][0], found.group()
        if kind == "url":
            return _masked_url(word, addresses)
        if kind == "random":
            return "<random>" if looks_random(word) else word
        # Codes are written in capitals.
        return word if kind == "kept" or (kind == "code" and word != word.upper()) else f"<{kind}>"

    return pattern.sub(placeholder, text)


def _masked_url(found: str, addresses: str) -> str:
    url = found.rstrip(".,;:!?")
    parts = PARTS.fullmatch(url)
    assert parts is not None
    scheme, host, path, query, fragment = (part or "" for part in parts.groups())

    def segment(text: str) -> str:
        if addresses and re.fullmatch(addresses, text.replace("%40", "@"), re.I):
            return "<recipient>"
        return "<random>" if re.fullmatch(r"[0-9]{4,}", text) or looks_random(text) else text

    def values(part: str) -> str:
        if "=" in part:
            return re.sub(r"=[^&]+", "=<value>", part)
        return part[:1] + _masked_path(part[1:], segment)

    # A service of a test has any port.
    host = re.sub(r":\d+$", ":<port>", host)
    return f"{scheme}{host}{_masked_path(path, segment)}{values(query)}{values(fragment)}{found[len(url):]}"


def _masked_path(path: str, segment: Callable[[str], str]) -> str:
    """A short part beside a random one is often the id of what that one is for."""
    parts = path.split("/")
    masks = ["", *map(segment, parts), ""]
    return "/".join(
        "<random>" if "<random>" in (before, after) and looks_like_short_id(part) else mask
        for part, before, mask, after in zip(parts, masks, masks[1:], masks[2:])
    )
