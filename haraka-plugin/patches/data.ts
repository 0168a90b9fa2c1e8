/** Patches of how a mail is read after DATA. */
import constants from 'haraka-constants';
import { envelopeOf } from '../envelope.ts';
import { beginData, endData } from '../limits.ts';
import type { RawSink } from '../raw-sink.ts';
import { bareLineFeed, replyText } from '../replies.ts';
import { replaceMethod } from './replace-method.ts';

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;

/**
 * Passes the bytes of a mail to its {@link RawSink} instead of Haraka's transaction, which decodes
 * and changes them.
 */
export function collectRawBytes(haraka: Haraka.Patchable<'transaction'>): void {
  replaceMethod(haraka, 'transaction', 'add_data', 1, (add) => {
    return function (line) {
      const { notes } = this;
      const { mayfly: envelope } = notes;
      if (!envelope) {
        add.call(this, line);
      } else if (typeof line === 'string') {
        envelope.hasData = true;
        if (envelope.dataRate) beginData(envelope.dataRate, performance.now());
        envelope.sink.addTrace(line);
      } else {
        const isCut = notes.data_line_length_exceeded === true;
        if (isCut) notes.data_line_length_exceeded = false;
        envelope.sink.addLine(line, isCut);
      }
    };
  });

  replaceMethod(haraka, 'transaction', 'end_data', 1, (end) => {
    return function (done) {
      const { mayfly: envelope } = this.notes;
      if (!envelope) {
        end.call(this, done);
        return;
      }
      envelope.endedAt = performance.now();
      if (envelope.dataRate) endData(envelope.dataRate, envelope.endedAt);
      done();
    };
  });
}

/**
 * Rejects lines of DATA that end in a bare LF, which enable SMTP smuggling. Haraka also rejects
 * them, but with 451, and clients retry after 451 for days.
 */
export function refuseBareLineFeeds(haraka: Haraka.Patchable<'connection'>): void {
  replaceMethod(haraka, 'connection', 'accumulate_data', 1, (take) => {
    return function (line) {
      if (line.at(-1) === LF && line.at(-2) !== CR) {
        this.respond(554, replyText(bareLineFeed), () => {
          this.disconnect();
        });
      } else {
        take.call(this, line);
      }
    };
  });
}

/**
 * Input that follows the final dot waits for its reply, like other pipelined input (RFC 2920
 * section 3.1). Haraka sets this member between both, and refuses such input with 503 if it is set:
 * its end of DATA might not be that of the client. Here it is, because only CRLF ends a line.
 */
export function holdInputAfterData({ connection }: Haraka.Patchable<'connection'>): void {
  Object.defineProperty(connection, 'awaiting_data_reply', {
    get: () => false,
    set() {
      // Haraka sets it between the final dot and the reply.
    },
  });
}

/**
 * Haraka splits DATA into lines with two new Buffers each, which dominates the cost of large mail.
 * This patch passes ordinary body lines to the sink in bulk. A line is ordinary if it ends in CRLF
 * and does not start with a dot. All other input (the final dot, dot-stuffed lines, a bare LF,
 * partial lines) goes through Haraka, so the end of a mail is still detected in one place.
 */
export function readBodiesInBulk(haraka: Haraka.Patchable<'connection'>): void {
  replaceMethod(haraka, 'connection', 'process_data', 1, (readByLine) => {
    return function (data) {
      let rest = data;
      if (bodyOf(this) && hasHalfLine(this)) {
        const end = rest.indexOf(LF) + 1;
        if (end > 0) {
          readByLine.call(this, rest.subarray(0, end));
          rest = rest.subarray(end);
        }
      }
      const body = bodyOf(this);
      if (body && !hasHalfLine(this)) {
        const end = ordinaryLinesEnd(rest);
        if (end > 0) {
          body.addBodyLines(rest.subarray(0, end));
          rest = rest.subarray(end);
        }
      }
      if (rest.length > 0) readByLine.call(this, rest);
    };
  });
}

/** Returns the end of the leading ordinary lines. */
export function ordinaryLinesEnd(bytes: Buffer): number {
  let end = 0;
  while (bytes[end] !== DOT) {
    const lf = bytes.indexOf(LF, end);
    if (lf <= end || bytes[lf - 1] !== CR) return end;
    end = lf + 1;
  }
  return end;
}

/** The sink of the mail, if its body is being read. */
function bodyOf(connection: Haraka.Connection): RawSink | null {
  if (connection.state !== constants.connection.state.DATA) return null;
  const sink = envelopeOf(connection)?.sink;
  return sink?.isInBody ? sink : null;
}

function hasHalfLine({ current_data }: Haraka.Connection): boolean {
  return current_data !== null && current_data.length > 0;
}
