"""Redirects as `fetch` follows them: another origin does not get the token."""

from __future__ import annotations

import http.client
import urllib.parse
import urllib.request
from typing import IO


class SameOriginToken(urllib.request.HTTPRedirectHandler):
    """urllib sends every header of a request to wherever it is redirected."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """The request that follows, without `Authorization` at another origin."""
        followed = super().redirect_request(req, fp, code, msg, headers, newurl)
        if followed is not None and _origin_of(newurl) != _origin_of(req.full_url):
            followed.remove_header("Authorization")
        return followed


def _origin_of(url: str) -> tuple[str, str]:
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.netloc.lower()
