/**
 * Identifiers: a type prefix and a lower-case ULID. A ULID starts with its time in milliseconds, so
 * ids sort by time. Ids of one process for the same millisecond are increasing, so (receivedAt, id)
 * is the order of arrival. They contain no `.` (reserved by Standard Webhooks) and no `:` (reserved
 * by BullMQ).
 */
import { createHash, randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';

const prefixes = {
  workspace: 'wsp',
  token: 'tok',
  mailbox: 'mbx',
  smtpCredential: 'smc',
  mail: 'mal',
  message: 'msg',
  attachment: 'att',
  thread: 'thr',
  claim: 'clm',
  webhook: 'whk',
  delivery: 'dlv',
  attempt: 'atm',
  lease: 'lse',
  testMessage: 'test',
  ingest: 'ing',
  blobs: 'blb',
  request: 'req',
  instance: 'ins',
} as const;

const ULID_LENGTH = 26;
/** Characters of a ULID that are its time. */
const TIME_LENGTH = 10;
const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';

const random = new Uint8Array(4096);
let used = random.length;

/**
 * A random byte as a fraction. Bytes are drawn in bulk, because ulid requests one per character.
 */
function fraction(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return (random[used++] ?? 0) / 256;
}

/** An earlier time within this span continues the sequence; beyond it the clock was set back. */
const SEQUENCE_SPAN_MS = 1000;

let sequence = monotonicFactory(fraction);
let latest = 0;

function nextUlid(at: number): string {
  if (at < latest - SEQUENCE_SPAN_MS) sequence = monotonicFactory(fraction);
  latest = at;
  return sequence(at);
}

/** Returns a new id; `at` (ms since 1970) is the time it sorts by, by default now. */
export function newId(kind: keyof typeof prefixes, at: number = Date.now()): string {
  return `${prefixes[kind]}_${nextUlid(at).toLowerCase()}`;
}

/** Sorts before all ids of the kind created at this time, and after all earlier ones. */
export function firstId(kind: keyof typeof prefixes, at: number): string {
  return `${prefixes[kind]}_${encodeTime(at).toLowerCase()}`;
}

/** A lower-case ULID without prefix, for {@link sentMailIds} and other repeatable ids. */
export function newSeed(at: number): string {
  return nextUlid(at).toLowerCase();
}

export function mailboxIdFrom(seed: string): string {
  return `${prefixes.mailbox}_${seed}`;
}

/**
 * The ids of a sent mail, all derived from one seed, so the mail can be found by the id of its
 * message.
 */
export function sentMailIds(seed: string) {
  return {
    ingestId: `${prefixes.ingest}_${seed}`,
    mailId: `${prefixes.mail}_${seed}`,
    messageId: `${prefixes.message}_${seed}`,
  };
}

/**
 * The ids of the claims of one request, all derived from its seed: the first 24 characters of their
 * ULIDs are the same.
 * @param count at most 1,024
 */
export function claimIds(seed: string, count: number): string[] {
  const bits = createHash('sha256').update(seed).digest();
  const shared = seed.slice(0, TIME_LENGTH) + base32(bits, ULID_LENGTH - TIME_LENGTH - 2);
  return Array.from(
    { length: count },
    (_, n) => `${prefixes.claim}_${shared}${BASE32.charAt(n >> 5)}${BASE32.charAt(n & 31)}`,
  );
}

/** The same for all messages of a mailbox with this first mail of their thread. */
export function threadIdOf(mailboxId: string, root: string): string {
  const bits = createHash('sha256').update(`${mailboxId} ${root}`).digest();
  return `${prefixes.thread}_${base32(bits, ULID_LENGTH)}`;
}

function base32(bytes: Buffer, length: number): string {
  return Array.from(bytes.subarray(0, length), (byte) => BASE32.charAt(byte & 31)).join('');
}

/**
 * The mail id that shares its ULID with this message. A sent mail shares that of its first
 * recipient, so the one id that the sender knows resolves in the mailbox of every recipient.
 */
export function sharedMailId(messageId: string): string {
  return `${prefixes.mail}${messageId.slice(prefixes.message.length)}`;
}

/** The time, in ms since 1970, that an id of {@link newId} or an id derived from one sorts by. */
export function idTime(id: string): number {
  return decodeTime(
    id
      .slice(id.indexOf('_') + 1)
      .slice(0, ULID_LENGTH)
      .toUpperCase(),
  );
}
