/** The addresses at which this machine reaches the service. */
import type { Config } from '../../core/config/config.ts';
import { smtpUrl } from '../../core/smtp-credentials/connection-settings.ts';
import type { FirstWorkspace } from '../cli/existing-workspace.ts';

export type Listening = Pick<Config, 'bindHost' | 'http' | 'smtp'>;

/** `http` and `api` are URLs without a slash at the end, `smtp` is `HOST:PORT`. */
export function ownAddresses({ bindHost, http: { port }, smtp }: Listening) {
  const host = reachable(bindHost);
  const http = `http://${host}:${port}`;
  return { http, api: `${http}/api`, smtp: `${host}:${smtp.port}` };
}

/** SMTP_URL with the user name and the password of a credential. */
export function ownSmtpUrl(
  { bindHost, smtp }: Listening,
  { username, password }: NonNullable<FirstWorkspace['credential']>,
): string {
  const host = reachable(bindHost).replace(/^\[(.*)\]$/, '$1');
  return smtpUrl({ host, port: smtp.port, tls: 'none' }, username, password);
}

/** An address that clients can use, also if `host` is a wildcard address. IPv6 in brackets. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
