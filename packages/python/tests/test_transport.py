import json
import time

import pytest

from mayfly_mail import Mayfly, MayflyError
from mayfly_mail.version import VERSION


@pytest.mark.parametrize("status", [429, 503])
def test_repeats_after_retry_after(scripted, status):
    mayfly, requests, answers = scripted
    answers += [(status, {"Retry-After": "1"}, "{}"), (200, {}, '{"mark": "M"}')]
    began = time.monotonic()
    assert mayfly.inbox("hello").mark() == "M"
    assert time.monotonic() - began >= 1
    assert len(requests) == 2


@pytest.mark.parametrize("text", ["²", "Fri, 31 Dec 1999 23:59:59 GMT"])
def test_repeats_soon_after_another_retry_after(scripted, text):
    mayfly, requests, answers = scripted
    answers += [(503, {"Retry-After": text}, "{}"), (200, {}, '{"mark": "M"}')]
    assert mayfly.inbox("hello").mark() == "M"
    assert len(requests) == 2


def test_repeats_a_post_with_the_same_key(scripted):
    mayfly, requests, answers = scripted
    answers += [None, None, (201, {}, '{"messageId": "msg_1"}')]
    assert mayfly.inbox("hello").send(to=["a@b.test"], subject="s") == {"messageId": "msg_1"}
    assert len({headers["idempotency-key"] for _, _, headers, _ in requests}) == 1
    assert json.loads(requests[2][3]) == {"to": ["a@b.test"], "subject": "s"}


@pytest.mark.parametrize("lost", [None, (503, {}, "{}")])
def test_takes_404_of_a_repeated_delete_for_success(scripted, lost):
    mayfly, requests, answers = scripted
    answers += [lost, (404, {}, '{"error": "No such mailbox.", "code": "not_found"}')]
    mayfly.inbox("hello").delete()
    assert [method for method, *_ in requests] == ["DELETE", "DELETE"]
    answers.append((404, {}, '{"error": "No such mailbox.", "code": "not_found"}'))
    with pytest.raises(MayflyError, match="No such mailbox"):
        mayfly.inbox("hello").delete()


def test_reports_other_errors_at_once(scripted):
    mayfly, requests, answers = scripted
    answers.append((502, {}, "<h1>Bad gateway</h1>"))
    with pytest.raises(MayflyError, match="answers 502 with HTML and is not Mayfly: Mayfly behind it"):
        mayfly.inbox("hello").mark()
    assert len(requests) == 1


@pytest.mark.parametrize("content", ["<h1>Welcome</h1>", "", "\udcff"])
def test_reports_an_answer_that_is_not_json(scripted, content):
    mayfly, requests, answers = scripted
    answers.append((200, {}, content))
    with pytest.raises(MayflyError, match="The response of http://127.*/mark is not JSON. Check the URL.") as caught:
        mayfly.inbox("hello").mark()
    assert (caught.value.status, caught.value.code) == (200, "not_json")
    assert len(requests) == 1


def test_reports_an_empty_answer(scripted):
    mayfly, _, answers = scripted
    answers.append((204, {}, ""))
    with pytest.raises(MayflyError, match=r"mailboxes\?limit=100 is not JSON") as caught:
        mayfly.mailboxes.list()
    assert (caught.value.status, caught.value.code) == (204, "not_json")


@pytest.mark.parametrize("part", ["", ".", ".."])
def test_refuses_a_part_that_names_another_resource(scripted, part):
    mayfly, requests, _ = scripted
    for call in [lambda: mayfly.inbox("hello").read(part), lambda: mayfly.mailboxes.get(part)]:
        with pytest.raises(ValueError, match="must not be empty"):
            call()
    assert requests == []


def test_waits_for_a_request_whose_process_has_died(scripted, monkeypatch):
    mayfly, _, answers = scripted
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    answers += [(409, {}, '{"code": "request_running"}')] * 8 + [(201, {}, '{"messageId": "msg_1"}')]
    assert mayfly.inbox("hello").send(to=["a@b.test"], subject="s") == {"messageId": "msg_1"}
    # The service takes an unfinished request for a running one for 15 s.
    assert sum(pauses) > 12


