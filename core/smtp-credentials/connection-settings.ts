import type { Config } from '../config/config.ts';

/** Settings of a mail client. `host` has no brackets. */
export interface ConnectionSettings {
  host: string;
  port: number;
  tls: 'none' | 'starttls' | 'tls';
}

/**
 * The port on which clients log in: the submission port, otherwise the port with implicit TLS,
 * otherwise SMTP_PORT. Implicit TLS requires a certificate that is not self-signed, because clients
 * do not trust a self-signed one.
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
  const login = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  return `${scheme}://${login}@${host.includes(':') ? `[${host}]` : host}:${port}`;
}
