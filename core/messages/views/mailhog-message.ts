/**
 * Messages in the form of MailHog's API: header fields and bodies as they are in the mail, in their
 * transfer encoding, which its clients decode.
 */
import { type HeaderBlock, readHeaderBlock } from '../../mime/canonical/header-block.ts';
import type { MimePart } from '../../mime/canonical/part.ts';
import { readStructure } from '../../mime/canonical/structure.ts';
import type { Task } from '../../mime/task.ts';
import type { MessageSummary } from '../../../db/statements/messages.ts';

interface Path {
  Relays: null;
  Mailbox: string;
  Domain: string;
  Params: string;
}

interface Content {
  Headers: Record<string, string[]>;
  Body: string;
  Size: number;
  MIME: { Parts: Content[] } | null;
}

interface MailhogInput {
  shown: MessageSummary;
  raw: Buffer;
}

/** A message as JSON. */
export const mailhogJson: Task<MailhogInput, Buffer> = {
  name: 'mailhogJson',
  sizeOf: ({ raw }) => raw.length,
  inlineSize: 16 * 1024,
  run: (input) => Buffer.from(JSON.stringify(mailhogMessage(input))),
};

/** Of a mail whose parts are shown. Its bytes are written three times. */
export const MAX_BYTES = 5 * 1024 * 1024;

/** A mail above {@link MAX_BYTES} has only its header. */
function mailhogMessage({ shown: { message, mail }, raw }: MailhogInput) {
  const shown = raw.subarray(0, MAX_BYTES);
  const isWhole = shown.length === raw.length;
  const root = isWhole ? rootOf(raw) : null;
  const header = readHeaderBlock(shown, { start: 0, end: shown.length });
  const from = message.envelopeFrom ?? mail.fromAddress;
  const to = message.envelopeTo ?? [message.recipient];
  const parts = root?.children.map(contentOf) ?? [];
  const content: Content = {
    Headers: headersOf(header),
    Body: isWhole ? raw.toString('utf8', header.end) : '',
    Size: mail.size,
    MIME: null,
  };
  return {
    ID: message.id,
    From: pathOf(from),
    To: to.map(pathOf),
    Content: content,
    Created: message.receivedAt.toISOString(),
    MIME: parts.length > 0 ? { Parts: parts } : null,
    Raw: { From: from, To: to, Data: isWhole ? raw.toString() : '', Helo: '' },
  };
}

function rootOf(raw: Buffer): MimePart | null {
  try {
    return readStructure(raw).root;
  } catch {
    return null; // of a header above its limit
  }
}

/** The content of a multipart is only in its parts: 1,000 levels of them repeat no byte. */
function contentOf({ source, headerStart, bodyStart, bodyEnd, children }: MimePart): Content {
  const header = readHeaderBlock(source, { start: headerStart, end: bodyStart });
  return {
    Headers: headersOf(header),
    Body: children.length > 0 ? '' : source.toString('utf8', bodyStart, bodyEnd),
    Size: bodyEnd - bodyStart,
    MIME: children.length > 0 ? { Parts: children.map(contentOf) } : null,
  };
}

/** By the names as the mail writes them. */
function headersOf({ fields }: HeaderBlock): Record<string, string[]> {
  const values = Object.create(null) as Record<string, string[]>;
  for (const { name, value } of fields) {
    (values[name] ??= []).push(Buffer.from(value, 'latin1').toString());
  }
  return values;
}

function pathOf(address: string): Path {
  const at = address.lastIndexOf('@');
  const [mailbox, domain] = at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)];
  return { Relays: null, Mailbox: mailbox, Domain: domain, Params: '' };
}
