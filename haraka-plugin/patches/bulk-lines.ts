/**
 * Haraka splits DATA into lines with two new Buffers each, which dominates the cost of large mail.
 * This patch passes ordinary body lines to the sink in bulk. A line is ordinary if it ends in CRLF
 * and does not start with a dot. All other input (the final dot, dot-stuffed lines, a bare LF,
 * partial lines) goes through Haraka, so the end of a mail is still detected in one place.
 */
import constants from 'haraka-constants';
import { envelopeOf } from '../envelope.ts';
import type { RawSink } from '../raw-sink.ts';
import { replaceMethod } from './replace-method.ts';

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;

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
