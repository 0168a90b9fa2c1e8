import json
import pathlib
import random
import re
import string
import time

import pytest

from mayfly_mail.snapshot import mail_text, masked

pytest_plugins = ["pytester"]

FILES = pathlib.Path(__file__).parents[3] / "test/packages"
CASES = json.loads((FILES / "mail-snapshots.json").read_text("utf-8"))
WORDS = json.loads((FILES / "path-words.json").read_text("utf-8"))
SMALL, DIGITS = string.ascii_lowercase, string.digits
TOKENS = [
    (SMALL, 32),
    (string.ascii_uppercase + DIGITS, 8),
    (DIGITS + "abcdef", 8),
    (DIGITS + "abcdef", 12),
    (SMALL + DIGITS, 11),
    (SMALL + DIGITS, 13),
    (SMALL + DIGITS, 24),
    (string.ascii_letters + DIGITS, 8),
    (string.ascii_letters + DIGITS + "_-", 10),
    (string.ascii_letters + DIGITS + "_-", 22),
]
SAMPLES = 2000
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


@pytest.mark.parametrize(("characters", "length"), TOKENS)
def test_masks_nearly_all_random_parts(characters, length):
    numbers = random.Random(7)
    links = ["https://shop.example/in/" + "".join(numbers.choices(characters, k=length)) for _ in range(SAMPLES)]
    lines = masked("\n".join(links), []).split("\n")
    assert SAMPLES - lines.count("https://shop.example/in/<random>") <= SAMPLES * 0.025


def test_shows_words_in_a_path():
    text = "\n".join(f"https://shop.example/{word}/" for word in WORDS)
    assert masked(text, []) == text


def test_masks_what_matches_a_pattern():
    message = {**MESSAGE, "text": "Ticket ab-c, ticket ab-d: https://shop.example/t/ab-c/x?id=ab-c"}
    shown = mail_text(message, [r"\bab-.", re.compile("ticket", re.I), "$"])
    assert shown.endswith("\n<masked> <masked>, <masked> <masked>: https://shop.example/t/<masked>/x?id=<value>")
    for mask in (None, "x", re.compile("x"), [b"x"], [re.compile(b"x")], [1]):
        with pytest.raises(TypeError, match="is a list of patterns"):
            mail_text(message, mask)


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
    mail_snapshot({{**MESSAGE, "subject": os.environ["SUBJECT"]}}, mask=["Shop"])
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
    assert file.read_text() == MASKED.replace("Shop", "<masked>") + "\n"
    monkeypatch.setenv("SUBJECT", "731904 is your code")
    run().assert_outcomes(passed=1)
    monkeypatch.setenv("SUBJECT", "731904 is your password")
    run().stdout.fnmatch_lines(["*-Subject: <code> is your code", "*+Subject: <code> is your password"])
    run("--mail-snapshot-update").assert_outcomes(passed=1)
    run().assert_outcomes(passed=1)


@pytest.mark.parametrize("text", ["1" * 8000 + "é", "1." * 4000 + "é", "<" + "1" * 8000])
def test_masks_in_linear_time(text):
    def cost(text):
        start = time.thread_time()
        masked(text, [])
        return time.thread_time() - start

    cost(text)
    # Quadratic time is that of 16 times the text, and takes seconds.
    assert cost(text * 4) < 8 * cost(text) + 0.05
