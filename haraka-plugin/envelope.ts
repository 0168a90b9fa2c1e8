import type { ByteBudget } from '../core/limits/byte-budget.ts';
import type { ReceivingMailbox } from '../core/directory/recipients.ts';
import type { MailRecipient } from '../core/intake/accepted-mail.ts';
import type { DataRate } from './limits.ts';
import { RawSink } from './raw-sink.ts';

export interface RefusedRecipients {
  count: number;
  /** The last rejected address. */
  last: string | null;
}

export interface RecipientRefusal {
  /** SMTP reply code. */
  readonly code: number;
  /** Label of `mayfly_smtp_refusals_total`. */
  readonly reason: string;
}

/**
 * A mailbox that catches mail: the one of the credential with which the client has logged in, or
 * CATCH_ALL_MAILBOX, which catches only mail that would be rejected.
 */
export type Catcher =
  | {
      kind: 'credential';
      receiver: ReceivingMailbox;
      domain: string;
      /** Expiry of the mailbox in milliseconds since 1970, or null. */
      expiresAt: number | null;
    }
  | {
      kind: 'catch-all';
      mailbox: string;
      domain: string;
      /** Whether mail of a client with this address is caught. */
      isFor: (address: string) => boolean;
    };

/** The state of one mail between MAIL and the reply to its final dot. */
export interface Envelope {
  readonly sink: RawSink;
  /** Data rate of the connection. */
  readonly dataRate: DataRate | undefined;
  /** Accepted recipients. */
  readonly recipients: (MailRecipient & ReceivingMailbox)[];
  /** The tags of accepted recipients, by mailbox id. */
  readonly tags: Map<string, Set<string>>;
  /** Catches mail for addresses without a mailbox in the workspace; null if none does. */
  readonly catcher: Catcher | null;
  /** Whether MAIL requested SMTPUTF8 (RFC 6531). */
  readonly allowsUtf8: boolean;
  /** Number of recipients rejected because of SMTP_MAX_RCPT or SMTP_MAX_TAGS. */
  overshoot: number;
  readonly refusedRecipients: RefusedRecipients;
  /** The last rejection within this mail. */
  refusal: RecipientRefusal | null;
  /** Time of MAIL (monotonic milliseconds). */
  readonly begunAt: number;
  /** Whether DATA has started. */
  hasData: boolean;
  /** Time of the final dot (monotonic milliseconds). */
  endedAt: number | null;
  /** Set once the mail is queued. */
  ingestId: string | null;
}

/** Starts an envelope and redirects the bytes of the transaction to a sink. */
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
    tags: new Map(),
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

export function addRecipient(
  { recipients, tags }: Envelope,
  recipient: Envelope['recipients'][number],
): void {
  recipients.push(recipient);
  const { mailboxId, tag } = recipient;
  if (tag === null) return;
  const known = tags.get(mailboxId);
  if (known) known.add(tag);
  else tags.set(mailboxId, new Set([tag]));
}

/** The envelope of the current transaction. */
export function envelopeOf(connection: Haraka.Connection): Envelope | undefined {
  return connection.transaction?.notes.mayfly;
}
