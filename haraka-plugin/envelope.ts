import type { ByteRoom } from '../core/byte-room.js';
import type { MessageToStore } from '../core/ingest.js';
import { type Pace, beginData, endData } from './pace.js';
import { RawSink } from './raw-sink.js';

/** A recipient that was answered with 250. */
export type AcceptedRecipient = Omit<MessageToStore, 'id'>;

/** What we hold about one mail between MAIL and the answer to its final dot. */
export interface Envelope {
  readonly sink: RawSink;
  readonly recipients: AcceptedRecipient[];
  /** Whether MAIL asked for SMTPUTF8 (RFC 6531). */
  readonly allowsUtf8: boolean;
  /** Recipients that were refused since there are too many. */
  overshoot: number;
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
  room: ByteRoom,
  pace: Pace | undefined,
  allowsUtf8: boolean,
): Envelope {
  const { notes } = transaction;
  const sink = new RawSink(room);
  const envelope: Envelope = {
    sink,
    recipients: [],
    allowsUtf8,
    overshoot: 0,
    hasData: false,
    endedAt: null,
    ingestId: null,
  };
  notes.mayfly = envelope;
  transaction.message_stream = sink;
  transaction.add_data = (line) => {
    if (typeof line === 'string') {
      envelope.hasData = true;
      if (pace) beginData(pace, performance.now());
      sink.addTrace(line);
      return;
    }
    const isCut = notes.data_line_length_exceeded === true;
    if (isCut) notes.data_line_length_exceeded = false;
    sink.addLine(line, isCut);
  };
  transaction.end_data = (done) => {
    envelope.endedAt = performance.now();
    if (pace) endData(pace, envelope.endedAt);
    done();
  };
  return envelope;
}

/** The envelope of the connection's transaction. */
export function envelopeOf(connection: Haraka.Connection): Envelope | undefined {
  return connection.transaction?.notes.mayfly;
}
