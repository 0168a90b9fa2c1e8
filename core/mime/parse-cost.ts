/**
 * What parsing a mail costs at most, estimated from its bytes before it is parsed. The coefficients
 * are the worst ones of the hostile mails of `test/long mime-fuzz`, within the limits of
 * `INLINE_LIMITS`: docs/benchmarks.md.
 */

/** In one turn of the event loop of a worker. */
export const INLINE_MS = 40;

/** Text in the slowest character sets. */
const MS_A_BYTE = 32e-6;
/** Lines of dashes in a multipart. */
const MS_A_LINE = 200e-6;
/** Addresses with names in encoded words. */
const MS_A_HEADER_BYTE = 600e-6;

const LF = 0x0a;
const CR = 0x0d;

/**
 * The milliseconds of one core that parsing takes at most, apart from the speed of the machine.
 * Takes about 1 ms for 1 MiB.
 */
export function parseCost(raw: Buffer): number {
  let lines = 0;
  let headerBytes = -1;
  let lineStart = 0;
  for (let at = 0; at < raw.length; at += 1) {
    if (raw[at] !== LF) continue;
    lines += 1;
    // A header ends at the first line that is empty or has a carriage return only.
    if (headerBytes < 0) {
      const end = raw[at - 1] === CR ? at - 1 : at;
      if (end <= lineStart) headerBytes = lineStart;
    }
    lineStart = at + 1;
  }
  if (headerBytes < 0) headerBytes = raw.length;
  return raw.length * MS_A_BYTE + lines * MS_A_LINE + headerBytes * MS_A_HEADER_BYTE;
}
