import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { parse } from 'yaml';
import { codeOf } from '../support/docs/pages.js';
import { isThere, run, startProgram } from '../support/process/programs.js';
import { type SmtpFront, startSmtpFront } from '../support/process/smtp-front.js';
import { eventually } from '../support/mocha/eventually.js';

const PAGE = 'docs/framework-settings.md';
const SHOWN = 'hello@mayfly.localhost';
const THERE = 'alice@acme.test';

/** Sends as Django's SMTP backend does with the settings before it. */
const DJANGO_SENDS = `
import smtplib
connection = smtplib.SMTP(EMAIL_HOST, EMAIL_PORT)
if EMAIL_USE_TLS: connection.starttls()
if EMAIL_HOST_USER: connection.login(EMAIL_HOST_USER, EMAIL_HOST_PASSWORD)
connection.sendmail("app@example.com", ["${THERE}"], "Subject: From Django\\r\\n\\r\\nIt works.\\r\\n")
connection.quit()
`;

interface Settings {
  host: string;
  port: number;
  user: string | null;
}

describe('the settings for frameworks', function () {
  this.timeout(60_000);
  let front: SmtpFront;
  before(async () => (front = await startSmtpFront()));
  after(() => front.close());

  const here = (code: string) => code.replaceAll('2525', `${front.port}`).replaceAll(SHOWN, THERE);
  const waiting = () => front.client.llen('{mayfly}:ingest-message:wait');

  /** Sends with what a framework would read from its settings. */
  const send = async ({ host, port, user }: Settings) => {
    expect({ host, port, user }).to.deep.equal({ host: '127.0.0.1', port: front.port, user: null });
    const transport = createTransport({ host, port, ignoreTLS: true });
    const { accepted } = await transport.sendMail({ from: 'app@example.com', to: THERE });
    expect(accepted).to.deep.equal([THERE]);
  };

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

  it('name the SMTP process for Rails', async () => {
    const code = here(codeOf(PAGE, 'ruby', 'smtp_settings'));
    const [, host = ''] = /address: '(.*)'/.exec(code) ?? [];
    const [, port = ''] = /port: (\d+)/.exec(code) ?? [];
    await send({ host, port: Number(port), user: /user_name/.test(code) ? code : null });
  });

  it('name the SMTP process for Laravel', async () => {
    const env = parseEnv(here(codeOf(PAGE, 'ini', 'MAIL_HOST')));
    const user = env.MAIL_USERNAME === 'null' ? null : (env.MAIL_USERNAME ?? '');
    await send({ host: env.MAIL_HOST ?? '', port: Number(env.MAIL_PORT), user });
  });

  it('name the SMTP process for Spring Boot', async () => {
    const { spring } = parse(here(codeOf(PAGE, 'yaml', 'spring:'))) as {
      spring: { mail: { host: string; port: number; properties: Record<string, boolean> } };
    };
    expect(spring.mail.properties['mail.smtp.auth']).to.equal(false);
    await send({ ...spring.mail, user: null });
  });

  it('name the SMTP process for Postfix', async () => {
    const line = here(codeOf(PAGE, 'ini', 'transport_maps')).trim();
    const [, map = '', domain = '', host = '', port = ''] =
      /^transport_maps = (inline:\{ (\S+)=smtp:\[(\S+)\]:(\d+) \})$/.exec(line) ?? [];
    expect(domain).to.equal(SHOWN.split('@')[1]);
    if (isThere('postmap')) {
      expect(run('postmap', ['-q', domain, map]).trim()).to.equal(`smtp:[${host}]:${port}`);
    }
    await send({ host, port: Number(port), user: null });
  });
});
