"""Verification of webhook requests (Standard Webhooks 1.0.0)."""

from __future__ import annotations

import base64
import hmac
import json
import re
import time
from typing import Any, Mapping

from .errors import SignatureError

TOLERANCE_SECONDS = 300
# Seconds since 1970. More digits than this are no time, and int() refuses thousands of them.
TIMESTAMP = re.compile(r"[0-9]{1,15}")


def verify_webhook(body: bytes | str, headers: Mapping[str, str], secret: str) -> dict[str, Any]:
    """The event of a request. `body` is the bytes that arrived, `secret` is "whsec_" and base64.

    Raises SignatureError unless the request was signed with the secret within the last 300 seconds, ValueError when the
    secret is malformed, and TypeError for a body that was parsed and without headers.
    """
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise TypeError(
            "The body must be the bytes that arrived. A parsed body cannot be verified: "
            "in Flask, use request.get_data(); in Django, request.body."
        )
    if not hasattr(headers, "items"):
        raise TypeError("The headers must be those of the request, such as request.headers.")
    prefix = "whsec_"
    text = secret or ""  # an unset variable is None
    key = _decoded(text[len(prefix) :] if text.startswith(prefix) else text)
    if not key:
        raise ValueError('A secret must be "whsec_" followed by base64.')
    given = {name.lower(): value or "" for name, value in headers.items()}
    timestamp = given.get("webhook-timestamp", "")
    if not TIMESTAMP.fullmatch(timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise SignatureError("The timestamp is missing, or differs from the current time by more than 300 s.")
    arrived = body.encode() if isinstance(body, str) else bytes(body)
    # A header can hold a lone surrogate, which has no encoding.
    signed = f"{given.get('webhook-id', '')}.{timestamp}.".encode(errors="replace") + arrived
    expected = hmac.digest(key, signed, "sha256")
    signatures = given.get("webhook-signature", "").split(" ")
    given_macs = [_decoded(one[len("v1,") :]) for one in signatures if one.startswith("v1,")]
    if not any([hmac.compare_digest(expected, one) for one in given_macs]):
        raise SignatureError("No signature of the request matches the secret.")
    return json.loads(arrived)


def _decoded(text: str) -> bytes:
    """The bytes of base64 with or without padding; none if it is malformed, as `atob` judges it.

    https://infra.spec.whatwg.org/#forgiving-base64-decode
    """
    text = re.sub(r"[\t\n\f\r ]", "", text)
    if len(text) % 4 == 0:
        text = re.sub(r"={1,2}\Z", "", text)
    if len(text) % 4 == 1 or not re.fullmatch(r"[A-Za-z0-9+/]*", text):
        return b""
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
