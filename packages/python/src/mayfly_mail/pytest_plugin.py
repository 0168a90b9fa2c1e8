"""Fixtures for pytest: `mayfly`, `inbox`, a mailbox of its own for each test, `mail_snapshot`, and `mayfly_server`."""

from __future__ import annotations

import os
import re
from typing import Iterator

import pytest

from .client import Mayfly
from .errors import MayflyError
from .inbox import Inbox
from .pytest_snapshots import mail_snapshot, pytest_addoption
from .server import MayflyServer, start_mayfly

__all__ = ["inbox", "mail_snapshot", "mayfly", "mayfly_server", "pytest_addoption", "pytest_runtest_makereport"]

# Seconds. A mailbox of a failed test stays so long.
LIFETIME = 900


@pytest.fixture(scope="session")
def mayfly_server() -> Iterator[MayflyServer]:
    """A Mayfly that runs until the end of the session; of its own for each process of pytest-xdist."""
    with start_mayfly() as server:
        yield server


@pytest.fixture(scope="session")
def mayfly(request: pytest.FixtureRequest) -> Mayfly:
    """The client, by MAYFLY_URL and MAYFLY_TOKEN; without a token, that of `mayfly_server`."""
    if os.environ.get("MAYFLY_TOKEN"):
        return Mayfly()
    return request.getfixturevalue("mayfly_server").client


@pytest.fixture
def inbox(mayfly: Mayfly, request: pytest.FixtureRequest) -> Iterator[Inbox]:
    """A mailbox with the labels `run`, `worker` and `test`. It is deleted when the test passes."""
    labels = {
        "run": _run(),
        "worker": os.environ.get("PYTEST_XDIST_WORKER", "main"),
        "test": re.sub(r"[^\x20-\x7e]", "?", request.node.nodeid)[-100:],
    }
    made = mayfly.mailboxes.create(labels=labels, expires_in=LIFETIME)
    yield made
    report = getattr(request.node, "mayfly_call", None)
    if report is not None and report.passed:
        try:
            made.delete()
        except MayflyError as error:
            if error.status != 404:
                raise


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Keeps the report of the call for the end of the fixture."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call":
        item.mayfly_call = report  # type: ignore[attr-defined]


def _run() -> str:
    """A run in CI has its number, the processes of pytest-xdist share that of theirs."""
    for name in ("MAYFLY_RUN", "GITHUB_RUN_ID"):
        if os.environ.get(name):
            return os.environ[name]
    return f"local-{os.environ.get('PYTEST_XDIST_TESTRUNUID') or os.getpid()}"
