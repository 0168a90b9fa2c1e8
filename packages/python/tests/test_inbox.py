import hashlib
import re

import pytest

from mayfly_mail import Mayfly, MayflyError, MayflyTimeout, UnexpectedMessage


NOWHERE = (
    "No other mailbox of this token has received mail meanwhile: check that the application sends it, and its SMTP_URL."
)


def send(inbox, subject, text="Hello."):
    return inbox.send(to=[inbox.address], subject=subject, text=text)["messageId"]


def test_mailboxes_are_created_listed_and_deleted(mayfly):
    made = mayfly.mailboxes.create(labels={"suite": "python"}, expires_in=60)
    assert made.data["labels"] == {"suite": "python"}
    assert mayfly.mailboxes.get(made.name).address == made.address
    assert [one.name for one in mayfly.mailboxes.list({"suite": "python"})] == [made.name]
    assert mayfly.mailboxes.delete({"suite": "python"}) == 1
    with pytest.raises(MayflyError) as caught:
        mayfly.mailboxes.get(made.name)
    assert (caught.value.status, caught.value.code) == (404, "not_found")


def test_waits_by_criteria_and_patterns(inbox):
    send(inbox, "Welcome")
    send(inbox, "Sign-in", "Not this one.")
    send(inbox, "Signin", "The mallard.")
    found = inbox.wait(subject=re.compile("^sign-?in", re.I), text=re.compile("mallard"))
    assert found["subject"] == "Signin"
    assert inbox.wait(to=inbox.address, header={"Subject": "Welcome"}, has_attachment=False)
    with pytest.raises(TypeError):
        inbox.wait(subjekt="x")


def test_finds_codes_and_links(inbox):
    send(inbox, "Your parcel", "It is on its way.")
    url = "https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN"
    send(inbox, "Your code", f"Your verification code is 482913. Verify your address: {url}")
    assert inbox.wait_for_code() == "482913"
    assert inbox.wait_for_code(text=re.compile("verification")) == "482913"
    assert inbox.wait_for_link() == inbox.wait_for_link("verify") == url
    assert inbox.wait(has_code=False)["subject"] == "Your parcel"
    with pytest.raises(MayflyTimeout, match='"Your parcel" fails: code'):
        inbox.wait_for_code(subject="parcel", has_attachment=False, timeout=0)
    mark = inbox.mark()
    send(inbox, "Your code", "Your verification code is 201734.")
    assert inbox.wait_for_code(mark=mark) == "201734"


def test_waits_in_all_mailboxes(mayfly, inbox):
    mark = mayfly.mark()
    mayfly.expect_none(mark=mark, within=0, to=inbox.address)
    send(inbox, "Your code", "Your verification code is 482913.")
    assert mayfly.wait(mark=mark, to=inbox.address)["mailbox"] == inbox.name
    assert mayfly.wait_for_code(mark=mark, to=inbox.address) == "482913"
    with pytest.raises(UnexpectedMessage, match=f'in any mailbox, but .* is in "{inbox.name}"'):
        mayfly.expect_none(mark=mark, within=0, to=inbox.address)
    with pytest.raises(MayflyTimeout, match=f'messages? in all mailboxes[^$]* in "{inbox.name}" fails: subject'):
        mayfly.wait(mark=mark, to=inbox.address, subject="Refund", timeout=0)
    with pytest.raises(MayflyError):
        inbox.wait(mark=mark, timeout=0)


def test_takes_the_newest_code_and_link_by_default(inbox):
    links = [f"https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8Yb{n}" for n in range(3)]
    for n, link in enumerate(links):
        send(inbox, f"Your code {n}", f"Your verification code is 10000{n}. Verify your address: {link}")
    send(inbox, "Your parcel", "It is on its way.")
    assert inbox.wait_for_code() == "100002"
    assert inbox.wait_for_code(order="oldest") == "100000"
    assert inbox.wait_for_code(subject=re.compile("code [01]")) == "100001"
    assert inbox.wait_for_link() == inbox.wait_for_link("verify") == links[2]
    assert inbox.wait_for_link(order="oldest") == links[0]
    assert inbox.wait()["subject"] == "Your code 0"
    assert inbox.wait(order="newest")["subject"] == "Your parcel"
    with pytest.raises(ValueError, match='"oldest" or "newest"'):
        inbox.wait(order="first")


def test_says_that_messages_came_before_the_mark(inbox):
    send(inbox, "Your code", "Your verification code is 482913.")
    mark = inbox.mark()
    with pytest.raises(MayflyTimeout) as caught:
        inbox.wait_for_code(mark=mark, timeout=0)
    first, _, third, fourth = str(caught.value).split("\n")
    assert first == f"0 messages for {inbox.address}"
    assert third == "1 message came before the mark or time that was given."
    assert fourth == NOWHERE


