export const FORMATS = ['nodemailer', 'rails', 'laravel', 'django', 'spring', 'postfix'] as const;

export type Format = (typeof FORMATS)[number];

export function isFormat(text: string): text is Format {
  return FORMATS.some((format) => format === text);
}

interface Login {
  host: string;
  port: number;
  tls: 'none' | 'starttls' | 'tls';
  username: string;
  password: string;
  /** Clients do not trust the certificate: the settings then leave out STARTTLS. */
  isSelfSigned: boolean;
}

/** The settings of a credential for each framework, as the dashboard shows them. */
export function settingsOf(login: Login): Record<Format, string> {
  const { host, port, tls, username, password, isSelfSigned } = login;
  const isImplicit = tls === 'tls';
  const isEncrypted = tls !== 'none' && !isSelfSigned;
  const isStartTls = isEncrypted && !isImplicit;
  const server = host.includes(':') ? `[${host}]` : host;
  const url = `${isImplicit ? 'smtps' : 'smtp'}://${username}:${password}@${server}:${port}`;
  return {
    nodemailer: `createTransport({
  host: '${host}',
  port: ${port},
  secure: ${String(isImplicit)},${isEncrypted ? '' : '\n  ignoreTLS: true,'}
  auth: { user: '${username}', pass: '${password}' },
});`,
    rails: `config.action_mailer.delivery_method = :smtp
config.action_mailer.smtp_settings = {
  address: '${host}',
  port: ${port},
  user_name: '${username}',
  password: '${password}',
  authentication: :plain,
  ${isImplicit ? 'tls: true' : isStartTls ? 'enable_starttls: true' : 'enable_starttls_auto: false'}
}`,
    laravel: `MAIL_MAILER=smtp
MAIL_URL="${url}${isEncrypted ? '' : '?auto_tls=false'}"`,
    django: `EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = "${host}"
EMAIL_PORT = ${port}
EMAIL_HOST_USER = "${username}"
EMAIL_HOST_PASSWORD = "${password}"
EMAIL_USE_TLS = ${isStartTls ? 'True' : 'False'}
EMAIL_USE_SSL = ${isImplicit ? 'True' : 'False'}`,
    spring: `spring.mail.host=${host}
spring.mail.port=${port}
spring.mail.username=${username}
spring.mail.password=${password}
spring.mail.properties.mail.smtp.auth=true
spring.mail.properties.mail.smtp.starttls.enable=${String(isStartTls)}
spring.mail.properties.mail.smtp.ssl.enable=${String(isImplicit)}`,
    postfix: `relayhost = [${host}]:${port}
smtp_sasl_auth_enable = yes
smtp_sasl_password_maps = inline:{ {[${host}]:${port} = ${username}:${password}} }
smtp_sasl_security_options = noanonymous
smtp_tls_security_level = ${isEncrypted ? 'encrypt' : 'none'}${isImplicit ? '\nsmtp_tls_wrappermode = yes' : ''}`,
  };
}
