/**
 * Creates self-signed certificates (RFC 5280). Node.js has no function for it, and a library brings
 * about twenty packages.
 */
import { createSign, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
import type { TlsFiles } from '../config/smtp.ts';

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

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

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
        sequence(
          objectIdentifier(SUBJECT_ALT_NAME),
          octetString(sequence(Buffer.concat(alternatives))),
        ),
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

/**
 * Creates certificate and key if a file is missing. Renaming their folder publishes both at once,
 * so processes that start concurrently use the same pair.
 * @param hostname the common name
 */
export function ensureSelfSigned({ certFile, keyFile }: TlsFiles, hostname: string): void {
  if (existsSync(certFile) && existsSync(keyFile)) return;
  const folder = dirname(certFile);
  const made = `${folder}.${randomBytes(6).toString('hex')}`;
  mkdirSync(made, { recursive: true, mode: 0o700 });
  try {
    const { cert, key } = makeSelfSigned([hostname, ...LOCAL_NAMES]);
    writeFileSync(join(made, basename(keyFile)), key, { mode: 0o600, flush: true });
    writeFileSync(join(made, basename(certFile)), cert, { mode: 0o644, flush: true });
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(certFile) || !existsSync(keyFile)) throw error;
  }
}

/** The SHA-256 fingerprint of a certificate, `AB:CD:...`; null if the file does not exist. */
export function certificateFingerprint(certFile: string): string | null {
  try {
    return new X509Certificate(readFileSync(certFile)).fingerprint256;
  } catch {
    return null;
  }
}
