import re

import pytest

from mayfly_mail import Mayfly, MayflyError, MayflyTimeout, UnexpectedMessage


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


def test_explains_a_time_out(inbox):
    with pytest.raises(MayflyTimeout) as caught:
        inbox.wait(timeout=0)
    assert str(caught.value).endswith(" s.\nNo message was considered.")
    assert caught.value.unmatched == 0
    message_id = send(inbox, "Welcome")
    with pytest.raises(MayflyTimeout) as caught:
        inbox.wait(subject=re.compile("code"), timeout=0)
    first, *rest = str(caught.value).split("\n")
    assert re.fullmatch(rf"""No message with subject 'code' in mailbox "{inbox.name}" within \d\.\d s\.""", first)
    assert rest == ["1 other message considered. The nearest:", f'  {message_id} "Welcome" fails: subject']
    with pytest.raises(MayflyTimeout, match='fails: link "reset"'):
        inbox.wait_for_link("reset", timeout=0)


def test_counts_the_messages_of_a_time_out(inbox):
    for n in range(7):
        send(inbox, f"Welcome {n}")
    with pytest.raises(MayflyTimeout, match="\n7 other messages considered. The nearest:\n  msg_") as caught:
        inbox.wait(subject="code", timeout=0)
    assert (caught.value.unmatched, len(caught.value.nearest)) == (7, 5)
    with pytest.raises(MayflyTimeout, match=r"^No free message with subject 'code' in mailbox .* s\.$") as caught:
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


def test_needs_a_token(monkeypatch):
    monkeypatch.delenv("MAYFLY_TOKEN")
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
