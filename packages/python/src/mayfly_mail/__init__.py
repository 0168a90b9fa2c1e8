"""Client of the mailbox service Mayfly."""

from .claim import Claim
from .client import Mailboxes, Mayfly
from .errors import MayflyError, MayflyTimeout, SignatureError, UnexpectedMessage
from .inbox import Inbox
from .webhook import verify_webhook

__all__ = [
    "Claim",
    "Inbox",
    "Mailboxes",
    "Mayfly",
    "MayflyError",
    "MayflyTimeout",
    "SignatureError",
    "UnexpectedMessage",
    "verify_webhook",
]
