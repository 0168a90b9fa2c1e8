/**
 * Identifiers: a type prefix and a lower-case ULID. A ULID begins with its time in milliseconds, so
 * ids sort by time; ids made in one process for the same millisecond still increase, which makes
 * (receivedAt, id) the order of arrival. They hold no `.` (reserved by Standard Webhooks) and no `:`
 * (reserved by BullMQ).
 */
import { randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';

const prefixes = {
  workspace: 'wsp',
  token: 'tok',
  mailbox: 'mbx',
  smtpCredential: 'smc',
  mail: 'mal',
  message: 'msg',
  attachment: 'att',
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

/** How far back a time may lie and still continue the sequence; beyond it the clock was set back. */
const SEQUENCE_SPAN_MS = 1000;

let sequence = monotonicFactory(fraction);
let latest = 0;

function nextUlid(at: number): string {
  if (at < latest - SEQUENCE_SPAN_MS) sequence = monotonicFactory(fraction);
  latest = at;
  return sequence(at);
}

/** A new id of the given kind; `at` (ms since 1970) is the time it sorts by, now when left out. */
export function newId(kind: keyof typeof prefixes, at: number = Date.now()): string {
  return `${prefixes[kind]}_${nextUlid(at).toLowerCase()}`;
}

/** Sorts before all ids of the kind made at this time, and after those made before. */
export function firstId(kind: keyof typeof prefixes, at: number): string {
  return `${prefixes[kind]}_${encodeTime(at).toLowerCase()}`;
}

/** A lower-case ULID on its own, for {@link sentMailIds} and for what must be the same when repeated. */
export function newSeed(at: number): string {
  return nextUlid(at).toLowerCase();
}

export function mailboxIdFrom(seed: string): string {
  return `${prefixes.mailbox}_${seed}`;
}

/** The ids of a sent mail, all from one seed: with the message's id at hand the mail is found too. */
export function sentMailIds(seed: string) {
  return {
    ingestId: `${prefixes.ingest}_${seed}`,
    mailId: `${prefixes.mail}_${seed}`,
    messageId: `${prefixes.message}_${seed}`,
  };
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
