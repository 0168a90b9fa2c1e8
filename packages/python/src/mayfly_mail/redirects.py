"""Redirects are not followed: a POST would become a GET (RFC 9110, section 15.4), and the token would go elsewhere."""

from __future__ import annotations

import re
import urllib.parse
import urllib.request
from typing import Any

SHOWN = 200


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an error of the request."""

    def redirect_request(self, *_: Any) -> None:
        """None, which urllib takes for a response that it cannot handle."""
        return None


def redirected(url: str, status: int, location: str | None) -> dict[str, str]:
    """The body of the error of a request that was redirected."""
    told = "redirects elsewhere" if not location else f"redirects to {location[:SHOWN]}"
    setting = (location and _base_of(location, url)) or "the address that answers without a redirect"
    error = f"{url} {told} (status {status}). Set MAYFLY_URL to {setting}."
    return {"code": "redirected", "error": error}


def _base_of(location: str, asked: str) -> str | None:
    """What stands before the path of the API in a redirect; None without one, and if it is the same."""
    target = urllib.parse.urljoin(asked, location)
    base, told = [re.match(r"(https?://[^/?#]+(?:/[^?#]*?)??)/api/", re.sub(r"(?<=//)[^/?#]*@", "", url)) for url in (asked, target)]
    return told.group(1) if told and base and told.group(1) != base.group(1) else None
