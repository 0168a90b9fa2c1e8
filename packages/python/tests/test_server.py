"""Run with MAYFLY_PACKAGE, the package of the service or a folder with its content."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from mayfly_mail.server import start_mayfly

needs_package = pytest.mark.skipif(not os.environ.get("MAYFLY_PACKAGE"), reason="MAYFLY_PACKAGE is not set")

USES_FIXTURES = r"""
import smtplib
from urllib.parse import unquote, urlsplit

MAIL = "From: a@b.test\r\nSubject: Sign in\r\n\r\nYour code is 482913.\r\n"

def test_signs_in(inbox, mayfly_server):
    url = urlsplit(mayfly_server.smtp.url)
    with smtplib.SMTP(url.hostname, url.port) as client:
        client.login(url.username, unquote(url.password))
        client.sendmail("a@b.test", [inbox.address], MAIL)
    assert inbox.wait_for_code() == "482913"
    assert mayfly_server.smtp.password not in repr(mayfly_server)
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_names_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.delenv("MAYFLY_PACKAGE", raising=False)
    with pytest.raises(RuntimeError, match="There is no package of Mayfly"), start_mayfly():
        pass
    with pytest.raises(RuntimeError, match="is not a package of Mayfly"), start_mayfly(package=tmp_path):
        pass
    text = tmp_path / "a.tgz"
    text.write_text("no archive")
    with pytest.raises(RuntimeError, match=r"a.tgz\" is not a package of Mayfly: tar"), start_mayfly(package=text):
        pass
    with pytest.raises(TypeError, match="a package or an image, not both"), start_mayfly(package=text, image="mayfly"):
        pass
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="cannot start"), start_mayfly(image="mayfly"):
        pass


@needs_package
def test_says_why_it_does_not_start():
    with pytest.raises(RuntimeError, match="MESSAGE_TTL_MS must be"), start_mayfly(env={"MESSAGE_TTL_MS": "x"}):
        pass


def test_names_the_mailbox_of_its_variables(monkeypatch):
    given = {}

    @contextmanager
    def package(_path, settings):
        given.update(settings)
        yield "http://127.0.0.1:1", 2

    monkeypatch.setattr("mayfly_mail.server._package", package)
    with start_mayfly(env={"BOOTSTRAP_MAILBOX": "team@shop.test", "MAIL_DOMAIN": "shop.test"}) as server:
        assert server.smtp.username == "team"
        assert server.smtp.url.startswith("smtp://team:") and server.smtp.url.endswith("@127.0.0.1:2")
    assert given["CATCH_ALL_MAILBOX"] == "team@shop.test"
    assert given["MAIL_DOMAIN"] == "shop.test"


@needs_package
def test_is_used_by_the_fixtures_without_a_token(tmp_path, monkeypatch):
    monkeypatch.delenv("MAYFLY_TOKEN", raising=False)
    monkeypatch.setenv("PORT", "1")
    (tmp_path / "test_sign_in.py").write_text(USES_FIXTURES)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "mayfly_mail.pytest_plugin", "test_sign_in.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
