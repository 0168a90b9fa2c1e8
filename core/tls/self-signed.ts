/**
 * Creates self-signed certificates (RFC 5280). Node.js has no function for it, and a library brings
 * about twenty packages.
 */
import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import {
  addressOctets,
  bitString,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  time,
  utf8String,
} from './der.ts';

const COMMON_NAME = '2.5.4.3';
const SUBJECT_ALT_NAME = '2.5.29.17';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
/** Context-specific tags of RFC 5280 section 4.1 and 4.2.1.6. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const VERSION_3 = 2;
const SERIAL_BYTES = 16;

const YEARS = 10;
/** Accepts clients whose clock is late. */
const BACKDATE_MS = 86_400_000;

export interface PemPair {
  cert: string;
  key: string;
}

/** @param names host names and IP addresses; the first is the common name. */
export function makeSelfSigned(names: [string, ...string[]], now = new Date()): PemPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = sequence(objectIdentifier(ECDSA_WITH_SHA256));
  const until = new Date(now);
  until.setUTCFullYear(now.getUTCFullYear() + YEARS);
  const name = sequence(
    set(sequence(objectIdentifier(COMMON_NAME), utf8String(names[0].slice(0, 64)))),
  );
  const alternatives = names.map((each) =>
    isIP(each) === 0
      ? tagged(DNS_NAME, Buffer.from(each))
      : tagged(IP_ADDRESS, addressOctets(each)),
  );
  const body = sequence(
    tagged(VERSION, integer(Buffer.from([VERSION_3]))),
    integer(serialNumber()),
    algorithm,
    name,
    sequence(time(new Date(now.getTime() - BACKDATE_MS)), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      EXTENSIONS,
      sequence(
        sequence(objectIdentifier(SUBJECT_ALT_NAME), octetString(sequence(...alternatives))),
      ),
    ),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  return {
    cert: toPem('CERTIFICATE', sequence(body, algorithm, bitString(signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A positive number without leading zeros (RFC 5280 section 4.1.2.2). */
function serialNumber(): Buffer {
  const octets = randomBytes(SERIAL_BYTES);
  octets[0] = ((octets[0] ?? 0) & 0x7f) | 0x40;
  return octets;
}

function toPem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