@pytest.mark.parametrize(
    "url",
    [
        *["localhost:3000", "ftp://mayfly.test", "file:///etc/hostname", "//mayfly.test", "http://", "http://mayfly.test:x"],
        *["http://may fly.test", "http://user:password@mayfly.test", "http://mayfly.test?x=1", "http://mayfly.test#x"],
    ],
)
def test_needs_a_url_of_http(url):
    with pytest.raises(ValueError, match="The URL must begin with http:// or https://, name a host,") as caught:
        Mayfly(url, "mf_x")
    assert "password" not in str(caught.value)


def test_takes_a_url_with_spaces_around_it(scripted):
    mayfly, requests, answers = scripted
    answers.append((200, {}, '{"mark": "M"}'))
    url = mayfly._transport.url.upper()
    assert Mayfly(f" {url}/\n", "mf_x").inbox("hello").mark() == "M"
    assert requests[0][1] == "/api/mailboxes/hello/mark"


@pytest.mark.parametrize("token", ["mf_x\n", "mf é", "mf_\u0394"])
def test_refuses_a_token_that_no_header_can_have(token):
    with pytest.raises(ValueError, match="The API token has a character that no token has."):
        Mayfly("http://mayfly.test", token)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_refuses_a_redirect(scripted, status):
    mayfly, requests, answers = scripted
    calls = [lambda: mayfly.inbox("hello").mark(), lambda: mayfly.inbox("hello").send(to=["a@b.test"], subject="s")]
    for call in calls:
        answers.append((status, {"Location": "https://mail.test/mayfly/api/mailboxes/hello"}, ""))
        with pytest.raises(MayflyError, match=rf"status {status}.* MAYFLY_URL to https://mail.test/mayfly\.") as caught:
            call()
        assert "redirects to https://mail.test/mayfly/api/mailboxes/hello" in str(caught.value)
        assert (caught.value.status, caught.value.code) == (status, "redirected")
    assert [path for _, path, _, _ in requests] == ["/api/mailboxes/hello/mark", "/api/mailboxes/hello/messages"]


@pytest.mark.parametrize("headers", [{}, {"Location": "/api/mailboxes/hello/mark/"}, {"Location": "/login"}])
def test_refuses_a_redirect_that_names_no_other_service(scripted, headers):
    mayfly, _, answers = scripted
    answers.append((302, headers, ""))
    with pytest.raises(MayflyError, match="Set MAYFLY_URL to the address that answers without a redirect."):
        mayfly.inbox("hello").mark()


def test_uses_no_proxy_for_this_machine(scripted, monkeypatch):
    mayfly, _, answers = scripted
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    answers.append((200, {}, '{"mark": "M"}'))
    assert Mayfly(mayfly._transport.url, "mf_x").inbox("hello").mark() == "M"


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"error": null, "code": null}'])
def test_reports_an_error_without_an_explanation(scripted, content):
    mayfly, _, answers = scripted
    answers.append((502, {}, content))
    with pytest.raises(MayflyError, match="The service answered with status 502.") as caught:
        mayfly.inbox("hello").mark()
    assert caught.value.code == "unknown"


def test_reports_an_error_whose_body_is_cut_off(scripted):
    mayfly, _, answers = scripted
    answers.append((502, {"Content-Length": "100"}, "<h1>"))
    with pytest.raises(MayflyError, match="The service answered with status 502."):
        mayfly.inbox("hello").mark()


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


@pytest.mark.parametrize(
    ("path", "call"),
    [("/api/mailboxes/{name}/mark", "inbox.mark()"), ("/api/messages/mark", "mayfly.mark()")],
)
def test_names_the_call_that_takes_a_mark(scripted, path, call):
    mayfly, _, answers = scripted
    body = {"code": "invalid_request", "error": f"Take a new one: GET {path}."}
    answers.append((400, {"Mayfly-Version": VERSION}, json.dumps(body)))
    with pytest.raises(MayflyError) as caught:
        mayfly.inbox("hello").wait(mark="x", timeout=0)
    assert str(caught.value) == f"Take a new one: {call}."
