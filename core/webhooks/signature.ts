/**
 * Signatures of deliveries after the Standard Webhooks specification (standardwebhooks.com, version
 * 1.0.0): HMAC-SHA256 over `id.timestamp.body` with the decoded secret. While a rotated secret is
 * still valid, there are two signatures, the one of the new secret first.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookRow } from '../../db/statements/webhooks.ts';
import { type Keyring, openSecret, sealSecret } from '../secrets/keyring.ts';

const SECRET_PREFIX = 'whsec_';
/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

export interface SignedContent {
  /** The deduplication key: the message id, the same for every attempt. */
  id: string;
  /** Time of this attempt in milliseconds since 1970. */
  at: number;
  body: Buffer;
}

/** The three headers that a receiver verifies. @param secrets each `whsec_` and base64. */
export function signatureHeaders(secrets: string[], { id, at, body }: SignedContent) {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest('base64'),
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}

/** A new secret, in plain text for its owner and sealed for the row of the webhook. */
export function newSecret(keyring: Keyring, webhookId: string): { secret: string; sealed: string } {
  const secret = `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
  return { secret, sealed: sealSecret(keyring, webhookId, secret) };
}

/** The secrets that are valid at `now`, newest first. @throws {Error} if one cannot be opened. */
export function signingSecrets(keyring: Keyring, webhook: WebhookRow, now: number): string[] {
  const { id, secret, previousSecret, previousSecretUntil } = webhook;
  const overlaps = previousSecretUntil !== null && previousSecretUntil.getTime() > now;
  const sealed = overlaps && previousSecret !== null ? [secret, previousSecret] : [secret];
  return sealed.map((one) => openSecret(keyring, id, one));
}
