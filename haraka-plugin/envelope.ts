import type { MessageToStore } from '../core/ingest.js';
import { RawSink } from './raw-sink.js';

/** A recipient that was answered with 250. */
export type AcceptedRecipient = Omit<MessageToStore, 'id'>;

/** What we hold about one mail between MAIL and the answer to its final dot. */
export interface Envelope {
  readonly sink: RawSink;
  readonly recipients: AcceptedRecipient[];
  /** When DATA began, in ms since 1970. */
  dataSince: number | null;
  /** Whether the final dot has been read. */
  isWhole: boolean;
  /** Set once the mail is queued. */
  ingestId: string | null;
}

/** Turns a new transaction's bytes to a sink of our own. */
export function beginEnvelope(transaction: Haraka.Transaction, now: () => number): Envelope {
  const { notes } = transaction;
  const sink = new RawSink();
  const envelope: Envelope = {
    sink,
    recipients: [],
    dataSince: null,
    isWhole: false,
    ingestId: null,
  };
  notes.mayfly = envelope;
  transaction.message_stream = sink;
  transaction.add_data = (line) => {
    if (typeof line === 'string') {
      envelope.dataSince = now();
      sink.addTrace(line);
      return;
    }
    const isCut = notes.data_line_length_exceeded === true;
    if (isCut) notes.data_line_length_exceeded = false;
    sink.addLine(line, isCut);
  };
  transaction.end_data = (done) => {
    envelope.isWhole = true;
    done();
  };
  return envelope;
}

/** The envelope of the connection's transaction. */
export function envelopeOf(connection: Haraka.Connection): Envelope | undefined {
  return connection.transaction?.notes.mayfly;
}
