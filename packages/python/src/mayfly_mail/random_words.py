"""Tells ids and tokens from words by their neighboring characters.

Of random letters, 37 % of the pairs are common in words; of letters, digits and capitals in turn, fewer are.
"""

from __future__ import annotations

import re

# By first letter, the letters that follow it in words: 250 pairs, chosen with the word lists of English, German, French
# and Spanish and names of files so that few words seem random.
COMMON_PAIRS = (
    "abcdeghiklmnprstuwy baeilorsuy caehiklortuy daeiory eabcdefghilmnprstwxy faefilorstu gaeiloru haeiostuy"
    " iacdefglmnoprstvz jaeiosu kaeior ladeiklostuy mabeilopsuy nacdegikostuy oabcdefghklmnoprstuwxy paeilopru qu"
    " racdegiklnostuy sacehiklmopqstuy taehimorstuy uabcdefgilmnprstz vaeio waeio xeiy yp zaeio"
)
FOLLOWERS = {row[0]: row[1:] for row in COMMON_PAIRS.split()}
LEAST_RANDOM = 8
# What separators leave: neither a version, the ending of a file nor a number says much.
JUDGED = re.compile(r"(?![0-9]+$).{4}")
LEAST_COMMON = 0.6
# In long words of one case, which have more of them: a random one seldom has so many.
LEAST_IN_LONG = 0.67
LONG = re.compile(r"[a-z]{16,}|[A-Z]{16,}")


def looks_random(word: str) -> bool:
    """Whether a word is an id or a token: nobody has written it."""
    if len(word) < LEAST_RANDOM or not re.fullmatch(r"[\w~.%-]+", word, re.A):
        return False
    runs = re.findall(r"[A-Za-z0-9]+", re.sub(r"%[\da-fA-F]{2}", "-", word))
    return not _are_spelled([run for run in runs if JUDGED.match(run)])


def looks_like_short_id(part: str) -> bool:
    """Whether a part beside a random one is an id too, such as the number of a user."""
    if len(part) >= LEAST_RANDOM or not re.fullmatch(r"[\w~.%-]*[A-Z\d][\w~.%-]*", part, re.A):
        return False
    if re.fullmatch(r"[vV][0-9]+", part):
        return False
    return not (re.fullmatch(r"[A-Za-z][a-z]{2,}[0-9]?", part) and _are_spelled([part]))


def _are_spelled(runs: list[str]) -> bool:
    pairs = [pair for run in runs for pair in zip(run, run[1:])]
    least = LEAST_IN_LONG if LONG.fullmatch("".join(runs)) else LEAST_COMMON
    return sum(_is_common(*pair) for pair in pairs) >= len(pairs) * least


def _is_common(first: str, second: str) -> bool:
    """A capital begins a word, or stands in a word of capitals."""
    return not (first.islower() and second.isupper()) and second.lower() in FOLLOWERS.get(first.lower(), "")
