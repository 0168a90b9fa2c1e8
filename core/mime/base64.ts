/** Decodes base64 (RFC 4648 section 4) that is not well-formed, in linear time. */

const EQUALS = 0x3d;
/** Digits of base64url (RFC 4648 section 5), which the platform reads as well. */
const URL_DIGITS = ['-', '_'];

/** The value of each digit; -1 for other bytes. */
export const BASE64_DIGITS = new Int8Array(256).fill(-1);
for (const [digit, char] of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  .split('')
  .entries()) {
  BASE64_DIGITS[char.charCodeAt(0)] = digit;
}

/** What may follow the first padding of one encoded text. */
const ONLY_PADDING = /^[=\s]*$/;

/**
 * Other characters than digits are ignored. Padding inside the text ends one encoded text and
 * begins another (RFC 2045 section 6.8).
 */
export function decodeBase64(bytes: Buffer): Buffer {
  const padding = bytes.indexOf(EQUALS);
  const isOrdinary =
    (padding < 0 || ONLY_PADDING.test(bytes.toString('latin1', padding))) &&
    !URL_DIGITS.some((digit) => bytes.includes(digit));
  return isOrdinary ? Buffer.from(bytes.toString('latin1'), 'base64') : decodeDigits(bytes);
}

function decodeDigits(bytes: Buffer): Buffer {
  const decoded = Buffer.alloc(bytes.length);
  let written = 0;
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    const digit = BASE64_DIGITS[byte] ?? -1;
    if (byte === EQUALS) bits = 0;
    if (digit < 0) continue;
    pending = ((pending << 6) | digit) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    decoded[written] = pending >> bits;
    written += 1;
  }
  return decoded.subarray(0, written);
}
