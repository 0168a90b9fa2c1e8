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
  bindHost,
}: Pick<Config, 'smtp' | 'http' | 'bindHost'>): ConnectionSettings {
  const host = smtp.givenHostname ?? publicHost(http.publicUrl, bindHost);
  const usesSmtps =
    smtp.submissionPort === null && smtp.smtpsPort !== null && smtp.tls?.isSelfSigned === false;
  if (usesSmtps && smtp.smtpsPort !== null) return { host, port: smtp.smtpsPort, tls: 'tls' };
  return {
    host,
    port: smtp.submissionPort ?? smtp.port,
    tls: smtp.tls ? 'starttls' : 'none',
  };
}

/** The address that listens stands for `localhost`, which can resolve to another one. */
function publicHost(publicUrl: string, bindHost: string): string {
  const { hostname } = new URL(publicUrl);
  return hostname === 'localhost' ? reachable(bindHost) : hostname.replace(/^\[(.*)\]$/, '$1');
}

/** An address that clients on this machine can use, also if `host` is a wildcard address. */
export function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** The settings with user name and password as one URL. */
export function smtpUrl(
  { host, port, tls }: ConnectionSettings,
  username: string,
  password: string,
): string {
  const scheme = tls === 'tls' ? 'smtps' : 'smtp';
  const login = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  return `${scheme}://${login}@${hostInUrl(host)}:${port}`;
}

/** IPv6 in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
