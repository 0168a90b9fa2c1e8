import base64
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from mayfly_mail import Mayfly, MayflyError, SignatureError, verify_webhook
from mayfly_mail.version import VERSION


@pytest.fixture
def scripted():
    """A service that gives prepared answers: (status, headers, body), or None to break the connection."""
    requests, answers = [], []

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            requests.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            answer = answers.pop(0)
            if answer is None:
                self.close_connection = True
                return
            status, headers, content = answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content.encode())

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    yield Mayfly(url, "mf_x"), requests, answers
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("status", [429, 503])
def test_repeats_after_retry_after(scripted, status):
    mayfly, requests, answers = scripted
    answers += [(status, {"Retry-After": "1"}, "{}"), (200, {}, '{"mark": "M"}')]
    began = time.monotonic()
    assert mayfly.inbox("hello").mark() == "M"
    assert time.monotonic() - began >= 1
    assert len(requests) == 2


def test_repeats_a_post_with_the_same_key(scripted):
    mayfly, requests, answers = scripted
    answers += [None, None, (201, {}, '{"messageId": "msg_1"}')]
    assert mayfly.inbox("hello").send(to=["a@b.test"], subject="s") == {"messageId": "msg_1"}
    assert len({headers["idempotency-key"] for _, _, headers, _ in requests}) == 1
    assert json.loads(requests[2][3]) == {"to": ["a@b.test"], "subject": "s"}


def test_reports_other_errors_at_once(scripted):
    mayfly, requests, answers = scripted
    answers.append((502, {}, "<h1>Bad gateway</h1>"))
    with pytest.raises(MayflyError, match="Bad gateway"):
        mayfly.inbox("hello").mark()
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("code", "status", "error", "version"),
    [
        ("unsupported", 404, "No endpoint at /x.", None),
        ("unsupported", 404, "No endpoint at /x.", "0.0.9"),
        ("unsupported", 405, "GET method not allowed.", None),
        ("not_found", 404, 'No such mailbox: "hello".', None),
        ("not_found", 404, "No endpoint at /x.", VERSION),
        ("not_found", 400, None, None),
        ("not_found", 400, {"message": "of a gateway"}, None),
    ],
)
def test_reports_what_an_older_service_does_not_support(scripted, code, status, error, version):
    mayfly, _, answers = scripted
    headers = {} if version is None else {"Mayfly-Version": version}
    answers.append((status, headers, json.dumps({"error": error, "code": "not_found"})))
    with pytest.raises(MayflyError) as caught:
        mayfly.inbox("hello").mark()
    assert (caught.value.status, caught.value.code) == (status, code)


SECRET = "whsec_" + base64.b64encode(b"7" * 24).decode()
BODY = b'{"event": "message.received", "mailbox": "hello"}'


def signed(at=None):
    timestamp = str(int(at or time.time()))
    mac = hmac.digest(b"7" * 24, f"msg_1.{timestamp}.".encode() + BODY, "sha256")
    signature = "v1," + base64.b64encode(mac).decode()
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": timestamp,
        "Webhook-Signature": f"v1,AAAA {signature}",
    }


def test_verifies_webhooks():
    assert verify_webhook(BODY, signed(), SECRET)["mailbox"] == "hello"
    for body, headers, secret in [
        (b"{}", signed(), SECRET),
        (BODY, signed(), "whsec_AAAA"),
        (BODY, signed(time.time() - 400), SECRET),
        (BODY, {}, SECRET),
    ]:
        with pytest.raises(SignatureError):
            verify_webhook(body, headers, secret)
