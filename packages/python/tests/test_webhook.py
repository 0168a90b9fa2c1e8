import base64
import hmac
import time

import pytest

from mayfly_mail import SignatureError, verify_webhook

SECRET = "whsec_" + base64.b64encode(b"7" * 24).decode()
BODY = b'{"event": "message.received", "mailbox": "hello"}'


def signed(at=None, key=b"7" * 24, body=BODY):
    timestamp = str(int(at or time.time()))
    mac = hmac.digest(key, f"msg_1.{timestamp}.".encode() + body, "sha256")
    signature = "v1," + base64.b64encode(mac).decode()
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": timestamp,
        "Webhook-Signature": f"v1,AAAA {signature}",
    }


def test_returns_the_event_of_a_genuine_request():
    assert verify_webhook(BODY, signed(), SECRET)["mailbox"] == "hello"
    assert verify_webhook(BODY, signed(), SECRET.replace("whsec_", "") + "\n")
    text = '{"subject": "Größe"}'
    assert verify_webhook(text, signed(body=text.encode()), SECRET) == {"subject": "Größe"}


def test_refuses_what_is_no_headers():
    with pytest.raises(TypeError, match="The headers must be those of the request"):
        verify_webhook(BODY, None, SECRET)


def test_takes_base64_without_padding():
    secret = "whsec_" + base64.b64encode(b"7" * 25).decode()
    assert secret.endswith("==")
    assert verify_webhook(BODY, signed(key=b"7" * 25), secret.rstrip("="))
    headers = signed()
    headers["Webhook-Signature"] = headers["Webhook-Signature"].rstrip("=")
    assert verify_webhook(BODY, headers, SECRET)


@pytest.mark.parametrize("secret", ["", None, "whsec_", "whsec_!!!!", "whsec_====", "whsec_AAAAA", "whsec_AA=", "whsec_é"])
def test_refuses_a_malformed_secret(secret):
    with pytest.raises(ValueError, match='A secret must be "whsec_" followed by base64.'):
        verify_webhook(BODY, signed(key=b""), secret)


def test_refuses_a_body_that_was_parsed():
    with pytest.raises(TypeError, match="A parsed body cannot be verified"):
        verify_webhook({"event": "message.received"}, signed(), SECRET)


@pytest.mark.parametrize(
    ("body", "secret", "changed"),
    [
        (b"{}", SECRET, {}),
        (BODY, "whsec_AAAA", {}),
        (BODY, SECRET, signed(time.time() - 400)),
        (BODY, SECRET, {"Webhook-Timestamp": ""}),
        (BODY, SECRET, {"Webhook-Timestamp": "²"}),
        (BODY, SECRET, {"Webhook-Timestamp": "٣"}),
        (BODY, SECRET, {"Webhook-Timestamp": "9" * 5000}),
        (BODY, SECRET, {"Webhook-Id": "\ud800"}),
        (BODY, SECRET, {"Webhook-Signature": ""}),
        (BODY, SECRET, {"Webhook-Signature": "v1, v1,% v1,é v2,AAAA"}),
    ],
)
def test_refuses_a_request_that_is_not_signed(body, secret, changed):
    with pytest.raises(SignatureError):
        verify_webhook(body, {**signed(), **changed}, secret)


def test_refuses_a_request_without_headers():
    with pytest.raises(SignatureError):
        verify_webhook(BODY, {}, SECRET)
