/** The addresses at which this machine reaches the service. */
import type { Config } from '../../core/config/config.ts';
import { hostInUrl, reachable, smtpUrl } from '../../core/smtp-credentials/connection-settings.ts';
import type { FirstWorkspace } from '../cli/existing-workspace.ts';

export type Listening = Pick<Config, 'bindHost' | 'http' | 'smtp'>;

/** `http` and `api` are URLs without a slash at the end, `smtp` is `HOST:PORT`. */
export function ownAddresses({ bindHost, http: { port }, smtp }: Listening) {
  const host = hostInUrl(reachable(bindHost));
  const http = `http://${host}:${port}`;
  return { http, api: `${http}/api`, smtp: `${host}:${smtp.port}` };
}

/** SMTP_URL with the user name and the password of a credential. */
export function ownSmtpUrl(
  { bindHost, smtp }: Listening,
  { username, password }: NonNullable<FirstWorkspace['credential']>,
): string {
  return smtpUrl({ host: reachable(bindHost), port: smtp.port, tls: 'none' }, username, password);
}
