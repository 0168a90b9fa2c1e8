/**
 * Reads reports about a mail: delivery status notifications (RFC 3464, RFC 6533), disposition
 * notifications (RFC 8098) and feedback reports (RFC 5965).
 */
import { type MimePart, leavesOf, partText } from '../canonical/part.ts';
import { withoutOuterComments } from './comments.ts';
import type { Report, ReportRecipient } from '../../../db/schema/mail-facts.ts';
import { fit } from './fit.ts';

type Fields = ReadonlyMap<string, string[]>;
const NOTHING: Fields = new Map();

const KINDS = new Map<string, Report['kind']>([
  ['message/delivery-status', 'bounce'],
  ['message/global-delivery-status', 'bounce'],
  ['message/disposition-notification', 'receipt'],
  ['message/global-disposition-notification', 'receipt'],
  ['message/feedback-report', 'feedback'],
]);

const MAX_RECIPIENTS = 100;
/** Characters that are read of a report. */
const MAX_LENGTH = 256 * 1024;
/** A character of an address with letters beyond ASCII (RFC 6533 section 3). */
const ESCAPED = /\\x\{(10[\dA-F]{4}|[\dA-F]{2,5})\}/gi;
const STATUS = /[245]\.\d{1,3}\.\d{1,3}/;

/**
 * The report in a mail; null if it has none. Not only in multipart/report (RFC 6522 section 3):
 * gateways wrap it into multipart/mixed to add a text.
 */
export function readReport(root: MimePart): Report | null {
  for (const part of leavesOf(root)) {
    const kind = KINDS.get(part.type);
    if (!kind) continue;
    const blocks = blocksOf(partText(part).slice(0, MAX_LENGTH));
    return { kind, recipients: readers[kind](blocks).slice(0, MAX_RECIPIENTS) };
  }
  return null;
}

const readers: Record<Report['kind'], (blocks: Fields[]) => ReportRecipient[]> = {
  /** The first block is about the mail, if it names no recipient. */
  bounce: (blocks) =>
    blocks
      .filter((block) => addressOf(block) !== null)
      .map((block) => ({
        address: addressOf(block),
        action: word(block, 'action'),
        status: STATUS.exec(first(block, 'status'))?.[0] ?? null,
        diagnostic: typed(first(block, 'diagnostic-code')),
      })),
  receipt: ([block = NOTHING]) => [
    {
      address: addressOf(block),
      action: dispositionOf(block),
      status: null,
      diagnostic:
        fit(first(block, 'failure') || first(block, 'error') || first(block, 'warning')) || null,
    },
  ],
  feedback: ([block = NOTHING]) => {
    const action = word(block, 'feedback-type');
    const said = { action, status: null, diagnostic: null };
    const addresses = (block.get('original-rcpt-to') ?? []).map((value) => bare(value));
    return addresses.length === 0
      ? [{ address: null, ...said }]
      : addresses.map((address) => ({ address, ...said }));
  },
};

/** Groups of fields between empty lines. A second recipient begins a group, too. */
function blocksOf(text: string): Fields[] {
  const blocks: Map<string, string[]>[] = [];
  let block: Map<string, string[]> | null = null;
  let values: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line.trim() === '') {
      block = null;
    } else if (/^[ \t]/.test(line)) {
      const last = values.pop();
      if (last !== undefined) values.push(last.length > 4096 ? last : `${last} ${line.trim()}`);
    } else {
      const colon = line.indexOf(':');
      if (colon <= 0) continue;
      const name = line.slice(0, colon).trim().toLowerCase();
      if (!block || (name === 'final-recipient' && block.has(name))) {
        block = new Map<string, string[]>();
        blocks.push(block);
      }
      values = block.get(name) ?? [];
      block.set(name, values);
      values.push(line.slice(colon + 1).trim());
      if (blocks.length > MAX_RECIPIENTS + 1) break;
    }
  }
  return blocks;
}

const first = (block: Fields, name: string) => block.get(name)?.[0] ?? '';

function word(block: Fields, name: string): string | null {
  return fit(withoutOuterComments(first(block, name)).trim().toLowerCase()) || null;
}

/** `rfc822; ann@else.test` without the type of the address. */
function addressOf(block: Fields): string | null {
  return (
    typed(withoutOuterComments(first(block, 'final-recipient'))) ??
    typed(withoutOuterComments(first(block, 'original-recipient')))
  );
}

function typed(value: string): string | null {
  const [type = ''] = /^[\w-]+[ \t]*;/.exec(value) ?? [];
  const text = value.slice(type.length);
  if (!/^utf-8\b/i.test(type)) return bare(text);
  return bare(
    text.replace(ESCAPED, (_, digits: string) => String.fromCodePoint(parseInt(digits, 16))),
  );
}

function bare(value: string): string | null {
  return fit(value.trim().replace(/^<([^<>]*)>$/, '$1')) || null;
}

/** `manual-action/MDN-sent-manually; displayed/error`: the part after the semicolon. */
function dispositionOf(block: Fields): string | null {
  const value = withoutOuterComments(first(block, 'disposition'));
  const type = value.slice(value.indexOf(';') + 1).split('/', 1)[0] ?? '';
  return fit(type.trim().toLowerCase()) || null;
}
