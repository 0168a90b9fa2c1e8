import { BASE64_DIGITS } from './base64.ts';

const PLUS = 0x2b;
const DASH = 0x2d;

/** UTF-7 (RFC 2152) writes UTF-16 in base64 between `+` and the first byte that is no digit. */
export function decodeUtf7(bytes: Buffer): string {
  const units = new Uint16Array(bytes.length);
  let written = 0;
  let pending = 0;
  let bits = 0;
  let isShifted = false;
  for (const [at, byte] of bytes.entries()) {
    const digit = BASE64_DIGITS[byte] ?? -1;
    if (!isShifted) {
      isShifted = byte === PLUS;
      bits = 0;
      if (!isShifted) units[written++] = byte;
    } else if (digit >= 0) {
      pending = ((pending << 6) | digit) & 0x3f_ffff;
      bits += 6;
      if (bits < 16) continue;
      bits -= 16;
      units[written++] = pending >> bits;
    } else {
      isShifted = false;
      if (byte !== DASH) units[written++] = byte;
      else if (bytes[at - 1] === PLUS) units[written++] = PLUS;
    }
  }
  return Buffer.from(units.buffer, 0, 2 * written).toString('utf16le');
}
