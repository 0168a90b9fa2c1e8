/**
 * Signatures of deliveries after the Standard Webhooks specification (standardwebhooks.com, version
 * 1.0.0): HMAC-SHA256 over `id.timestamp.body` with the decoded secret. While a rotated secret is
 * still valid, there are two signatures, the one of the new secret first.
 */
import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

export interface Signed {
  /** The deduplication key: the message id, the same for every attempt. */
  id: string;
  /** Time of this attempt in milliseconds since 1970. */
  at: number;
  body: Buffer;
}

/** The three headers that a receiver verifies. @param secrets each `whsec_` and base64. */
export function signatureHeaders(secrets: string[], { id, at, body }: Signed) {
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
