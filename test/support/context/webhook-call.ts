/** Webhook calls as the service makes them, to servers of a test. */
import type { LookupAddress } from 'node:dns';
import type { Egress } from '../../../core/egress/connect.ts';
import { parseCidr } from '../../../core/config/cidr.ts';
import { openResolver } from '../../../core/egress/dns.ts';
import { type WebhookResponse, type WebhookCall, callWebhook } from '../../../core/egress/post.ts';

/** Longer than any expected response takes, also on a slow machine. */
export const PATIENT_MS = 30_000;

export const HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'Mayfly-Webhooks',
  'webhook-id': 'msg_1',
  'webhook-timestamp': '1700000000',
  'webhook-signature': 'v1,c2lnbmF0dXJl',
};

const LOOPBACK = ['127.0.0.0/8', '::1/128'].map(parseCidr);

/**
 * Permits calls to this machine. A name resolves to the given addresses, or fails as they reject.
 */
export function localEgress(names: Record<string, string[] | Error> = {}): Egress {
  return { resolve: resolveFrom(names), allowedCidrs: LOOPBACK };
}

/** A resolver of these names. Without names it uses the system resolver. */
export function resolveFrom(names: Record<string, string[] | Error>): Egress['resolve'] {
  if (Object.keys(names).length === 0) {
    const resolve = openResolver();
    return (hostname) => resolve(hostname, 'wsp_test');
  }
  return async (hostname) => {
    const found = names[hostname] ?? notFound(hostname);
    if (found instanceof Error) throw found;
    return found.map(lookedUp);
  };
}

export function lookedUp(address: string): LookupAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

/** The error of `dns.lookup` for a name that does not exist. */
export function notFound(hostname: string): Error {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
}

/** A call with a small body. By default it is not withdrawn. */
export function call(
  url: string,
  given: Partial<WebhookCall> = {},
  egress: Egress = localEgress(),
): Promise<WebhookResponse> {
  return callWebhook(egress, {
    url,
    headers: HEADERS,
    body: Buffer.from('{"event":"message.received"}'),
    timeoutMs: PATIENT_MS,
    mayStill: async () => true,
    now: Date.now,
    ...given,
  });
}
