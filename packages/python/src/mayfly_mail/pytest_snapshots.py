"""Files with the snapshots of a test: `__snapshots__/MODULE/TEST-N.txt` beside its module."""

from __future__ import annotations

import difflib
import itertools
import os
import re
from typing import Any, Mapping, Protocol, Sequence

import pytest

from .snapshot import mail_text

OPTION = "--mail-snapshot-update"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that writes snapshots anew."""
    parser.addoption(OPTION, action="store_true", help="write the snapshots of mail_snapshot anew")


class MailSnapshot(Protocol):
    """Compares a message, without what matches a pattern of `mask`."""

    def __call__(self, message: Mapping[str, Any], mask: Sequence[str | re.Pattern[str]] = ()) -> None: ...


@pytest.fixture
def mail_snapshot(request: pytest.FixtureRequest) -> MailSnapshot:
    """Asserts that a message equals the snapshot of the test.

    Codes, dates, ids, recipients and what differs in links are not compared, nor is what matches a pattern of `mask`. A
    missing snapshot is written, except in CI, where it fails.
    """
    module = request.path
    name = re.sub(r"[^\w.-]+", "_", request.node.name)
    count = itertools.count(1)

    def compare(message: Mapping[str, Any], mask: Sequence[str | re.Pattern[str]] = ()) -> None:
        __tracebackhide__ = True
        actual = mail_text(message, mask) + "\n"
        file = module.parent / "__snapshots__" / module.stem / f"{name}-{next(count)}.txt"
        is_there = file.exists()
        if request.config.getoption(OPTION) or not (is_there or os.environ.get("CI")):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(actual.encode())
            return
        if not is_there:
            pytest.fail(f"There is no snapshot {file}. Run the test without CI, or with {OPTION}.")
        expected = file.read_bytes().decode()
        if actual != expected:
            lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "snapshot", "message", lineterm="")
            pytest.fail("\n".join([f"The mail differs from {file}. {OPTION} writes it anew.", *lines]))

    return compare
