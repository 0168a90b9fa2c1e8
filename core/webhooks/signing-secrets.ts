/** Signing secrets of webhooks: generated, sealed and rotated. */
import { randomBytes } from 'node:crypto';
import type { WebhookRow } from '../../db/statements/webhooks.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { openSecret, sealSecret } from '../secrets/seal.ts';

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A new secret, in plain text for its owner and sealed for the row of the webhook. */
export function newSecret(keyring: Keyring, webhookId: string): { secret: string; sealed: string } {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  return { secret, sealed: sealSecret(keyring, webhookId, secret) };
}

/** The secrets that are valid at `now`, newest first. @throws {Error} if one cannot be opened. */
export function signingSecrets(keyring: Keyring, webhook: WebhookRow, now: number): string[] {
  const { id, secret, previousSecret, previousSecretUntil } = webhook;
  const overlaps = previousSecretUntil !== null && previousSecretUntil.getTime() > now;
  const sealed = overlaps && previousSecret !== null ? [secret, previousSecret] : [secret];
  return sealed.map((one) => openSecret(keyring, id, one));
}
