import json
import pathlib

import pytest

from mayfly_mail.snapshot import mail_text, masked

pytest_plugins = ["pytester"]

CASES = json.loads((pathlib.Path(__file__).parents[3] / "test/packages/mail-snapshots.json").read_text("utf-8"))
MESSAGE = {
    "from": "hello@shop.example",
    "fromName": "Shop",
    "to": ["a1@one.test"],
    "cc": [],
    "subject": "482913 is your code",
    "text": "Your code is 482913.  \r\n",
    "html": "",
    "attachments": [{"filename": "invoice.pdf", "contentType": "application/pdf"}],
    "envelope": {"from": "bounces@shop.example", "to": ["a1@one.test", "hidden@one.test"]},
}
MASKED = """From: Shop <hello@shop.example>
To: <recipient>
Subject: <code> is your code
Attachment: invoice.pdf (application/pdf)

--- text ---
Your code is <code>."""


@pytest.mark.parametrize("case", CASES)
def test_masks_what_differs(case):
    assert masked(case["text"], ["brave-otter-12@one.test"]) == case["masked"]


def test_shows_a_message():
    assert mail_text(MESSAGE) == MASKED
    with pytest.raises(TypeError, match="takes a message"):
        mail_text("hello")


def test_compares_a_message_with_its_snapshot(pytester, monkeypatch, pytestconfig):
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(
        test_mail=f"""
import os
MESSAGE = {MESSAGE!r}
def test_welcome(mail_snapshot):
    mail_snapshot({{**MESSAGE, "subject": os.environ["SUBJECT"]}})
"""
    )
    # The name of the entry point, where the package is installed.
    plugin = [] if pytestconfig.pluginmanager.has_plugin("mayfly") else ["-p", "mayfly_mail.pytest_plugin"]
    run = lambda *args: pytester.runpytest_inprocess("-p", "no:cacheprovider", *plugin, *args)  # noqa: E731
    monkeypatch.setenv("SUBJECT", "482913 is your code")
    monkeypatch.setenv("CI", "true")
    run().stdout.fnmatch_lines(["*There is no snapshot*"])
    monkeypatch.delenv("CI")
    run().assert_outcomes(passed=1)
    file = pytester.path / "__snapshots__/test_mail/test_welcome-1.txt"
    assert file.read_text() == MASKED + "\n"
    monkeypatch.setenv("SUBJECT", "731904 is your code")
    run().assert_outcomes(passed=1)
    monkeypatch.setenv("SUBJECT", "731904 is your password")
    run().stdout.fnmatch_lines(["*-Subject: <code> is your code", "*+Subject: <code> is your password"])
    run("--mail-snapshot-update").assert_outcomes(passed=1)
    run().assert_outcomes(passed=1)
