/** The settings of each framework, as the dashboard shows and `mayfly smtp create` prints them. */

export const frameworks = [
  { name: 'variables', label: 'Variables' },
  { name: 'nodemailer', label: 'Nodemailer' },
  { name: 'rails', label: 'Rails' },
  { name: 'django', label: 'Django' },
  { name: 'laravel', label: 'Laravel' },
  { name: 'spring', label: 'Spring' },
  { name: 'go', label: 'Go' },
  { name: 'php', label: 'PHP' },
  { name: 'wordpress', label: 'WordPress' },
  { name: 'postfix', label: 'Postfix' },
] as const;

export type Framework = (typeof frameworks)[number]['name'];

/** An SMTP credential. */
export interface SmtpLogin {
  host: string;
  port: number;
  tls: 'none' | 'starttls' | 'tls';
  username: string;
  password: string;
  /** Whether the certificate is self-signed; the settings then turn STARTTLS off. */
  isSelfSigned: boolean;
}

/** The settings with a login filled in. */
export function settingsOf({
  host,
  port,
  tls,
  username,
  password,
  isSelfSigned,
}: SmtpLogin): Record<Framework, string> {
  const isImplicit = tls === 'tls';
  const isEncrypted = tls !== 'none' && !isSelfSigned;
  // Otherwise clients use STARTTLS when it is offered, and refuse the certificate.
  const avoidsTls = tls !== 'none' && isSelfSigned;
  const isStartTls = isEncrypted && !isImplicit;
  const scheme = isImplicit ? 'smtps' : 'smtp';
  const server = host.includes(':') ? `[${host}]` : host;
  const bool = (value: boolean, yes = 'true', no = 'false') => (value ? yes : no);
  const url = `${scheme}://${username}:${password}@${server}:${port}`;
  const goNote = avoidsTls
    ? `// net/smtp uses STARTTLS if the server offers it: trust DATA_DIR/tls/cert.pem, or set
// TLS_SELF_SIGNED=false.
`
    : '';
  const phpMailer = `$mail->isSMTP();
$mail->Host = '${host}';
$mail->Port = ${port};
$mail->SMTPAuth = true;
$mail->Username = '${username}';
$mail->Password = '${password}';
$mail->SMTPSecure = '${isImplicit ? 'ssl' : isStartTls ? 'tls' : ''}';${avoidsTls ? '\n$mail->SMTPAutoTLS = false;' : ''}`;
  return {
    variables: `SMTP_HOST=${host}
SMTP_PORT=${port}
SMTP_USERNAME=${username}
SMTP_PASSWORD=${password}
SMTP_URL=${url}`,
    nodemailer: `createTransport('${url}${avoidsTls ? '?ignoreTLS=true' : ''}');`,
    rails: `config.action_mailer.delivery_method = :smtp
config.action_mailer.smtp_settings = {
  address: '${host}',
  port: ${port},
  user_name: '${username}',
  password: '${password}',
  authentication: :plain,${isImplicit ? '\n  tls: true,' : isStartTls ? '\n  enable_starttls: true,' : avoidsTls ? '\n  enable_starttls_auto: false,' : ''}
}`,
    django: `EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = "${host}"
EMAIL_PORT = ${port}
EMAIL_HOST_USER = "${username}"
EMAIL_HOST_PASSWORD = "${password}"
EMAIL_USE_TLS = ${bool(isStartTls, 'True', 'False')}
EMAIL_USE_SSL = ${bool(isImplicit, 'True', 'False')}`,
    laravel: `MAIL_MAILER=smtp
MAIL_URL="${url}${avoidsTls ? '?auto_tls=false' : ''}"`,
    spring: `spring.mail.host=${host}
spring.mail.port=${port}
spring.mail.username=${username}
spring.mail.password=${password}
spring.mail.properties.mail.smtp.auth=true
spring.mail.properties.mail.smtp.starttls.enable=${bool(isStartTls)}
spring.mail.properties.mail.smtp.ssl.enable=${bool(isImplicit)}`,
    go: `${goNote}auth := smtp.PlainAuth("", "${username}", "${password}", "${host}")
err := smtp.SendMail("${server}:${port}", auth, from, to, message)`,
    php: `$mail = new PHPMailer\\PHPMailer\\PHPMailer(true);
${phpMailer}`,
    wordpress: `add_action('phpmailer_init', function ($mail) {
  ${phpMailer.replaceAll('\n', '\n  ')}
});`,
    postfix: `# /etc/postfix/main.cf
relayhost = [${host}]:${port}
smtp_sasl_auth_enable = yes
smtp_sasl_password_maps = inline:{ {[${host}]:${port} = ${username}:${password}} }
smtp_sasl_security_options = noanonymous
smtp_tls_security_level = ${isEncrypted ? 'encrypt' : 'none'}${isImplicit ? '\nsmtp_tls_wrappermode = yes' : ''}`,
  };
}