@pytest.mark.parametrize("mark", [None, "", ValueError("x"), 5])
def test_refuses_a_mark_that_is_none(inbox, mark):
    calls = [inbox.wait, inbox.wait_for_code, inbox.wait_for_link, inbox.expect_none, inbox.claim]
    for call in calls:
        with pytest.raises(TypeError, match=r"A mark is the string that mark\(\) returns, not"):
            call(mark=mark)


def test_refuses_what_is_no_id_mail_kind_or_query(inbox, mayfly):
    for work, error, text in [
        (lambda: inbox.read(None), TypeError, "named by its id"),
        (lambda: inbox.raw({"id": "msg_1"}), TypeError, "not by dict"),
        (lambda: inbox.links("msg_1", "blue"), ValueError, "There is no kind of link 'blue'. Use verify,"),
        (lambda: inbox.store(b""), TypeError, "takes a mail"),
        (lambda: mayfly.search(None), TypeError, "takes a query"),
    ]:
        with pytest.raises(error, match=text):
            work()
    with pytest.raises(MayflyError, match="space"):
        inbox.store("Subject: x\r\n\r\nx", to=["x y"])


@pytest.mark.parametrize("criteria", [{"from_": None}, {"subject": None}, {"to": []}, {"header": {}}])
def test_refuses_a_criterion_without_a_value(inbox, criteria):
    for call in [inbox.wait, inbox.expect_none]:
        with pytest.raises(TypeError, match="has no value. Leave it out, or give one."):
            call(**criteria)


def test_refuses_a_time_in_milliseconds(inbox):
    for call in [inbox.wait, inbox.wait_for_code, inbox.wait_for_link, inbox.claim]:
        with pytest.raises(ValueError, match="timeout is in seconds, 0 to 3600, not 5000. Write 5 for 5000 ms."):
            call(timeout=5000)
        with pytest.raises(TypeError, match="timeout is a number of seconds"):
            call(timeout="5")
    with pytest.raises(ValueError, match="within is in seconds"):
        inbox.expect_none(within=5000)
    with pytest.raises(ValueError, match="within is in seconds, 0 to 3600, not -1"):
        inbox.expect_none(within=-1)
    with pytest.raises(TypeError, match="expect_none.. has no timeout"):
        inbox.expect_none(timeout=5)


@pytest.mark.parametrize("labels", [{}, "hello", None])
def test_deletes_mailboxes_by_labels_only(mayfly, labels):
    with pytest.raises(TypeError, match="takes labels"):
        mayfly.mailboxes.delete(labels)


def test_explains_a_time_out(inbox):
    with pytest.raises(MayflyTimeout) as caught:
        inbox.wait(timeout=0)
    assert re.fullmatch(rf"0 messages for {inbox.address}\nNo message within 0\.\d s\.\n{NOWHERE}", str(caught.value))
    assert caught.value.unmatched == 0
    message_id = send(inbox, "Welcome")
    with pytest.raises(MayflyTimeout) as caught:
        inbox.wait(subject=re.compile("code"), timeout=0)
    first, second, *rest = str(caught.value).split("\n")
    assert first == f"1 message for {inbox.address}"
    assert re.fullmatch(r"No message with subject 'code' within \d\.\d s\.", second)
    assert rest == ["The nearest:", f'  {message_id} "Welcome" fails: subject']
    with pytest.raises(MayflyTimeout, match='fails: link "reset"'):
        inbox.wait_for_link("reset", timeout=0)


def test_names_what_other_mailboxes_have_received(mayfly, inbox):
    others = [mayfly.mailboxes.create() for _ in range(4)]
    inbox = mayfly.mailboxes.create()
    told = lambda call, **asked: line_of(call, timeout=0, **asked)  # noqa: E731
    assert told(inbox.wait) == NOWHERE
    send(others[0], "Your code", "Your verification code is 482913.")
    that = f'{others[0].address} (subject "Your code")'
    meanwhile = "arrived in other mailboxes, perhaps of other tests, meanwhile or in the minute before: "
    for call in [inbox.wait, inbox.wait_for_link, mayfly.inbox(inbox.name).wait]:
        assert told(call) == f"1 message {meanwhile}{that}"
    assert told(inbox.wait, to=inbox.address, mark=inbox.mark()) == f"1 message {meanwhile}{that}"
    for other in others[1:]:
        send(other, "Welcome")
    for call, asked in [
        (inbox.wait_for_code, {}),
        (inbox.wait, {"subject": "code"}),
        (inbox.wait, {"subject": re.compile("^Your")}),
        (inbox.wait, {"text": re.compile("482913")}),
    ]:
        assert told(call, **asked) == f"1 message that matches {meanwhile}{that}"
    assert re.fullmatch(
        rf'4 messages that match {meanwhile}(\S+@\S+ \(subject "Welcome"\)(, | and )){{3}}1 more',
        told(inbox.wait, has_attachment=False),
    )
    for subject in ["Invoice", re.compile("Invoice")]:
        assert told(inbox.wait, subject=subject).startswith(f"4 messages that do not match {meanwhile}")
    send(inbox, "Welcome")
    assert told(inbox.wait_for_code) == "The nearest:"


