import json
import re
import time
import urllib.parse

import pytest

from mayfly_mail import MayflyError, MayflyTimeout, deadline

MISS = {"messageId": "msg_0", "subject": "Größe", "failed": ["subject"]}
MESSAGE = {"id": "msg_1", "subject": "Welcome", "text": "Hello."}


def waited(messages=(), count=0):
    """The answer of a wait."""
    unmatched = {"count": count, "nearest": [MISS] if count else []}
    body = {"messages": list(messages), "mark": "M", "settled": True, "unmatched": unmatched}
    return 200, {}, json.dumps(body)


# The answer for what an error tells about the mailbox.
NO_FACTS = 404, {}, '{"error": "No such mailbox.", "code": "not_found"}'


def busy(status, seconds):
    return status, {"Retry-After": str(seconds)}, json.dumps({"error": "Later.", "code": "unavailable"})


def asked_of(requests):
    """The timeouts that the requests asked the service for."""
    waits = [path for _, path, _, _ in requests if "/wait?" in path]
    queries = [urllib.parse.parse_qs(urllib.parse.urlsplit(path).query) for path in waits]
    return [int(query["timeout"][0]) for query in queries]


CALLS = [
    lambda inbox, timeout: inbox.wait(timeout=timeout),
    lambda inbox, timeout: inbox.wait_for_code(timeout=timeout),
    lambda inbox, timeout: inbox.wait_for_link(timeout=timeout),
    lambda inbox, timeout: inbox.claim(timeout=timeout),
    lambda inbox, timeout: inbox.expect_none(within=timeout),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_service_that_does_not_answer_ends_a_wait(scripted, monkeypatch, call):
    mayfly, requests, answers = scripted
    monkeypatch.setattr(deadline, "GRACE_SECONDS", 0.5)
    answers += ["hang"] * 6
    began = time.monotonic()
    with pytest.raises((MayflyError, MayflyTimeout), match="no response within 1.5 s") as caught:
        call(mayfly.inbox("hello"), 1)
    assert 1.4 < time.monotonic() - began < 5
    if isinstance(caught.value, MayflyError):
        assert (call, caught.value.code) == (CALLS[-1], "unsettled")
    else:
        assert "messages for hello\n" in str(caught.value)
        assert (caught.value.unmatched, caught.value.is_answered) == (None, False)
    assert len([path for _, path, _, _ in requests if "/messages/" in path]) == 1


def test_a_wait_tells_what_it_knows_if_the_last_response_is_late(scripted, monkeypatch):
    mayfly, _, answers = scripted
    monkeypatch.setattr(deadline, "GRACE_SECONDS", 0.5)
    monkeypatch.setattr(deadline, "WAIT_SECONDS", 0)
    answers += [waited(count=3), *["hang"] * 9]
    with pytest.raises(MayflyTimeout) as caught:
        mayfly.inbox("hello").wait(timeout=1, subject="Invoice")
    assert caught.value.unmatched == 3
    first, _, told, *rest = str(caught.value).split("\n")
    assert first == "3 messages for hello"
    assert told.startswith("Mayfly has not answered the last request: no response within ")
    assert rest == ["The nearest:", '  msg_0 "Größe" fails: subject']


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("call", CALLS)
def test_a_long_retry_after_ends_a_wait(scripted, status, call):
    mayfly, requests, answers = scripted
    answers.append(busy(status, 3600))
    began = time.monotonic()
    with pytest.raises(MayflyError, match="Later.") as caught:
        call(mayfly.inbox("hello"), 10)
    assert time.monotonic() - began < 5
    assert caught.value.status == status
    assert len(requests) == 1


def test_a_wait_names_the_address_of_a_mailbox_that_was_created(scripted):
    mayfly, _, answers = scripted
    made = 201, {}, '{"name": "hello", "address": "hello@one.test"}'
    answers += [made, waited(), NO_FACTS]
    with pytest.raises(MayflyTimeout, match="^0 messages for hello@one.test\n"):
        mayfly.mailboxes.create().wait(timeout=0)


def test_repeats_of_a_call_without_a_wait_end(scripted, monkeypatch):
    mayfly, requests, answers = scripted
    monkeypatch.setattr(deadline, "REQUEST_SECONDS", 1)
    monkeypatch.setattr(deadline, "REPEATS_SECONDS", 2)
    answers += ["hang"] * 6
    began = time.monotonic()
    with pytest.raises(MayflyError, match="has not answered: no response within"):
        mayfly.inbox("hello").mark()
    assert len(requests) == 2
    answers[:] = [busy(503, 30)]
    with pytest.raises(MayflyError, match="Later."):
        mayfly.inbox("hello").mark()
    assert time.monotonic() - began < 10


def test_a_repeat_waits_only_for_what_is_left(scripted):
    mayfly, requests, answers = scripted
    answers += [busy(503, 1), None, waited([MESSAGE])]
    assert mayfly.inbox("hello").wait(timeout=10) == MESSAGE
    first, second, third = asked_of(requests)
    assert first == 10 and second < 10 and third <= second
    requests.clear()
    answers += [waited([MESSAGE]), busy(503, 1), waited(), NO_FACTS]
    with pytest.raises(MayflyTimeout):
        mayfly.inbox("hello").wait(timeout=1, subject=re.compile("code"))
    assert asked_of(requests) == [1, 0, 0]


def test_the_repeat_of_a_claim_has_the_body_of_its_key(scripted):
    mayfly, requests, answers = scripted
    claim = {"id": "clm_1", "owner": None, "expiresAt": None}
    done = 200, {}, json.dumps({"claims": [claim], "messages": [MESSAGE]})
    running = 409, {}, '{"code": "request_running"}'
    answers += [busy(503, 1), None, running, done]
    assert mayfly.inbox("hello").claim(timeout=10).message == MESSAGE
    first, second, third, fourth = [json.loads(body)["timeout"] for _, _, _, body in requests]
    assert first == 10 and second < 10 and second == third == fourth
    assert len({headers["idempotency-key"] for _, _, headers, _ in requests}) == 1


def test_a_long_wait_is_several_requests(scripted, monkeypatch):
    mayfly, requests, answers = scripted
    monkeypatch.setattr(deadline, "WAIT_SECONDS", 3)
    answers += [waited(), waited([MESSAGE])]
    assert mayfly.inbox("a b").wait(timeout=120, subject="welcome") == MESSAGE
    assert asked_of(requests) == [3, 3]
    assert requests[0][1].startswith("/api/mailboxes/a%20b/messages/wait?")
    assert "mark=M" in requests[1][1]


def test_a_time_out_counts_the_messages_of_all_requests(scripted, monkeypatch):
    mayfly, _, answers = scripted
    monkeypatch.setattr(deadline, "WAIT_SECONDS", 0)
    # What failed besides a match is counted by the request after it.
    answers += [waited([MESSAGE], count=4), waited(count=3), waited(count=2)]
    answers += [waited()] * 20_000
    with pytest.raises(MayflyTimeout) as caught:
        mayfly.inbox("hello").wait(subject=re.compile("code"), timeout=0.5)
    assert caught.value.unmatched == 5
    assert caught.value.waited >= 0.5
    first, _, *rest = str(caught.value).split("\n")
    assert first == "5 messages for hello"
    assert rest == [
        "The nearest:",
        '  msg_0 "Größe" fails: subject',
        '  msg_1 "Welcome" fails: subject',
    ]
