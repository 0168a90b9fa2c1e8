"""Reads mails with the package `email`: base64 of one a line on stdin, JSON of one a line on stdout."""
import base64
import json
import sys
from email import message_from_bytes, policy
from email.utils import getaddresses, parsedate_to_datetime


def field(mail, name):
    try:
        value = mail.get(name)
    except Exception:  # the header parser of Python raises on some malformed fields
        value = dict(mail.raw_items()).get(name)
    return None if value is None else str(value)


def addresses(mail, name):
    try:
        values = mail.get_all(name, [])
        return [each.addr_spec for value in values for each in value.addresses if each.addr_spec]
    except Exception:
        values = [str(value) for key, value in mail.raw_items() if key.lower() == name]
        return [address for _, address in getaddresses(values) if address]


def date(mail):
    try:
        return parsedate_to_datetime(field(mail, "date")).isoformat()
    except Exception:
        return None


def content(part):
    if part.get_content_maintype() == "message":
        inner = part.get_payload()
        return b"\r\n".join(each.as_bytes() for each in inner) if isinstance(inner, list) else inner.encode()
    return part.get_payload(decode=True) or b""


def text_of(part):
    try:
        return part.get_content()
    except Exception:  # an unknown character set, or text that is not of it
        return content(part).decode("utf-8", "replace")


def leaves(part):
    """Enclosed messages are leaves too."""
    if part.is_multipart() and part.get_content_maintype() == "multipart":
        for each in part.get_payload():
            yield from leaves(each)
    else:
        yield part


def read(raw):
    mail = message_from_bytes(raw, policy=policy.default)
    text, html, attachments = [], False, []
    for part in leaves(mail):
        kind = part.get_content_type()
        is_body = part.get_content_disposition() != "attachment" and not part.get_filename()
        if is_body and kind == "text/plain":
            text.append(text_of(part))
        elif is_body and kind == "text/html":
            html = html or bool(content(part).strip())
        else:
            attachments.append({"name": part.get_filename(), "size": len(content(part))})
    senders = addresses(mail, "from")
    return {
        "subject": field(mail, "subject"),
        "from": senders[0] if senders else None,
        "to": addresses(mail, "to"),
        "date": date(mail),
        "text": "\n".join(text),
        "hasHtml": html,
        "attachments": attachments,
    }


for line in sys.stdin:
    print(json.dumps(read(base64.b64decode(line))))
