import type { Config } from '../config/config.js';

/** What a mail client is set to; `host` has no brackets. */
export interface ConnectionSettings {
  host: string;
  port: number;
  tls: 'none' | 'starttls' | 'tls';
}

/**
 * Where clients log in: the submission port where there is one, then the port with implicit TLS, then SMTP_PORT. A
 * certificate that Mayfly made is never asked for from the first byte on, since no client trusts it by itself.
 */
export function connectionSettings({
  smtp,
  http,
}: Pick<Config, 'smtp' | 'http'>): ConnectionSettings {
  const host = smtp.givenHostname ?? new URL(http.publicUrl).hostname.replace(/^\[(.*)\]$/, '$1');
  const usesSmtps =
    smtp.submissionPort === null && smtp.smtpsPort !== null && smtp.tls?.isSelfSigned === false;
  if (usesSmtps && smtp.smtpsPort !== null) return { host, port: smtp.smtpsPort, tls: 'tls' };
  return {
    host,
    port: smtp.submissionPort ?? smtp.port,
    tls: smtp.tls ? 'starttls' : 'none',
  };
}

/** The settings with user name and password as one URL. */
export function smtpUrl(
  { host, port, tls }: ConnectionSettings,
  username: string,
  password: string,
): string {
  const scheme = tls === 'tls' ? 'smtps' : 'smtp';
  return `${scheme}://${username}:${password}@${host.includes(':') ? `[${host}]` : host}:${port}`;
}
