/** Header fields that a caller adds to a mail that it sends. */
import { addressFaults, foreignAddressFault } from '../addresses.ts';
import { AppError } from '../errors.ts';

/** RFC 5322 section 3.6.8. */
const NAME = /^[!-9;-~]{1,76}$/;
/** Fields that a send request has in other places, or that describe the mail and its way. */
const REFUSED = new Set([
  ...['from', 'sender', 'reply-to', 'to', 'cc', 'bcc', 'return-path', 'delivered-to'],
  ...['subject', 'date', 'message-id', 'mime-version', 'received', 'authentication-results'],
]);
const REFUSED_GROUP = /^(?:content|resent)-/;

/**
 * @throws {AppError} `unprocessable` for a name that is no field name or not for the caller to set,
 *   a name that is given twice, or a value with a line break.
 */
export function requireCustomHeaders(headers: Record<string, string>): void {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    const shown = JSON.stringify(name.slice(0, 76));
    if (!NAME.test(name)) {
      reject(`${shown} in "headers" is not the name of a header field`);
    }
    if (REFUSED.has(key) || REFUSED_GROUP.test(key)) {
      reject(
        `"headers" must not contain ${shown}: Mayfly sets the fields about addresses, subject, content and way of a mail. Use the fields of the request`,
      );
    }
    if (names.has(key)) reject(`"headers" contains ${shown} twice`);
    names.add(key);
    requireOneLine(`headers/${name}`, value);
    if (value.trim() === '') reject(`"headers/${name}" must not be empty`);
  }
}

/**
 * @returns the addresses without blanks around them
 * @throws {AppError} `unprocessable` for one that is malformed.
 */
export function requireAddresses(field: string, addresses: string[]): string[] {
  return addresses.map((given) => {
    const address = given.trim();
    const fault = foreignAddressFault(address);
    if (fault === null) return address;
    const shown = JSON.stringify(address.slice(0, 320));
    const text = /[<>]/.test(address)
      ? 'give the address alone, without a name'
      : addressFaults[fault];
    return reject(`Invalid address ${shown} in "${field}": ${text}`);
  });
}

/** Line breaks have no meaning in header values and usually indicate a bug of the caller. */
export function requireOneLine(field: string, value: string): void {
  if (/[\r\n\0]/.test(value)) reject(`"${field}" must not contain line breaks or NUL characters`);
}

function reject(fault: string): never {
  throw new AppError('unprocessable', `${fault}. Nothing was sent.`);
}