def line_of(call, **asked):
    with pytest.raises(MayflyTimeout) as caught:
        call(**asked)
    return next(iter(str(caught.value).split("\n")[2:]), None)


def test_counts_the_messages_of_a_time_out(inbox):
    for n in range(7):
        send(inbox, f"Welcome {n}")
    with pytest.raises(MayflyTimeout, match="^7 messages for .*\n.*\nThe nearest:\n  msg_") as caught:
        inbox.wait(subject="code", timeout=0)
    assert (caught.value.unmatched, len(caught.value.nearest)) == (7, 5)
    with pytest.raises(MayflyTimeout, match=r"^7 messages for .*\nNo free message with subject 'code' within .* s\.$") as caught:
        inbox.claim(subject="code", timeout=0)
    assert caught.value.unmatched is None


def test_expects_none(inbox):
    send(inbox, "Welcome")
    inbox.expect_none(subject="Invoice", within=0)
    with pytest.raises(UnexpectedMessage, match="Welcome"):
        inbox.expect_none(subject="welcome", within=10)


def test_claims_a_message_once(inbox):
    send(inbox, "Invite")
    claim = inbox.claim(subject="invite", owner="worker-3", lease=60)
    assert (claim.message["subject"], claim.owner) == ("Invite", "worker-3")
    with pytest.raises(MayflyTimeout):
        inbox.claim(timeout=0)
    claim.extend(None)
    assert claim.expires_at is None
    claim.release()
    assert inbox.claim(timeout=0).message["id"] == claim.message["id"]


def test_reads_lists_and_clears(inbox):
    message_id = send(inbox, "Note", "One.")
    assert inbox.read(message_id)["text"] == "One."
    assert b"Subject: Note" in inbox.raw(message_id)
    assert [one["id"] for one in inbox.messages()] == [message_id]
    assert inbox.clear() == 1


RAW = """From: Shop <hello@shop.example>
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/html

<p>Hello.</p><a href="https://shop.example/unsubscribe?u=1">Unsubscribe</a>
<a href="https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN">Verify</a>
--x
Content-Type: text/csv; charset=iso-8859-1
Content-Disposition: attachment; filename=a.csv
Content-Transfer-Encoding: base64

R3L232U7MQ==
--x
Content-Type: image/png
Content-Disposition: attachment; filename=b.png

PNG
--x--
"""


def test_stores_a_raw_mail_and_reads_its_parts(mayfly, inbox):
    made = inbox.store(RAW, to="customer@gmail.com", from_="bounces@shop.example")["messageId"]
    assert inbox.read(made)["envelope"] == {"from": "bounces@shop.example", "to": ["customer@gmail.com"]}
    assert inbox.raw(made) == RAW.encode()
    assert {"name": "Subject", "value": "Grüße"} in inbox.headers(made)
    assert inbox.text(made).startswith("Hello.")
    assert {link["kind"] for link in inbox.links(made)} == {"verify", "unsubscribe"}
    assert [link["url"] for link in inbox.links(made, "unsubscribe")] == ["https://shop.example/unsubscribe?u=1"]
    csv, png = inbox.attachments(made)
    assert (csv["filename"], csv["size"], csv["text"]) == ("a.csv", 7, "Größe;1")
    expected = {"filename": "b.png", "contentType": "image/png", "size": 3, "text": None, "isInline": False}
    assert {key: png[key] for key in expected} == expected
    assert png["sha256"] == hashlib.sha256(b"PNG").hexdigest()
    assert [one["section"] for one in inbox.parts(made)["root"]["parts"]] == ["1", "2", "3"]
    assert inbox.part(made, "3") == b"PNG"
    inbox.store(b"Subject: Second\n\nx")
    assert [one["subject"] for one in inbox.list()] == ["Second", "Grüße"]
    assert len(inbox.list(limit=1)) == 1
    found = mayfly.search(f"mailbox:{inbox.name} filename:a.csv")
    assert [(one["mailbox"], one["id"]) for one in found] == [(inbox.name, made)]
    assert len(mayfly.search(f"mailbox:{inbox.name}", limit=1)) == 1


def test_needs_a_token(monkeypatch):
    monkeypatch.delenv("MAYFLY_TOKEN", raising=False)
    with pytest.raises(TypeError, match="MAYFLY_TOKEN"):
        Mayfly()


kept = []


def test_the_fixture_labels_the_mailbox(inbox):
    kept.append(inbox)
    assert inbox.data["labels"]["test"].endswith("test_the_fixture_labels_the_mailbox")


def test_the_processes_of_one_run_label_it_alike(monkeypatch, request):
    for name in ("MAYFLY_RUN", "GITHUB_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_XDIST_TESTRUNUID", "f00d")
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    labels = request.getfixturevalue("inbox").data["labels"]
    assert (labels["run"], labels["worker"]) == ("local-f00d", "gw1")


def test_the_fixture_deletes_the_mailbox_of_a_passed_test(mayfly):
    with pytest.raises(MayflyError):
        mayfly.mailboxes.get(kept[0].name)
