import type { ErrorBody } from './connection/bodies.ts';
import type { MailboxData, Message, NearMiss } from './types.ts';

/** An error response of the service, or its absence after all attempts. */
export class MayflyError extends Error {
  override name = 'MayflyError';
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /**
   * Code of the service, such as `not_found`; `unavailable` without a response; `unsupported` by an
   * older service; `not_json` and `not_a_stream` when something else answered.
   */
  readonly code: string;
  readonly requestId: string | null;
  readonly details: unknown;

  /** @internal */
  constructor(status: number, body: Partial<ErrorBody>, options?: ErrorOptions) {
    super(body.error ?? `The service answered with status ${status}.`, options);
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.requestId = body.requestId ?? null;
    this.details = body.details;
  }
}

/** How a wait ended without a message. */
export interface Missed {
  /** Up to five messages that failed the fewest criteria. */
  readonly nearest: NearMiss[];
  /**
   * Number of messages that were considered, at least; null for a claim, which names none, and if
   * the service has not told it in time.
   */
  readonly unmatched: number | null;
  readonly waitedMs: number;
}

/** What other mailboxes have received meanwhile, the most interesting first. @internal */
export interface Elsewhere {
  /** Whether the messages match the criteria; null without criteria. */
  fits: boolean | null;
  count: number;
  named: { mailbox?: string; subject: string }[];
}

/** What is told about the mailbox of a wait that found nothing. @internal */
export interface MissedIn {
  /** Null for all mailboxes of the workspace. */
  name: string | null;
  /** Of the mailbox, where the client knows it. */
  address?: string | undefined;
  /** Null when the service did not tell it in time. */
  mailbox: Pick<MailboxData, 'address' | 'messageCount'> | null;
  elsewhere?: Elsewhere | null | undefined;
  /** Whether messages before a mark or a time were left out. */
  isAfter: boolean;
  /** Whether the end of the test ended the wait. */
  isCut: boolean;
  /** How the last request ended, if it had no response. */
  unanswered?: { readonly message: string } | undefined;
}

/**
 * No message matches the criteria in time. The first line of the message of the error is
 * `0 messages for ADDRESS`, or another number of those that were considered; the other lines name
 * the criteria, and the nearest misses or what other mailboxes have received meanwhile.
 */
export class MayflyTimeout extends Error implements Missed {
  override name = 'MayflyTimeout';
  readonly nearest: NearMiss[];
  readonly unmatched: number | null;
  readonly waitedMs: number;

  /** The name of the mailbox; null for all mailboxes of the workspace. */
  readonly mailbox: string | null;
  /** What was waited for, as text. */
  readonly criteria: string;
  /** Whether the service answered the last request. Without an answer, a message may be there. */
  readonly isAnswered: boolean;

  /** @internal */
  constructor(where: MissedIn, criteria: string, missed: Missed) {
    super(linesOf(where, criteria, missed).join('\n'));
    this.mailbox = where.name;
    this.criteria = criteria;
    this.isAnswered = where.unanswered === undefined;
    this.nearest = missed.nearest;
    this.unmatched = missed.unmatched;
    this.waitedMs = missed.waitedMs;
  }
}

/** A message that must not arrive is there. */
export class MayflyUnexpectedMessage extends Error {
  override name = 'MayflyUnexpectedMessage';

  readonly received: Message;

  /** @internal */
  constructor(mailbox: string | null, criteria: string, received: Message) {
    const where = mailbox === null ? 'any mailbox' : `mailbox "${mailbox}"`;
    const place = received.mailbox === undefined ? 'there' : `in "${received.mailbox}"`;
    super(
      `Expected no ${criteria} in ${where}, but ${received.id} ` +
        `${JSON.stringify(received.subject)} from ${received.from} is ${place}.`,
    );
    this.received = received;
  }
}

function linesOf(
  { name, address: known, mailbox, elsewhere, isAfter, isCut, unanswered }: MissedIn,
  criteria: string,
  { nearest, unmatched, waitedMs }: Missed,
): string[] {
  const total = mailbox?.messageCount ?? null;
  const older = isAfter && unmatched !== null ? Math.max(0, (total ?? 0) - unmatched) : 0;
  const address = known ?? mailbox?.address ?? name;
  const seconds = (waitedMs / 1000).toFixed(1);
  return [
    `${counted(unmatched ?? total)} ${name === null ? 'in all mailboxes' : `for ${address}`}`,
    `No ${criteria} within ${seconds} s${isCut && !unanswered ? ': the test ends, raise its timeout to wait longer' : ''}.`,
    ...(unanswered ? [`Mayfly has not answered the last request: ${unanswered.message}.`] : []),
    ...(older > 0 ? [`${counted(older)} came before the mark or time that was given.`] : []),
    ...(elsewhere ? [elsewhereLine(elsewhere, address)] : []),
    ...(nearest.length > 0 ? ['The nearest:'] : []),
    ...nearest.map(
      ({ messageId, subject, mailbox: place, failed }) =>
        `  ${messageId} ${JSON.stringify(subject)}${place === undefined ? '' : ` in "${place}"`} ` +
        `fails: ${failed.join(', ')}`,
    ),
    ...(nearest.some(({ failed }) => failed.some((name) => OF_EXTRACTED.test(name)))
      ? ['inbox.extracted(id) tells the codes and links of a message, and why others are none.']
      : []),
  ];
}

/** What a wait for a code or a link calls its result. */
const OF_EXTRACTED = /^(?:code|link)\b/;
const NOWHERE =
  'No other mailbox of this token has received mail meanwhile: check that the application sends it, and its SMTP_URL.';
/** Messages of other mailboxes that an error names at most. */
const NAMED = 3;

/** @param address of a mailbox of the same workspace, or its name. */
function elsewhereLine({ fits, count, named }: Elsewhere, address: string | null): string {
  const [domain = ''] = /@.*/.exec(address ?? '') ?? [];
  if (count === 0) return NOWHERE;
  const isOne = count === 1;
  const matches = isOne ? ' that matches' : ' that match';
  const doNot = ` that ${isOne ? 'does' : 'do'} not match`;
  const which = fits === null ? '' : fits ? matches : doNot;
  const shown = named
    .slice(0, NAMED)
    .map(({ mailbox, subject }) => `${mailbox}${domain} (subject ${JSON.stringify(subject)})`);
  const more = count > shown.length ? ` and ${count - shown.length} more` : '';
  return (
    `${counted(count)}${which} arrived in other mailboxes, perhaps of other tests, meanwhile or in the minute before: ` +
    `${shown.join(', ')}${more}`
  );
}

function counted(messages: number | null): string {
  if (messages === null) return 'Unknown number of messages';
  return `${messages} message${messages === 1 ? '' : 's'}`;
}
