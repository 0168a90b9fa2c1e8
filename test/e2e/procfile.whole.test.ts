import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { attachmentMail } from '../support/mail/attachment-mail.ts';
import { type Certificates, makeCertificates } from '../support/servers/certificates.ts';
import { type Dyno, processNames, startDyno } from '../support/process/deployment.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type PostgresServer, startPostgres } from '../support/servers/postgres-server.ts';
import { npmScript } from '../support/process/npm-script.ts';
import { matchersIn, metricsIn } from '../support/docs/promql.ts';
import { codeOf, page } from '../support/docs/pages.ts';
import { type TestS3, startS3 } from '../support/servers/s3.ts';
import { type Samples, samplesIn } from '../support/docs/samples.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { type TlsRedis, startTlsRedis } from '../support/servers/tls-redis.ts';
import { inherited } from '../support/process/inherited.ts';

const OPERATING = 'docs/operating.md';
/** Time that platforms wait between SIGTERM and SIGKILL. */
const GRACE_MS = 30_000;

describe('the Procfile, in production on PostgreSQL, S3 and a Redis behind TLS', () => {
  let certificates: Certificates;
  let dir: TempDir;
  let servers: [TlsRedis, PostgresServer, TestS3];
  /** Variables of each line of the Procfile. */
  let env: Record<string, Record<string, string>>;
  const dynos = new Map<string, Dyno>();
  let samples: Samples;

  before(async () => {
    certificates = await makeCertificates();
    dir = await makeTempDir();
    servers = await Promise.all([startTlsRedis(certificates), startPostgres(), startS3()]);
    const [redis, postgres, s3] = servers;
    const keys = (await printed('keys:create', [], process.env)).trim().split('\n');
    const [port, smtpPort] = await Promise.all([freePort(), freePort()]);
    const everywhere = {
      ...{ NODE_ENV: 'production', BIND_HOST: '127.0.0.1', DATA_DIR: join(dir.path, 'none') },
      ...{ REDIS_URL: redis.url, REDIS_CA_FILE: certificates.caFile, ...s3.env },
    };
    const database = { DATABASE_URL: postgres.url };
    const secrets = Object.fromEntries(keys.map((line) => line.split(/=(.*)/, 2)));
    const behind = { ...everywhere, ...database, ...(secrets as Record<string, string>) };
    env = {
      release: { NODE_ENV: 'production', ...database },
      web: { ...behind, PORT: String(port) },
      worker: behind,
      smtp: { ...everywhere, SMTP_PORT: String(smtpPort), SMTP_HOSTNAME: 'mx.acme.test' },
    };
  });
  after(async () => {
    for (const dyno of dynos.values()) dyno.kill();
    await Promise.all([...dynos.values()].map(({ exited }) => exited));
    const [redis, postgres, s3] = servers;
    await Promise.all([redis.stop(), postgres.stop(), s3.remove(), dir.remove()]);
    await certificates.remove();
  });

  /** Output of an npm script with the variables of the web process. */
  const script = (name: string, ...args: string[]) =>
    printed(name, args, { ...inherited, HOME: process.env.HOME, ...env.web });
  const url = (path: string) => `http://127.0.0.1:${env.web!.PORT}${path}`;
  const isReady = () =>
    fetch(url('/readyz')).then(
      ({ ok }) => ok,
      () => false,
    );
  const greets = async () => {
    const client = await SmtpClient.open(Number(env.smtp!.SMTP_PORT)).catch(() => null);
    client?.drop();
    return client !== null;
  };

  it('migrates with release, accepts mail with smtp and shows it with web', async () => {
    const release = startDyno('release', env.release!);
    expect(await release.exited, release.output()).to.equal(0);
    await script('workspace:create', '--name', 'acme', '--domain', 'acme.test', '--plan', 'pro');
    const created = await script('token:create', '--domain', 'acme.test', '--json');
    const { token } = JSON.parse(created) as { token: string };
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };

    for (const name of processNames) dynos.set(name, startDyno(name, env[name]!));
    await eventually('web and smtp to be ready', async () => (await isReady()) && greets());
    const body = JSON.stringify({ name: 'hello' });
    const mailbox = await fetch(url('/api/mailboxes'), { method: 'POST', headers, body });
    expect(mailbox.status).to.equal(201);

    const client = await SmtpClient.open(Number(env.smtp!.SMTP_PORT));
    const bytes = Buffer.alloc(1_500_000, 'x');
    const data = Buffer.from(attachmentMail([{ name: 'x.bin', bytes }]));
    // As clients do: they get 451 until the worker has written the recipient directory.
    const reply = await eventually('an answer other than 451', async () => {
      const answer = await client.send({ from: 'a@b.test', to: ['hello@acme.test'], data });
      return answer.code !== 451 && answer;
    });
    expect(reply.code, reply.text).to.equal(250);
    await client.quit();

    const messages = url('/api/mailboxes/hello/messages');
    const message = await eventually('the mail in the API', async () => {
      const page = (await (await fetch(messages, { headers })).json()) as MessagePage;
      return page.messages[0];
    });
    const file = await fetch(message.attachments[0]!.signedUrl);
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).to.equal(true);
  });

  it('exits each process with 0 within 30 s of SIGTERM, and web reports the metrics of the others', async () => {
    for (const name of processNames.filter((each) => each !== 'web')) await endInTime(name);
    const { OPERATOR_PASSWORD } = env.web!;
    const credentials = Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64');
    const scraped = await fetch(url('/metrics'), {
      headers: { Authorization: `Basic ${credentials}` },
    });
    samples = samplesIn(await scraped.text());
    expect(samples.sum('mayfly_smtp_mails_accepted_total', { process: 'smtp' })).to.equal(1);
    expect(samples.sum('mayfly_mails_stored_total', { process: 'worker' })).to.equal(1);
    expect(samples.values('process_start_time_seconds', 'process')).to.deep.equal(
      new Set(processNames),
    );
    await endInTime('web');
    // The disk of a platform's process is lost with the process.
    expect(existsSync(env.web!.DATA_DIR!)).to.equal(false);
  });

  it('shows the metrics that docs/operating.md lists, and no other', () => {
    const told = new Set(
      [...page(OPERATING).text.matchAll(/\bmayfly_\w+/g)].map(([name]) => familyOf(name)),
    );
    const shown = [...samples.names].filter((name) => name.startsWith('mayfly_'));
    expect([...told].sort()).to.deep.equal(shown.sort());
  });

  it('shows the metrics that the alerts of docs/operating.md use', () => {
    const { groups } = parse(codeOf(OPERATING, 'yaml', 'groups:')) as Rules;
    const rules = groups.flatMap((group) => group.rules);
    expect(rules).to.have.length.greaterThan(5);
    for (const { alert, expr, labels, annotations } of rules) {
      expect(alert).to.match(/^Mayfly[A-Z]\w+$/);
      expect(labels.severity).to.match(/^(?:page|ticket)$/);
      expect(annotations.summary).to.match(/\S\.$|\?$/);
      const metrics = metricsIn(expr);
      expect(metrics, alert).not.to.deep.equal([]);
      for (const metric of metrics) expect([...samples.names]).to.include(familyOf(metric), alert);
      for (const { metric, label, values } of matchersIn(expr)) {
        const there = [...samples.values(metric, label)].map(String);
        expect(there, `${alert}: ${metric}`).not.to.deep.equal([]);
        if (label === 'status') continue; // no request of the test fails
        for (const value of values) {
          expect(there, alert).to.satisfy((all: string[]) =>
            all.some((one) => new RegExp(`^(?:${value})$`).test(one)),
          );
        }
      }
    }
  });

  async function endInTime(name: string): Promise<void> {
    const dyno = dynos.get(name)!;
    const asked = performance.now();
    dyno.signal('SIGTERM');
    expect(await dyno.exited, dyno.output()).to.equal(0);
    expect(performance.now() - asked).to.be.lessThan(GRACE_MS);
  }
});

async function printed(name: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { status, stdout, stderr } = await npmScript(name, args, { env });
  expect(status, stderr).to.equal(0);
  return stdout;
}

/** A histogram has three kinds of samples. */
function familyOf(name: string): string {
  return name.replace(/_(?:bucket|sum|count)$/, '');
}

interface Rules {
  groups: { rules: Rule[] }[];
}

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

interface MessagePage {
  messages: { attachments: { signedUrl: string }[] }[];
}
