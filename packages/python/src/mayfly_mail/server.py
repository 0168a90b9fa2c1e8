"""Starts a Mayfly for a test run: on free ports, with a data folder and a token of its own."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Mapping
from urllib.parse import quote, urlsplit

from .client import Mayfly
from .process import UNTIL_INPUT_ENDS, running

HOST = "127.0.0.1"
PROGRAM = "dist/scripts/mayfly.js"

# Loopback and private networks, such as those of containers.
NETWORKS = "127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16"

# The same capture, webhooks and limits for package and image.
SETTINGS = {
    "BOOTSTRAP_MAILBOX": "inbox",
    "MAIL_DOMAIN": "mayfly.localhost",
    "CATCH_ALL_CIDRS": NETWORKS,
    "CATCH_ALL_ACCEPT_ANY_AUTH": "true",
    "WEBHOOK_ALLOW_HTTP": "true",
    "WEBHOOK_ALLOWED_CIDRS": NETWORKS,
    "RATE_LIMIT_PRO": "0",
    "PLAN_PRO_MAILBOXES": "0",
    "LOG_LEVEL": "warn",
}


@dataclass(frozen=True)
class Smtp:
    """What an application needs to send mail, which the mailbox `inbox` catches."""

    url: str = field(repr=False)
    host: str
    port: int
    username: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class MayflyServer:
    """A running Mayfly. `url` is `http://127.0.0.1:PORT`."""

    client: Mayfly = field(repr=False)
    url: str
    token: str = field(repr=False)
    smtp: Smtp


@contextmanager
def start_mayfly(
    package: str | os.PathLike[str] | None = None,
    image: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Iterator[MayflyServer]:
    """A Mayfly that runs until the end of the block, or of this process. Its data is then removed.

    `package` is mayfly-VERSION.tgz or a folder with its content; by default `node_modules/mayfly`,
    otherwise `MAYFLY_PACKAGE`. Docker starts an `image` instead. `env` has variables of the service.
    Raises RuntimeError with the end of its output if it does not start, and for a package that is none, and TypeError
    for a package and an image at once.
    """
    if package is not None and image is not None:
        raise TypeError("start_mayfly() takes a package or an image, not both.")
    settings = {
        **SETTINGS,
        "BOOTSTRAP_TOKEN": secrets.token_urlsafe(32),
        "BOOTSTRAP_SMTP_PASSWORD": secrets.token_urlsafe(24),
        **(env or {}),
    }
    username = settings["BOOTSTRAP_MAILBOX"].split("@")[0]
    settings.setdefault("CATCH_ALL_MAILBOX", f"{username}@{settings['MAIL_DOMAIN']}")
    with ExitStack() as stack:
        start = _package(package, settings) if image is None else _image(image, settings)
        url, smtp_port = stack.enter_context(start)
        token = settings["BOOTSTRAP_TOKEN"]
        password = settings["BOOTSTRAP_SMTP_PASSWORD"]
        smtp_url = f"smtp://{username}:{quote(password, safe='')}@{HOST}:{smtp_port}"
        smtp = Smtp(smtp_url, HOST, smtp_port, username, password)
        yield MayflyServer(Mayfly(url, token), url, token, smtp)


@contextmanager
def _package(given: str | os.PathLike[str] | None, settings: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    folder = Path(tempfile.mkdtemp(prefix="mayfly-"))
    try:
        program = _find_package(given, folder)
        ready_file = folder / "ready.json"
        # Variables such as DATABASE_URL and PORT are those of the application under test.
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        own = {"BIND_HOST": HOST, "PORT": "0", "SMTP_PORT": "0"}
        place = {"DATA_DIR": str(folder / "data"), "READY_FILE": str(ready_file)}
        command = ["sh", "-c", UNTIL_INPUT_ENDS, "mayfly", str(folder), "node", str(program), "up"]
        with running(command, {**inherited, **own, **settings, **place}):
            ready = json.loads(ready_file.read_text())
            yield ready["url"], int(urlsplit(ready["smtpUrl"]).port or 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _find_package(given: str | os.PathLike[str] | None, folder: Path) -> Path:
    installed = Path("node_modules/mayfly")
    path = given or (installed if (installed / PROGRAM).exists() else os.environ.get("MAYFLY_PACKAGE"))
    if not path:
        raise RuntimeError(
            "There is no package of Mayfly. Set MAYFLY_PACKAGE to mayfly-VERSION.tgz, "
            "or call start_mayfly(package=...) or start_mayfly(image=...)."
        )
    place = Path(path).resolve()
    if not place.exists():
        raise RuntimeError(f'The package of Mayfly "{place}" does not exist.')
    program = place / PROGRAM
    if place.is_file():
        command = ["tar", "-xzf", str(place), "-C", str(folder)]
        if subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0:
            raise RuntimeError(f'"{place}" is not a package of Mayfly: tar cannot unpack it.')
        program = folder / "package" / PROGRAM
    if not program.exists():
        raise RuntimeError(f'"{place}" is not a package of Mayfly: it has no {PROGRAM}.')
    return program


@contextmanager
def _image(image: str, settings: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    # The same ports inside, so that the links and settings which the service tells are right.
    free, free_smtp = _free_ports(2)
    ports = {"PORT": str(free), "SMTP_PORT": str(free_smtp), **settings}
    url = f"http://{HOST}:{ports['PORT']}"
    variables = {"PUBLIC_URL": url, **ports}
    command = ["docker", "run", "--rm", "--init", "--interactive"]
    # Webhooks reach receivers on this machine.
    command += ["--add-host", "host.docker.internal:host-gateway"]
    for name in ("PORT", "SMTP_PORT"):
        command += ["--publish", f"{HOST}:{ports[name]}:{ports[name]}"]
    for name in variables:
        command += ["--env", name]
    command += [image, "sh", "-c", UNTIL_INPUT_ENDS, "mayfly", "/tmp/mayfly"]
    command += ["node", "dist/scripts/supervise/main.js"]
    with running(command, {**os.environ, **variables}):
        yield url, int(ports["SMTP_PORT"])


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
