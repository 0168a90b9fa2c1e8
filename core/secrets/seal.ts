/**
 * Seals secrets at rest: AES-256-GCM under the newest key of the ring, bound to the row, so that a
 * sealed secret copied to another row cannot be opened. Stored as `keyId.iv.ciphertext.tag`,
 * base64url.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type Keyring, deriveKey } from './keyring.ts';

const IV_BYTES = 12;
const PURPOSE = 'secret';

/** @param owner id of the row with the secret. */
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
