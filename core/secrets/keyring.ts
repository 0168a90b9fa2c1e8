/**
 * The keyring for all secrets at rest. `ENCRYPTION_KEYS` lists `id:base64` pairs, newest first: the
 * newest key protects new data, and every key verifies data written under it. Each use has its own
 * derived key (HKDF, RFC 5869), so no key serves two purposes.
 */
import {
  createHmac,
  hkdfSync,
  randomBytes,
  randomInt,
  createCipheriv,
  createDecipheriv,
} from 'node:crypto';

const KEY_BYTES = 32;

export interface MasterKey {
  readonly id: string;
  readonly secret: Buffer;
}

/** At least one key, newest first. */
export type Keyring = readonly [MasterKey, ...MasterKey[]];

const derivedKeys = new WeakMap<MasterKey, Map<string, Buffer>>();

/**
 * Parses `id:base64,id:base64`, newest first.
 * @throws {Error} with a message that contains no key material.
 */
export function parseKeyring(text: string): Keyring {
  const keys = text.split(',').map((entry) => parseKey(entry.trim()));
  if (new Set(keys.map((key) => key.id)).size !== keys.length) {
    throw new Error('must not contain a key id twice');
  }
  return keys as [MasterKey, ...MasterKey[]];
}

/** Generates a keyring of one key, in the format of {@link parseKeyring}. */
export function generateKeyring(): string {
  return `k${Date.now().toString(36)}:${randomBytes(KEY_BYTES).toString('base64')}`;
}

/**
 * Derives a 32-byte key for one purpose. Cached, because the derivation takes longer than its use.
 */
export function deriveKey(key: MasterKey, purpose: string): Buffer {
  const keys = derivedKeys.get(key) ?? new Map<string, Buffer>();
  derivedKeys.set(key, keys);
  const known = keys.get(purpose);
  if (known) return known;
  const info = `mayfly/${purpose}`;
  const derived = Buffer.from(hkdfSync('sha256', key.secret, '', info, KEY_BYTES));
  keys.set(purpose, derived);
  return derived;
}

/** HMAC-SHA-256 of `text` under the derived key for `purpose`. */
export function keyedHash(key: MasterKey, purpose: string, text: string): Buffer {
  return createHmac('sha256', deriveKey(key, purpose)).update(text).digest();
}

/** Cryptography of tokens, part of the context so that a test can make it fail. */
export interface Cryptography {
  /** A random integer from 0 to `max` - 1. */
  readonly randomInt: (max: number) => number;
  readonly keyedHash: typeof keyedHash;
}

export const nodeCryptography: Cryptography = {
  randomInt: (max) => randomInt(max),
  keyedHash,
};

function parseKey(entry: string): MasterKey {
  const match = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(entry);
  if (!match?.[1] || !match[2]) {
    throw new Error('must be a list of ID:KEY, newest first, each KEY being 32 bytes in base64');
  }
  return { id: match[1], secret: Buffer.from(match[2], 'base64') };
}

const IV_BYTES = 12;
const PURPOSE = 'secret';

/**
 * Seals a secret at rest: AES-256-GCM under the newest key of the ring, bound to the row, so that a
 * sealed secret copied to another row cannot be opened. Stored as `keyId.iv.ciphertext.tag`,
 * base64url.
 * @param owner id of the row with the secret.
 */
export function sealSecret([key]: Keyring, owner: string, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(key, PURPOSE), iv).setAAD(
    Buffer.from(owner),
  );
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  const parts = [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [key.id, ...parts].join('.');
}

/** @throws {Error} if the keyring lacks the key, or the sealed secret was modified. */
export function openSecret(keyring: Keyring, owner: string, sealed: string): string {
  const [keyId, ...parts] = sealed.split('.');
  const key = keyring.find(({ id }) => id === keyId);
  if (!key) throw new Error(`no key ${keyId ?? ''} in the keyring`);
  const [iv, ciphertext, tag] = parts.map((part) => Buffer.from(part, 'base64url'));
  if (!iv || !ciphertext || !tag) throw new Error('not a sealed secret');
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(key, PURPOSE), iv)
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
}
