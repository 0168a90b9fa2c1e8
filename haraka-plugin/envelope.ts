import type { ByteBudget } from '../core/limits/byte-budget.js';
import type { MailRecipient } from '../core/ingest/recipient-messages.js';
import type { DataRate } from './limits/data-rate.js';
import { RawSink } from './raw-sink.js';

export interface RefusedRecipients {
  count: number;
  /** The address that was refused last. */
  last: string | null;
}

export interface Refusal {
  /** The SMTP reply code. */
  readonly code: number;
  /** As `mayfly_smtp_refusals_total` names it. */
  readonly reason: string;
}

/**
 * A mailbox that catches mail: the one of the credential that the client has logged in with, or CATCH_ALL_MAILBOX, which
 * catches only what would be refused.
 */
export type Catcher =
  | { kind: 'credential'; mailboxId: string; domain: string }
  | {
      kind: 'catch-all';
      mailbox: string;
      domain: string;
      /** Whether mail of a client with this address is caught. */
      isFor: (address: string) => boolean;
    };

/** What we hold about one mail between MAIL and the answer to its final dot. */
export interface Envelope {
  readonly sink: RawSink;
  /** Of the connection. */
  readonly dataRate: DataRate | undefined;
  /** Those that were answered with 250. */
  readonly recipients: MailRecipient[];
  /** Who gets what is addressed to nobody of the sender's workspace; null where nobody does. */
  readonly catcher: Catcher | null;
  /** Whether MAIL asked for SMTPUTF8 (RFC 6531). */
  readonly allowsUtf8: boolean;
  /** Recipients that were refused since there are too many. */
  overshoot: number;
  readonly refusedRecipients: RefusedRecipients;
  /** The last refusal of anything in this mail. */
  refusal: Refusal | null;
  /** When MAIL was read (monotonic milliseconds). */
  readonly begunAt: number;
  /** Whether DATA has begun. */
  hasData: boolean;
  /** When the final dot was read (monotonic milliseconds). */
  endedAt: number | null;
  /** Set once the mail is queued. */
  ingestId: string | null;
}

/** Turns a new transaction's bytes to a sink of our own. */
export function beginEnvelope(
  transaction: Haraka.Transaction,
  byteBudget: ByteBudget,
  dataRate: DataRate | undefined,
  allowsUtf8: boolean,
  catcher: Catcher | null,
): Envelope {
  const sink = new RawSink(byteBudget);
  const envelope: Envelope = {
    sink,
    dataRate,
    recipients: [],
    allowsUtf8,
    catcher,
    overshoot: 0,
    refusedRecipients: { count: 0, last: null },
    refusal: null,
    begunAt: performance.now(),
    hasData: false,
    endedAt: null,
    ingestId: null,
  };
  transaction.notes.mayfly = envelope;
  transaction.message_stream = sink;
  return envelope;
}

/** The envelope of the connection's transaction. */
export function envelopeOf(connection: Haraka.Connection): Envelope | undefined {
  return connection.transaction?.notes.mayfly;
}
