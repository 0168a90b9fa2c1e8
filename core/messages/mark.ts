/**
 * Marks: what of a mailbox was visible at one moment, opaque to clients and validated on use. A
 * time alone misses mail, because a message can become visible after a message that arrived later.
 * A mark therefore lists the messages that were visible in the last seconds before the newest one.
 * A message is after the mark if it is newer than the start of this window and not in the list.
 */
import { type Position, messagePage } from '../../db/statements/messages.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';

/** Mail that takes longer to store than this after newer mail is not after the mark. */
const WINDOW_MS = 10_000;
const MAX_LISTED = 50;

/** Number of the newest positions that a mark is made of. */
export const MARK_POSITIONS = MAX_LISTED + 1;
/**
 * Positions that are read first. Mostly fewer messages are in the window; 51 take 45 us longer with
 * SQLite.
 */
const FIRST_POSITIONS = 8;

const ULID = '[0-9a-hjkmnp-tv-z]{26}';
/** The last 10 characters of an id are 50 random bits. */
const TAIL = '[0-9a-hjkmnp-tv-z]{10}';
const MARK = new RegExp(`^1\\.(${TAIL})\\.(\\d{1,15})\\.(${ULID}|~)\\.((?:${TAIL})*)$`);
/** Sorts after every id. */
const AFTER_IDS = '~';
/** Later than any message. */
export const NEWEST: Position = {
  receivedAt: new Date('9999-12-31T23:59:59.999Z'),
  id: AFTER_IDS,
};

export interface Mark {
  mailboxId: string;
  /** Start of the window: this position and older ones are before the mark. */
  start: Position;
  /** Ends of the ids of the messages in the window. */
  listed: ReadonlySet<string>;
}

/** The mark that covers all messages that are visible now. */
export async function currentMark(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: Pick<MailboxRow, 'id'>,
): Promise<string> {
  return markOf(mailbox.id, await newestPositions(context, mailbox.id));
}

/** The newest visible messages, as many as a mark needs. */
async function newestPositions(
  context: Pick<Context, 'now' | 'store'>,
  mailboxId: string,
): Promise<Position[]> {
  const place = { mailboxId, now: new Date(context.now()), since: new Date(-1), ...NEWEST };
  const read = (limit: number) => context.store.read(messagePage, { ...place, limit });
  const first = await read(FIRST_POSITIONS);
  const last = first[FIRST_POSITIONS - 1];
  return last && isInWindow(last, first) ? read(MARK_POSITIONS) : first;
}

/**
 * @param newest the newest messages to cover, newest first: those of the window, or at least
 *   {@link MARK_POSITIONS}
 * @param floor covers this position and all older ones
 */
export function markOf(mailboxId: string, newest: Position[], floor?: Position): string {
  const within = newest.filter((position) => isInWindow(position, newest));
  const window = within[MAX_LISTED] ?? {
    receivedAt: new Date(Math.max(windowStart(newest), 0)),
    id: AFTER_IDS,
  };
  const start = floor && comparePositions(floor, window) > 0 ? floor : window;
  const listed = within.slice(0, MAX_LISTED).map(({ id }) => tailOf(id));
  const place = `${start.receivedAt.getTime()}.${start.id.slice(start.id.indexOf('_') + 1)}`;
  return Buffer.from(`1.${tailOf(mailboxId)}.${place}.${listed.join('')}`).toString('base64url');
}

/**
 * @throws {AppError} `invalid_request` for a mark that {@link markOf} did not create for this
 *   mailbox.
 */
export function decodeMark(mailbox: Pick<MailboxRow, 'id'>, text: string, name = 'mark'): Mark {
  const decoded = Buffer.from(text, 'base64url').toString('latin1');
  const [, mailboxTail, at = '', id = '', listed = ''] = MARK.exec(decoded) ?? [];
  if (id === '' || Buffer.from(decoded, 'latin1').toString('base64url') !== text) {
    throw new AppError('invalid_request', `"${name}" is not a valid mark.`);
  }
  if (mailboxTail !== tailOf(mailbox.id)) {
    throw new AppError('invalid_request', `"${name}" is a mark of another mailbox.`);
  }
  return {
    mailboxId: mailbox.id,
    start: { receivedAt: new Date(Number(at)), id: id === AFTER_IDS ? id : `msg_${id}` },
    listed: new Set(listed.match(new RegExp(TAIL, 'g')) ?? []),
  };
}

/** Whether a message was not visible when the mark was made. */
export function isAfterMark({ start, listed }: Mark, message: Position): boolean {
  return comparePositions(message, start) > 0 && !listed.has(tailOf(message.id));
}

/** The order of arrival: negative if `a` is older. */
export function comparePositions(a: Position, b: Position): number {
  const ms = a.receivedAt.getTime() - b.receivedAt.getTime();
  return ms === 0 ? (a.id < b.id ? -1 : Number(a.id > b.id)) : ms;
}

const tailOf = (id: string) => id.slice(-10);

/** Milliseconds since 1970. @param newest messages, newest first. */
function windowStart([newest]: Position[]): number {
  return (newest?.receivedAt.getTime() ?? -1) - WINDOW_MS;
}

function isInWindow({ receivedAt }: Position, newest: Position[]): boolean {
  return receivedAt.getTime() > windowStart(newest);
}
