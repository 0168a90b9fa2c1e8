import { createHmac } from 'node:crypto';
import { httpFetch } from '../../shared/http-fetch.ts';

/** As for webhooks of the service. */
const TIMEOUT_MS = 10_000;
const SECRET_BYTES = 24;

/** The signing secret of a token: the same for each run, and of no use to learn the token. */
export function secretOf(token: string): string {
  const key = createHmac('sha256', token).update('mayfly listen').digest();
  return `whsec_${key.subarray(0, SECRET_BYTES).toString('base64')}`;
}

/** Whether a secret has the form of those of webhooks: a key in base64 after `whsec_`. */
export function isSecret(secret: string): boolean {
  const [, base64 = ''] = /^whsec_([\w+/]+={0,2})$/.exec(secret) ?? [];
  return Buffer.from(base64, 'base64').length > 0;
}

export interface Forwarded {
  /** Status of the receiver, or null without a response. */
  status: number | null;
  /** Why there is no response. */
  error: string | null;
  durationMs: number;
}

/**
 * Posts a body, signed as Mayfly signs webhooks (Standard Webhooks 1.0.0). Redirects are not
 * followed.
 */
export async function forward(
  url: string,
  { id, body, secret }: { id: string; body: string; secret: string },
): Promise<Forwarded> {
  const timestamp = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const began = performance.now();
  const done = (status: number | null, error: string | null): Forwarded => {
    return { status, error, durationMs: Math.round(performance.now() - began) };
  };
  try {
    const response = await httpFetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Mayfly-Webhooks',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signature}`,
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return done(response.status, null);
  } catch (error) {
    const reason = error instanceof Error ? (error.cause ?? error) : error;
    return done(null, reason instanceof Error ? reason.message : String(reason));
  }
}
