import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { isAllowedTarget } from '../egress/address-policy.ts';

const MAX_LENGTH = 2048;
const NO_URL = `"url" must be an absolute URL of at most ${MAX_LENGTH} characters.`;

/** Ports below 1024 belong to other protocols, and so do these (Fetch, "bad port"). */
const WEB_PORTS = new Set([80, 443]);
const BAD_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);

type Policy = Pick<Config['webhooks'], 'allowHttp' | 'allowedCidrs'>;

/**
 * Validates a webhook URL and normalizes it with the WHATWG parser, which unifies all spellings of
 * an address; the fragment is removed. Host names are resolved and checked on each attempt, not
 * here.
 * @throws {AppError} `invalid_request` with the reason.
 */
export function parseWebhookUrl(policy: Policy, text: string): string {
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (!url) reject(NO_URL);
  const schemes = policy.allowHttp ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) {
    reject(
      policy.allowHttp ? '"url" must be an http or https URL.' : '"url" must be an https URL.',
    );
  }
  if (url.username || url.password) reject('"url" must not contain a user name or password.');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if ((port < 1024 && !WEB_PORTS.has(port)) || BAD_PORTS.has(port)) {
    reject(`"url" uses port ${port}, which is not allowed for webhooks. Use another port.`);
  }
  // The dot of the root domain: certificates and server names omit it (RFC 6066 section 3).
  url.hostname = url.hostname.replace(/\.$/, '');
  if (isBlockedHost(policy, url.hostname))
    reject('"url" names a host that is not allowed for webhooks. Use a public host name.');
  url.hash = '';
  // Escaping makes the URL longer.
  return url.href.length <= MAX_LENGTH ? url.href : reject(NO_URL);
}

function isBlockedHost({ allowedCidrs }: Policy, hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host.split('.').includes('')) return true;
  if (/^[\d.]+$|:/.test(host)) return !isAllowedTarget(host, allowedCidrs);
  const isLocalName = !host.includes('.') || /\.(?:localhost|local|internal)$/.test(host);
  return isLocalName && allowedCidrs.length === 0;
}

function reject(message: string): never {
  throw new AppError('invalid_request', message);
}
