import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { type Framework, settingsOf } from '../../packages/shared/framework-settings.ts';
import { openCredentialDirectory } from '../../core/directory/credentials.ts';
import { codeOf } from '../support/docs/pages.ts';
import { isThere, run, startProgram } from '../support/process/programs.ts';
import { type SmtpFront, startSmtpFront } from '../support/process/smtp-front.ts';
import { eventually } from '../support/mocha/eventually.ts';

const PAGE = 'docs/framework-settings.md';
/** The login that the pages show. */
const USER = 'inbox-7f3k2mq9';
const PASSWORD = 'PASSWORD';
/** The recipient that the pages show: no mailbox of the front. */
const CUSTOMER = 'customer@gmail.com';
const OWN_ADDRESS = 'alice@acme.test';

/** Sends as Django's SMTP backend does with the settings before it. */
const DJANGO_SENDS = `
import smtplib
connection = smtplib.SMTP(EMAIL_HOST, EMAIL_PORT)
if EMAIL_USE_TLS: connection.starttls()
if EMAIL_HOST_USER: connection.login(EMAIL_HOST_USER, EMAIL_HOST_PASSWORD)
connection.sendmail("shop@example.com", ["${CUSTOMER}"], "Subject: From Django\\r\\n\\r\\nIt works.\\r\\n")
connection.quit()
`;

interface Login {
  user: string;
  pass: string;
}

describe('the settings for frameworks', () => {
  let front: SmtpFront;
  before(async () => {
    // A private instance, except that only the login makes it catch mail.
    front = await startSmtpFront({ CATCH_ALL_CIDRS: '192.0.2.0/24' });
    await openCredentialDirectory(front.client, '{mayfly}').set({
      id: 'smc_1',
      username: USER,
      passwordSetAt: 1,
      mailboxId: 'mbx_alice',
      address: OWN_ADDRESS,
      passwordHash: createHash('sha256').update(PASSWORD).digest('hex'),
    });
  });
  after(() => front.close());

  const here = (code: string) => code.replaceAll('2525', `${front.port}`);
  const waiting = () => front.client.zcard('{mayfly}:ingest-message:prioritized');

  /** Sends with what a framework would read from its settings. */
  const send = async (host: string, port: number, auth: Login | null, to = CUSTOMER) => {
    expect({ host, port }).to.deep.equal({ host: '127.0.0.1', port: front.port });
    const transport = createTransport({ host, port, ...(auth ? { auth } : {}) });
    const { accepted } = await transport.sendMail({ from: 'shop@example.com', to });
    expect(accepted).to.deep.equal([to]);
  };

  const shown: [Framework, string, string][] = [
    ['nodemailer', 'js', 'nodemailer'],
    ['rails', 'ruby', 'smtp_settings'],
    ['django', 'python', 'EMAIL_HOST'],
    ['laravel', 'ini', 'MAIL_URL'],
    ['postfix', 'ini', 'relayhost'],
  ];
  for (const [framework, language, part] of shown) {
    it(`are those of the dashboard and the command line: ${framework}`, () => {
      const settings = settingsOf({
        ...{ host: '127.0.0.1', port: 2525, tls: 'none', isSelfSigned: false },
        ...{ username: USER, password: PASSWORD },
      });
      const code = codeOf(PAGE, language, part).trim();
      if (framework === 'nodemailer') expect(code).to.include(settings[framework]);
      else expect(code).to.equal(settings[framework]);
    });
  }

  it('turn STARTTLS off where its certificate is self-signed', () => {
    const settings = settingsOf({
      ...{ host: '127.0.0.1', port: 2525, tls: 'starttls', isSelfSigned: true },
      ...{ username: USER, password: PASSWORD },
    });
    const off: [Framework, string][] = [
      ['nodemailer', '?ignoreTLS=true'],
      ['rails', 'enable_starttls_auto: false'],
      ['django', 'EMAIL_USE_TLS = False'],
      ['laravel', '?auto_tls=false'],
      ['spring', 'starttls.enable=false'],
      ['php', '$mail->SMTPAutoTLS = false;'],
      ['wordpress', '$mail->SMTPAutoTLS = false;'],
      ['postfix', 'smtp_tls_security_level = none'],
    ];
    for (const [framework, setting] of off) expect(settings[framework]).to.include(setting);
  });

  for (const path of [PAGE, 'README.md']) {
    it(`work in the Nodemailer program of ${path}`, async () => {
      const before = await waiting();
      const code = here(codeOf(path, 'js', 'nodemailer'));
      const program = startProgram(process.execPath, ['--input-type=module', '-e', code]);
      await eventually('the mail', async () => (await waiting()) === before + 1).catch(() => {
        throw new Error(program.output());
      });
      await program.stop();
    });
  }

  it('work for Django, sent with Python', async function () {
    if (!isThere('python3')) this.skip();
    const before = await waiting();
    run('python3', ['-c', here(codeOf(PAGE, 'python', 'EMAIL_HOST')) + DJANGO_SENDS]);
    expect(await waiting()).to.equal(before + 1);
  });

  /** Where each has its settings: a block of the page, their names, and what else it has. */
  const logins: Record<string, [language: string, part: string, form: RegExp, others: string]> = {
    Rails: [
      ...(['ruby', 'smtp_settings'] as const),
      /address: '(?<host>.+)',\s+port: (?<port>\d+),\s+user_name: '(?<user>.+)',\s+password: '(?<pass>.+)'/,
      'authentication: :plain',
    ],
    Laravel: [
      ...(['ini', 'MAIL_URL'] as const),
      /^MAIL_URL="smtp:\/\/(?<user>.+):(?<pass>.+)@(?<host>.+):(?<port>\d+)"$/m,
      'MAIL_MAILER=smtp',
    ],
    'Spring Boot': [
      ...(['yaml', 'spring:'] as const),
      /host: (?<host>\S+)\s+port: (?<port>\d+)\s+username: (?<user>\S+)\s+password: (?<pass>\S+)$/m,
      'properties:\n      mail.smtp.auth: true\n      mail.smtp.starttls.enable: false\n',
    ],
    Postfix: [
      ...(['ini', 'relayhost'] as const),
      /^relayhost = (?<relay>\[(?<host>\S+)\]:(?<port>\d+))\n[^]*_maps = (?<map>inline:\{ \{\k<relay> = (?<user>\S+):(?<pass>\S+)\} \})$/m,
      'smtp_sasl_auth_enable = yes\n',
    ],
  };
  for (const [framework, [language, part, form, others]] of Object.entries(logins)) {
    it(`let ${framework} log in`, async () => {
      const code = here(codeOf(PAGE, language, part));
      expect(code).to.include(others);
      const { host = '', port, user = '', pass = '', ...map } = form.exec(code)?.groups ?? {};
      if (map['map'] && isThere('postmap')) {
        const found = run('postmap', ['-q', map['relay'] ?? '', map['map']]);
        expect(found.trim()).to.equal(`${user}:${pass}`);
      }
      await send(host, Number(port), { user, pass });
    });
  }

  it('route one domain to the SMTP process for Postfix', async () => {
    const line = here(codeOf(PAGE, 'ini', 'transport_maps')).trim();
    const [, map = '', domain = '', host = '', port = ''] =
      /^transport_maps = (inline:\{ (\S+)=smtp:\[(\S+)\]:(\d+) \})$/.exec(line) ?? [];
    expect(domain).to.equal('mayfly.localhost');
    if (isThere('postmap')) {
      expect(run('postmap', ['-q', domain, map]).trim()).to.equal(`smtp:[${host}]:${port}`);
    }
    await send(host, Number(port), null, OWN_ADDRESS);
  });
});
