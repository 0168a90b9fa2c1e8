import type { WebhookEvent } from './types.ts';

const TOLERANCE_SECONDS = 300;

/** The request was not signed with the secret, or not within the last 300 seconds. */
export class MayflySignatureError extends Error {
  override name = 'MayflySignatureError';
}

type HeaderMap = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies a webhook request (Standard Webhooks 1.0.0) and returns its event.
 * @param body the bytes that arrived; a body that was parsed and serialized again does not match.
 * @param headers of the request; names in any case.
 * @param secret `whsec_` and base64.
 * @throws {MayflySignatureError} otherwise.
 * @throws {TypeError} for a body that was parsed, without headers, and when the secret is missing
 *   or malformed.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderMap,
  secret: string,
): Promise<WebhookEvent> {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body))
    throw new TypeError(
      'The body must be the bytes or the string that arrived. A parsed body cannot be verified: in Express, use express.raw({ type: "application/json" }) for this route.',
    );
  checkArguments(headers, secret);
  const rawKey = decoded(secret.replace(/^whsec_/, ''));
  if (rawKey.length === 0) throw new TypeError('A secret must be "whsec_" followed by base64.');
  const id = valueOf(headers, 'webhook-id');
  const timestamp = valueOf(headers, 'webhook-timestamp');
  const signatures = valueOf(headers, 'webhook-signature').split(' ');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp || Number.NaN));
  if (!(age <= TOLERANCE_SECONDS)) {
    throw new MayflySignatureError(
      'The timestamp is missing, or differs from the current time by more than 300 s.',
    );
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', rawKey, hmac, false, ['verify']);
  for (const signature of signatures) {
    const given = signature.startsWith('v1,') ? decoded(signature.slice(3)) : null;
    // The comparison takes the same time for each signature of the right length.
    if (given && (await crypto.subtle.verify('HMAC', key, given, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent; // Mayfly has signed it
    }
  }
  throw new MayflySignatureError('No signature of the request matches the secret.');
}

/** A program in JavaScript can pass anything, such as a variable that is not set. */
function checkArguments(headers: unknown, secret: unknown): void {
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError('The headers must be those of the request, such as req.headers.');
  if (typeof secret !== 'string')
    throw new TypeError('The secret is missing. It is "whsec_" followed by base64.');
}

function valueOf(headers: HeaderMap, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return [value ?? ''].flat().join(' ');
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** The bytes of base64; none if it is malformed, which matches no signature. */
function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
