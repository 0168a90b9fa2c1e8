"""The messages of a mailbox by id."""

from __future__ import annotations

import urllib.parse
from typing import Any

from .errors import MayflyError
from .waits import Waits


LINK_KINDS = (
    *("verify", "signIn", "reset", "invite", "unsubscribe", "preferences"),
    *("viewOnline", "legal", "social", "other"),
)


class Contents(Waits):
    """Reads what a message holds."""

    def read(self, message_id: str) -> dict[str, Any]:
        """A message."""
        return self._place.transport.json("GET", self._of(message_id))

    def extracted(self, message_id: str) -> dict[str, Any]:
        """The codes and links of a message, with the reasons."""
        return self._place.transport.json("GET", f"{self._of(message_id)}/extracted")

    def links(self, message_id: str, kind: str | None = None) -> list[dict[str, Any]]:
        """The links of a message, of one kind or of all, in the order of the service.

        Raises ValueError for an unknown kind.
        """
        if kind is not None and kind not in LINK_KINDS:
            raise ValueError(f"There is no kind of link {kind!r}. Use {', '.join(LINK_KINDS)}.")
        return [link for link in self.extracted(message_id)["links"] if kind in (None, link["kind"])]

    def headers(self, message_id: str) -> list[dict[str, str]]:
        """All header fields in their order, each with `name` and `value`, with decoded words."""
        return self._place.transport.json("GET", f"{self._of(message_id)}/headers")["headers"]

    def text(self, message_id: str) -> str:
        """The text part, or the HTML as a reader sees it."""
        return self._place.transport.bytes("GET", f"{self._of(message_id)}/text").decode()

    def attachments(self, message_id: str) -> list[dict[str, Any]]:
        """The attachments in their order, with the fields of the REST API and `text`.

        `text` is the first 1 MiB of text, JSON and XML, decoded, and None for other files.
        """
        return [{**one, "text": self._text_of(message_id, one["id"])} for one in self.read(message_id)["attachments"]]

    def parts(self, message_id: str) -> dict[str, Any]:
        """The MIME parts as a tree, with those of enclosed mails: `root`, and `fault` if parts are missing."""
        return self._place.transport.json("GET", f"{self._of(message_id)}/parts")

    def part(self, message_id: str, section: str) -> bytes:
        """The decoded content of the part with this number in the tree, such as `2.1`."""
        return self._place.transport.bytes("GET", self._of_part(message_id, section))

    def enclosed(self, message_id: str, section: str) -> dict[str, Any]:
        """The mail that a part of the type `message/rfc822` encloses."""
        return self._place.transport.json("GET", f"{self._of_part(message_id, section)}/message")

    def raw(self, message_id: str) -> bytes:
        """The mail as it arrived: an .eml file."""
        return self._place.transport.bytes("GET", f"{self._of(message_id)}/raw")

    def _text_of(self, message_id: str, attachment_id: str) -> str | None:
        path = f"{self._of(message_id)}/attachments/{attachment_id}/text"
        try:
            return self._place.transport.bytes("GET", path).decode()
        except MayflyError as error:
            if error.code != "unprocessable":
                raise
            return None

    def _of_part(self, message_id: str, section: str) -> str:
        return f"{self._of(message_id)}/parts/{urllib.parse.quote(section, safe='')}"

    def _of(self, message_id: str) -> str:
        if not isinstance(message_id, str):
            raise TypeError(f'A message is named by its id, such as "msg_...", not by {type(message_id).__name__}.')
        return f"{self._place.messages}/{urllib.parse.quote(message_id, safe='')}"
