"""Verification of webhook requests (Standard Webhooks 1.0.0)."""

from __future__ import annotations

import base64
import hmac
import json
import time
from typing import Any, Mapping

from .errors import SignatureError

TOLERANCE_SECONDS = 300


def verify_webhook(body: bytes, headers: Mapping[str, str], secret: str) -> dict[str, Any]:
    """The event of a request. `body` is the bytes that arrived, `secret` is "whsec_" and base64.

    Raises SignatureError unless the request was signed with the secret within the last 300 seconds.
    """
    given = {name.lower(): value for name, value in headers.items()}
    timestamp = given.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise SignatureError("The timestamp is missing, or differs from the current time by more than 300 s.")
    prefix = "whsec_"
    key = base64.b64decode(secret[len(prefix) :] if secret.startswith(prefix) else secret)
    signed = f"{given.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
    signatures = given.get("webhook-signature", "").encode().split(b" ")
    if not any([hmac.compare_digest(expected, one) for one in signatures]):
        raise SignatureError("No signature of the request matches the secret.")
    return json.loads(body)
