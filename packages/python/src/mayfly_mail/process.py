"""One process of Mayfly that ends with this process, however this one ends."""

from __future__ import annotations

import re
import subprocess
import threading
from contextlib import contextmanager
from typing import IO, Iterator, Mapping

START_WITHIN_SECONDS = 180
KEPT_CHARACTERS = 20_000
READY = re.compile(r"Mayfly is ready\.$")

# Runs a command and stops it when standard input ends, which it does when the process at its other
# end is gone. Then it removes the folder, which is the first argument.
UNTIL_INPUT_ENDS = """exec 3<&0
folder=$1
shift
"$@" </dev/null 3<&- &
up=$!
{ cat <&3; kill "$up"; } >/dev/null 2>&1 &
wait "$up"
status=$?
rm -rf "$folder"
exit $status"""


@contextmanager
def running(command: list[str], env: Mapping[str, str]) -> Iterator[None]:
    """Runs the command from the moment in which it says that it is ready."""
    try:
        process = subprocess.Popen(
            command,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            # Ctrl-C in a terminal ends it by the end of this process.
            start_new_session=True,
        )
    except OSError as error:
        raise RuntimeError(f"Mayfly cannot start: {error}") from error
    assert process.stdin and process.stdout
    reader = _Reader(process.stdout)
    try:
        if not reader.ready.wait(START_WITHIN_SECONDS) or not reader.is_ready:
            raise RuntimeError(f"Mayfly does not start:\n{reader.output.strip()}")
        yield
    finally:
        process.stdin.close()
        process.wait()
        reader.join()


class _Reader(threading.Thread):
    """Reads the output, so that the process never waits for a reader."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(daemon=True)
        self.output = ""
        self.is_ready = False
        # Also set at the end of the output.
        self.ready = threading.Event()
        self._stream = stream
        self.start()

    def run(self) -> None:
        for line in self._stream:
            self.output = (self.output + line)[-KEPT_CHARACTERS:]
            if READY.match(line):
                self.is_ready = True
                self.ready.set()
        self._stream.close()
        self.ready.set()
