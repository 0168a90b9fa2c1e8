"""Run with MAYFLY_PACKAGE, the package of the service or a folder with its content."""

import os
import smtplib
import subprocess
import sys
import time
import urllib.error
import urllib.request

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


@needs_package
def test_names_the_mailbox_of_its_variables():
    with start_mayfly(env={"BOOTSTRAP_MAILBOX": "team", "MAIL_DOMAIN": "shop.test"}) as server:
        assert server.smtp.username == "team"
        with smtplib.SMTP(server.smtp.host, server.smtp.port) as client:
            client.sendmail("a@b.test", ["customer@gmail.com"], "Subject: Caught\r\n\r\nx")
        assert server.client.inbox("team").wait(to="customer@gmail.com")["subject"] == "Caught"


@needs_package
def test_ends_with_the_process_that_started_it():
    program = """
import os, signal
from mayfly_mail.server import start_mayfly
with start_mayfly() as server:
    print(server.url, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    url = done.stdout.strip()
    assert url.startswith("http://127.0.0.1:"), done.stderr
    ends_at = time.monotonic() + 60
    while is_there(url):
        assert time.monotonic() < ends_at, "Mayfly still runs"
        time.sleep(0.05)


def is_there(url):
    try:
        urllib.request.urlopen(f"{url}/readyz", timeout=1).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


@needs_package
def test_is_used_by_the_fixtures_without_a_token(tmp_path, monkeypatch):
    monkeypatch.delenv("MAYFLY_TOKEN", raising=False)
    monkeypatch.setenv("PORT", "1")
    (tmp_path / "test_sign_in.py").write_text(USES_FIXTURES)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "mayfly_mail.pytest_plugin", "test_sign_in.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
