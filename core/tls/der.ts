/** The types of DER (ITU-T X.690) that a certificate uses. */
import { isIPv4 } from 'node:net';

const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A value with its tag and length. */
export function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOctets(content.length)]), content]);
}

export const sequence = (...parts: Buffer[]) => tagged(TAG.sequence, ...parts);
export const set = (...parts: Buffer[]) => tagged(TAG.set, ...parts);
export const octetString = (content: Buffer) => tagged(TAG.octetString, content);
/** A bit string of whole octets. */
export const bitString = (content: Buffer) => tagged(TAG.bitString, Buffer.from([0]), content);
export const utf8String = (text: string) => tagged(TAG.utf8String, Buffer.from(text));
/** A non-negative integer from its octets, the most significant first. */
export const integer = (octets: Buffer) =>
  tagged(TAG.integer, (octets[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), octets]) : octets);

/** Has a two-digit year until 2049 (RFC 5280 section 4.1.2.5). */
export function time(at: Date): Buffer {
  const text = `${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return at.getUTCFullYear() < 2050
    ? tagged(TAG.utcTime, Buffer.from(text.slice(2)))
    : tagged(TAG.generalizedTime, Buffer.from(text));
}

/** @param dotted such as `2.5.4.3`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(TAG.objectIdentifier, Buffer.from([40 * first + second, ...rest.flatMap(base128)]));
}

/** The octets of an IP address. */
export function addressOctets(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  const hex = [...before, ...zeros, ...after].map((group) => group.padStart(4, '0'));
  return Buffer.from(hex.join(''), 'hex');
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets = length > 0xff ? [length >> 8, length & 0xff] : [length];
  return [0x80 | octets.length, ...octets];
}

function base128(value: number): number[] {
  const octets = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) octets.unshift((rest & 0x7f) | 0x80);
  return octets;
}
