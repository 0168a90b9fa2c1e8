"""Requests with repeats after 429, 503 and broken connections."""

from __future__ import annotations

import http.client
import itertools
import json
import random
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Iterator, Mapping, NamedTuple

from .deadline import Deadline
from .errors import MayflyError, Unanswered
from .redirects import NoRedirects, redirected
from .version import explained

ATTEMPTS = 6
FIRST_PAUSE = 0.1
LONGEST_BACK_OFF = 3.2
LONGEST_PAUSE = 60.0
TOKEN = re.compile(r"[!-~]+")
LOOPBACK = re.compile(r"127(?:\.\d{1,3}){3}")
# A part of a path that names another resource.
EMPTY_PART = re.compile(r"/\.{0,2}(?:/|$)")
# A repeat of these with the same key does nothing twice.
TAKES_KEY = re.compile(r"/api/mailboxes(?:/[^/]+/messages(?:/claim)?)?$")


class Response(NamedTuple):
    """A response with the URL that answered."""

    status: int
    url: str
    headers: Mapping[str, str]
    data: bytes


class Transport:
    """One service with one token."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.strip().rstrip("/")
        if not _is_http(self.url):
            # Its text can contain a password.
            raise ValueError(
                "The URL must begin with http:// or https://, name a host, and have no user and no query."
            )
        if not TOKEN.fullmatch(token):
            raise ValueError("The API token has a character that no token has.")
        self._token = token
        # A service on this machine is not behind the proxy of HTTP_PROXY.
        direct = [urllib.request.ProxyHandler({})] if _is_loopback(self.url) else []
        self._opener = urllib.request.build_opener(NoRedirects, *direct)

    def json(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | bytes | None = None,
        deadline: Deadline | None = None,
    ) -> Any:
        """The JSON of a response; None after 204. Raises MayflyError for other statuses than 2xx, and without JSON.

        Bytes as `body` are a raw mail. A `deadline` with a wait adds `timeout` to the query or the body.
        """
        response = self._send(method, path, query or {}, body, deadline or Deadline())
        return None if response.status == 204 and method == "DELETE" else _json_of(response)

    def paged(self, path: str, query: Mapping[str, Any]) -> Iterator[Any]:
        """The items of an array that is read in pages of 100."""
        after: dict[str, str] = {}
        while True:
            response = self._send("GET", path, {**query, **after, "limit": 100}, None, Deadline())
            yield from _json_of(response)
            cursor = response.headers.get("Next-Cursor")
            if cursor is None:
                return
            after = {"after": cursor}

    def bytes(self, method: str, path: str) -> bytes:
        """The bytes of a response. Raises MayflyError for other statuses than 2xx."""
        return self._send(method, path, {}, None, Deadline()).data

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        body: Mapping[str, Any] | bytes | None,
        deadline: Deadline,
    ) -> Response:
        if EMPTY_PART.search(path):
            raise ValueError('A name or an id must not be empty, "." or "..".')
        key = str(uuid.uuid4()) if method == "POST" else None
        asked: dict[str, int] = {}
        may_be_done = False
        may_be_deleted = False
        for attempt in itertools.count(1):
            # A key belongs to one body, unless the response was an error.
            if key is None or not may_be_done:
                asked = deadline.asked()
            request = self._request(method, path, query, body, asked, key)
            retry_after = 0.0
            seconds = deadline.seconds_of(asked)
            try:
                with self._opener.open(request, timeout=seconds) as response:
                    return Response(response.status, response.url, response.headers, response.read())
            except urllib.error.HTTPError as failure:
                error = _error_of(failure, self.url)
                retry_after = _seconds(failure.headers.get("Retry-After"))
            except (OSError, http.client.HTTPException) as failure:
                reason = getattr(failure, "reason", failure)
                if isinstance(reason, socket.timeout):
                    error = Unanswered(self.url, seconds)
                else:
                    nobody = isinstance(reason, (ConnectionRefusedError, socket.gaierror))
                    advice = ". Start Mayfly, or check MAYFLY_URL." if nobody else ""
                    message = f"{self.url} cannot be reached: {reason}{advice}"
                    error = MayflyError(0, {"code": "unavailable", "error": message})
            # The first request deleted it, and its response was lost.
            if may_be_deleted and error.code == "not_found":
                return Response(204, self.url + path, {}, b"")
            # A request of a process that died counts as running for 15 s.
            is_last = attempt >= ATTEMPTS and error.code != "request_running"
            if is_last or not _is_worth_another(method, path, error):
                raise error
            doubled = min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_BACK_OFF)
            back_off = doubled * (1 + random.random() / 4)
            pause = min(retry_after or back_off, LONGEST_PAUSE)
            if deadline.is_before(pause):
                raise error
            time.sleep(pause)
            may_be_done = may_be_done or error.status == 0
            may_be_deleted = may_be_deleted or (method == "DELETE" and error.status in (0, 503))
        raise AssertionError("unreachable")

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        body: Mapping[str, Any] | bytes | None,
        asked: Mapping[str, int],
        key: str | None,
    ) -> urllib.request.Request:
        if not isinstance(body, Mapping):
            query = {**query, **asked}
        else:
            body = {**body, **asked}
        url = self.url + path
        if query:
            url += "?" + urllib.parse.urlencode(query, doseq=True, quote_via=urllib.parse.quote)
        headers = {"Authorization": f"Bearer {self._token}"}
        if body is not None:
            headers["Content-Type"] = "message/rfc822" if isinstance(body, bytes) else "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        return urllib.request.Request(url, data, headers, method=method)


def _json_of(response: Response) -> Any:
    try:
        return json.loads(response.data)
    except ValueError:
        error = f"The response of {response.url.rstrip('?')} is not JSON. Check the URL."
        raise MayflyError(response.status, {"code": "not_json", "error": error}) from None


def _is_http(url: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            return False
        return not re.search(r"\s", url) and not (parts.username or parts.query or parts.fragment)
    except ValueError:  # of the port, too
        return False


def _is_loopback(url: str) -> bool:
    host = urllib.parse.urlsplit(url).hostname or ""
    return host == "localhost" or host.endswith(".localhost") or host == "::1" or bool(LOOPBACK.fullmatch(host))


def _is_worth_another(method: str, path: str, error: MayflyError) -> bool:
    if error.status in (429, 503) or error.code == "request_running":
        return True
    return error.status == 0 and (method != "POST" or bool(TAKES_KEY.search(path)))


def _error_of(failure: urllib.error.HTTPError, base: str) -> MayflyError:
    if 300 <= failure.code < 400:
        failure.close()
        return MayflyError(failure.code, redirected(failure.url, failure.code, failure.headers.get("Location")))
    with failure:
        try:
            text = failure.read().decode(errors="replace")
        except (OSError, http.client.HTTPException):
            text = ""
    try:
        body = json.loads(text)
    except ValueError:
        if text:
            return MayflyError(failure.code, _foreign(base, failure.code, text))
        body = {}
    known = _in_client_terms(body) if isinstance(body, dict) else {}
    return MayflyError(failure.code, explained(failure.code, failure.headers, known))


# How the service names calls and criteria, and this client.
CLIENT_TERMS = {
    "GET /api/mailboxes/{name}/mark": "inbox.mark()",
    "GET /api/messages/mark": "mayfly.mark()",
    '"hasAttachment"': '"has_attachment"',
    '"hasCode"': '"has_code"',
    "The token is invalid. Check its value": "The token is invalid. Check MAYFLY_TOKEN",
}


def _in_client_terms(body: dict[str, Any]) -> dict[str, Any]:
    """With the calls that take a mark, and the criteria, as this client names them."""
    error = body.get("error")
    if not isinstance(error, str):
        return body
    for said, known in CLIENT_TERMS.items():
        error = error.replace(said, known)
    return {**body, "error": error}


def _foreign(base: str, status: int, text: str) -> dict[str, str]:
    """The body of an error of something else than the service, which answers with JSON."""
    form = "HTML" if text.lstrip().startswith("<") else "text"
    cause = "Mayfly behind it may be down, or MAYFLY_URL wrong" if status >= 500 else "check MAYFLY_URL"
    return {"code": "not_json", "error": f"{base} answers {status} with {form} and is not Mayfly: {cause}."}


def _seconds(value: str | None) -> float:
    return float(value) if value and re.fullmatch(r"[0-9]+", value) else 0.0
