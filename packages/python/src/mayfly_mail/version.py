"""The version of the contract that the client is written for."""

from __future__ import annotations

import re
from typing import Any, Mapping

VERSION = "0.1.0"

# How the service refuses a path, a query parameter or a field that it does not know.
UNKNOWN = re.compile(r"(?:No endpoint|There is nothing|Unknown) ")


def explained(status: int, headers: Mapping[str, str], body: dict[str, Any]) -> dict[str, Any]:
    """The body of an error, with the code "unsupported" if an older service does not know what was asked for.

    A service without the header Mayfly-Version is older.
    """
    version = headers.get("Mayfly-Version")
    if _minor_of(version or "0.0") >= _minor_of(VERSION):
        return body
    error = body.get("error")
    is_unknown = "code" in body if status == 405 else UNKNOWN.match(str(error))
    if not is_unknown:
        return body
    told = f"The service (version {version or 'unknown'}) is older than this client ({VERSION}): {error}"
    return {**body, "code": "unsupported", "error": told}


def _minor_of(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:2]]
