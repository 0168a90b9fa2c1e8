"""Requests with repeats after 429, 503 and broken connections."""

from __future__ import annotations

import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Mapping

from .errors import MayflyError
from .version import explained

ATTEMPTS = 6
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 60.0
# Longer than the longest wait of the service, in seconds.
READ_TIMEOUT = 90
# A repeat of these with the same key does nothing twice.
TAKES_KEY = re.compile(r"/api/mailboxes(?:/[^/]+/messages(?:/claim)?)?$")


class Transport:
    """One service with one token."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self._token = token

    def json(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> Any:
        """The JSON of a response; None without a body. Raises MayflyError for other statuses than 2xx."""
        data = self.bytes(method, path, query, body)
        return json.loads(data) if data else None

    def bytes(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> bytes:
        """The bytes of a response. Raises MayflyError for other statuses than 2xx."""
        request = self._request(method, path, query, body)
        for attempt in range(1, ATTEMPTS + 1):
            retry_after = 0.0
            try:
                with urllib.request.urlopen(request, timeout=READ_TIMEOUT) as response:
                    return response.read()
            except urllib.error.HTTPError as failure:
                error = _error_of(failure)
                retry_after = _seconds(failure.headers.get("Retry-After"))
            except (OSError, http.client.HTTPException) as failure:
                reason = getattr(failure, "reason", failure)
                message = f"{self.url} cannot be reached: {reason}"
                error = MayflyError(0, {"code": "unavailable", "error": message})
            if attempt == ATTEMPTS or not _is_worth_another(method, path, error):
                raise error
            back_off = FIRST_PAUSE * 2 ** (attempt - 1) * (1 + random.random() / 4)
            time.sleep(min(retry_after or back_off, LONGEST_PAUSE))
        raise AssertionError("unreachable")

    def _request(
        self, method: str, path: str, query: Mapping[str, Any] | None, body: Any
    ) -> urllib.request.Request:
        url = self.url + path
        if query:
            url += "?" + urllib.parse.urlencode(query, doseq=True)
        headers = {"Authorization": f"Bearer {self._token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        data = None if body is None else json.dumps(body).encode()
        return urllib.request.Request(url, data, headers, method=method)


def _is_worth_another(method: str, path: str, error: MayflyError) -> bool:
    if error.status in (429, 503) or error.code == "request_running":
        return True
    return error.status == 0 and (method != "POST" or bool(TAKES_KEY.search(path)))


def _error_of(failure: urllib.error.HTTPError) -> MayflyError:
    text = failure.read().decode(errors="replace")
    try:
        body = json.loads(text)
    except ValueError:
        body = {"error": text[:200]} if text else {}
    known = body if isinstance(body, dict) else {}
    return MayflyError(failure.code, explained(failure.code, failure.headers, known))


def _seconds(value: str | None) -> float:
    return float(value) if value and value.isdigit() else 0.0
