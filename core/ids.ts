/**
 * Identifiers: a type prefix and a lower-case ULID. A ULID begins with its time in milliseconds, so
 * ids sort by time; ids made in one process for the same millisecond still increase, which makes
 * (receivedAt, id) the order of arrival. They hold no `.` (reserved by Standard Webhooks) and no `:`
 * (reserved by BullMQ).
 */
import { randomFillSync } from 'node:crypto';
import { decodeTime, monotonicFactory } from 'ulid';

const prefixes = {
  workspace: 'wsp',
  token: 'tok',
  mailbox: 'mbx',
  mail: 'mal',
  message: 'msg',
  attachment: 'att',
  ingest: 'ing',
  blobs: 'blb',
  request: 'req',
} as const;

const ULID_LENGTH = 26;

const random = new Uint8Array(4096);
let used = random.length;

/** A byte of randomness as a fraction; drawn in bulk, since ulid asks for each character alone. */
function fraction(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return (random[used++] ?? 0) / 256;
}

const nextUlid = monotonicFactory(fraction);

/** A new id of the given kind; `at` (ms since 1970) is the time it sorts by, now when left out. */
export function newId(kind: keyof typeof prefixes, at: number = Date.now()): string {
  return `${prefixes[kind]}_${nextUlid(at).toLowerCase()}`;
}

/**
 * The id of the mail that was given one ULID with this message: a sent mail shares its first recipient's,
 * so that the one id the sender knows leads to it in every recipient's mailbox.
 */
export function sharedMailId(messageId: string): string {
  return `${prefixes.mail}${messageId.slice(prefixes.message.length)}`;
}

/** The time, in ms since 1970, an id made by {@link newId} sorts by; so do those derived from one. */
export function idTime(id: string): number {
  return decodeTime(
    id
      .slice(id.indexOf('_') + 1)
      .slice(0, ULID_LENGTH)
      .toUpperCase(),
  );
}
