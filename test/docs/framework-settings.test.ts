import { createHash } from 'node:crypto';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { parse } from 'yaml';
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

  it('let Rails log in', async () => {
    const code = here(codeOf(PAGE, 'ruby', 'smtp_settings'));
    const setting = (name: string) =>
      new RegExp(`^ *${name}: (?:'(.*)'|(\\S+?)),?$`, 'm').exec(code)?.slice(1).join('') ?? '';
    expect(setting('authentication')).to.equal(':plain');
    const login = { user: setting('user_name'), pass: setting('password') };
    await send(setting('address'), Number(setting('port')), login);
  });

  it('let Laravel log in', async () => {
    const { MAIL_MAILER, MAIL_URL } = parseEnv(here(codeOf(PAGE, 'ini', 'MAIL_URL')));
    expect(MAIL_MAILER).to.equal('smtp');
    const { hostname, port, username, password, search } = new URL(MAIL_URL ?? '');
    expect(search).to.equal('');
    await send(hostname, Number(port), { user: username, pass: password });
  });

  it('let Spring Boot log in', async () => {
    const { spring } = parse(here(codeOf(PAGE, 'yaml', 'spring:'))) as {
      spring: {
        mail: { host: string; port: number; username: string; password: string } & {
          properties: Record<string, boolean>;
        };
      };
    };
    const { host, port, username, password, properties } = spring.mail;
    expect(properties).to.deep.equal({
      'mail.smtp.auth': true,
      'mail.smtp.starttls.enable': false,
    });
    await send(host, port, { user: username, pass: password });
  });

  it('let Postfix log in', async () => {
    const code = here(codeOf(PAGE, 'ini', 'relayhost'));
    const setting = (name: string) => new RegExp(`^${name} = (.+)$`, 'm').exec(code)?.[1] ?? '';
    expect(setting('smtp_sasl_auth_enable')).to.equal('yes');
    expect(setting('smtp_tls_security_level')).to.equal('none');
    const [relay = '', host = '', port = ''] = /^\[(\S+)\]:(\d+)$/.exec(setting('relayhost')) ?? [];
    const passwords = setting('smtp_sasl_password_maps');
    const [, key, user = '', pass = ''] =
      /^inline:\{ \{(\S+) = (\S+):(\S+)\} \}$/.exec(passwords) ?? [];
    expect(key).to.equal(relay);
    if (isThere('postmap')) {
      expect(run('postmap', ['-q', relay, passwords]).trim()).to.equal(`${user}:${pass}`);
    }
    await send(host, Number(port), { user, pass });
  });

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
