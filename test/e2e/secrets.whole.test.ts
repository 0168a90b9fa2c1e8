import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { generateKeyring } from '../../core/secrets/keyring.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { type Product, startProduct } from '../support/process/product.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';
import { type TestS3, startS3 } from '../support/servers/s3.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';

/** A random string that does not occur by chance. */
const unique = (what: string) => `${what}-${randomBytes(12).toString('hex')}`;

/**
 * Secrets that the product gets or creates during the test, and that must not occur in its output.
 */
const SECRETS = {
  keyring: generateKeyring(),
  operatorPassword: unique('operator'),
  s3Secret: unique('s3'),
  subject: unique('subject'),
  text: unique('text'),
  html: unique('html'),
  attachment: unique('attachment'),
  badToken: `mf_${randomBytes(22).toString('hex').slice(0, 43)}`,
  basic: Buffer.from(`operator:${unique('basic')}`).toString('base64'),
  queryToken: unique('query'),
  brokenJson: unique('broken'),
  idempotencyKey: unique('idempotency'),
  webhookPath: unique('webhook'),
};

/** Starts a new line or colors a terminal if it is written without escaping. */
const INJECTED = '\r\nINJECTED {"level":"error"}\x1b[31m';

describe('the output of the product at LOG_LEVEL=debug', () => {
  let s3: TestS3;
  let receiver: Receiver;
  let product: Product;
  let output: string;
  const made: Record<string, string> = {};

  before(async () => {
    s3 = await startS3({ secretAccessKey: SECRETS.s3Secret });
    receiver = await openReceiver();
    try {
      product = await startProduct({
        LOG_LEVEL: 'debug',
        ENCRYPTION_KEYS: SECRETS.keyring,
        OPERATOR_PASSWORD: SECRETS.operatorPassword,
        WEBHOOK_RETRY_SCHEDULE_MS: '10,10',
        ...s3.env,
      });
      try {
        await live();
      } finally {
        await product.stop();
      }
    } finally {
      await receiver.close();
      await s3.remove();
    }
    output = product.output();
  });

  const call = async (path: string, init: RequestInit = {}) => {
    const json = { Authorization: `Bearer ${product.token!}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${product.apiUrl}${path}`, {
      ...init,
      headers: { ...json, ...(init.headers as Record<string, string>) },
      redirect: 'manual',
    });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    JSON.parse(
      (await call(path, { method: 'POST', body: JSON.stringify(body), headers })).body,
    ) as Record<string, string>;

  /** Uses every secret, correctly and incorrectly. */
  async function live() {
    const { rest } = product;
    await rest.createMailbox('zoe');
    made.token = (await post('/tokens', { name: 'ci', role: 'member' })).token!;
    const url = `${receiver.url}/${SECRETS.webhookPath}?key=${SECRETS.webhookPath}`;
    const webhook = await post('/mailboxes/zoe/webhooks', { url });
    made.webhookSecret = webhook.secret!;
    const rotated = await post(`/mailboxes/zoe/webhooks/${webhook.id!}/rotate-secret`, {});
    made.rotatedSecret = rotated.secret!;

    const address = `zoe@${product.domain}`;
    receiver.answer(500);
    const headers = { 'Idempotency-Key': SECRETS.idempotencyKey };
    const mail = {
      to: [address],
      subject: SECRETS.subject,
      text: SECRETS.text,
      html: SECRETS.html,
    };
    await post('/mailboxes/zoe/messages', mail, headers);
    await receiver.request(3);

    const client = await SmtpClient.open(product.smtpPort);
    await client.command(`HELO client${INJECTED}`);
    await client.reply();
    await client.command('EHLO client.example');
    for (const filling of ['', 'x'.repeat(70).concat('\r\n').repeat(30_000)]) {
      const data = [
        `Subject: ${SECRETS.subject}\x1b[31m\0`,
        `Message-ID: <a\x1b[31m\r b@client.example>`,
        'Content-Type: multipart/mixed; boundary=b\r\n',
        `--b\r\n\r\n${SECRETS.text}`,
        `--b\r\nContent-Type: text/html\r\n\r\n<p>${SECRETS.html}</p>`,
        `--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\n${SECRETS.attachment}\r\n${filling}`,
        '--b--\r\n',
      ].join('\r\n');
      const reply = await client.send({ from: '', to: [address], data: Buffer.from(data) });
      expect(reply.code, reply.text).to.equal(250);
    }
    await client.command(`RCPT TO:<"x\x1b[31m"@${product.domain}>`);
    await eventually('the mail', async () => (await rest.messageCount('zoe')) === 3);

    const large = (await rest.messages('zoe')).flatMap(({ attachments }) => attachments);
    const link = (large.find(({ size }) => size > 1_048_576) as { url?: string } | undefined)?.url;
    const toObject = await fetch(link!, { redirect: 'manual' });
    made.linkSignature = new URL(link!).searchParams.get('signature')!;
    const object = new URL(toObject.headers.get('location')!);
    made.objectSignature = object.searchParams.get('X-Amz-Signature')!;
    await fetch(`${link!}x`);

    for (const authorization of [`Bearer ${SECRETS.badToken}`, `Basic ${SECRETS.basic}`]) {
      const { status } = await call('/mailboxes', { headers: { Authorization: authorization } });
      expect(status).to.equal(401);
    }
    expect((await call(`/mailboxes?token=${SECRETS.queryToken}`)).status).to.equal(400);
    const broken = { method: 'POST', body: `{"name": ${SECRETS.brokenJson}` };
    expect((await call('/mailboxes', broken)).status).to.equal(400);
    expect((await call(`/mailboxes/${encodeURIComponent(INJECTED)}/messages`)).status).to.equal(
      404,
    );
    await post('/mailboxes', { name: INJECTED });

    await s3.kill();
    const sent = await client.send({
      from: 's@client.example',
      to: [address],
      data: Buffer.from(`Subject: ${SECRETS.subject}\r\n\r\n${'x\r\n'.repeat(500_000)}`),
    });
    expect(sent.code).to.equal(451);
    await call('/mailboxes/zoe/webhooks');
    client.drop();
  }

  it('contains no secret and no content of mail', async () => {
    // The announcement of `up` shows the first token to the operator. No process has it.
    const written = output.split('\n').filter((line) => /^\S+ +\| /.test(line));
    expect(written.some((line) => line.includes('"level":"debug"'))).to.equal(true);
    const lines = written.join('\n');
    const keys = SECRETS.keyring.split(/[:,]/).filter((part) => part.length > 20);
    const secrets = { ...SECRETS, ...made, key: keys[0]!, firstToken: product.token! };
    for (const [what, secret] of Object.entries(secrets)) {
      expect(secret, what).to.be.a('string').with.length.greaterThan(15);
      expect(lines.includes(secret), `${what} in the output`).to.equal(false);
    }
    for (const secret of Object.values(made).concat(Object.values(SECRETS))) {
      expect(output.includes(secret), 'in the whole output').to.equal(false);
    }
  });

  it('is one line of JSON for each event, regardless of the input', () => {
    // oxlint-disable-next-line no-control-regex -- the test is that they do not occur
    expect(output).not.to.match(/[\0-\x09\x0b-\x1f\x7f]/);
    for (const line of output.split('\n')) {
      expect(line).not.to.match(/^INJECTED/);
      const logged = /^(?:web|worker|smtp) +\| (.*)$/.exec(line)?.[1];
      if (logged === undefined || /^(?:started|stopping|ended|exited)\b/.test(logged)) continue;
      expect(() => JSON.parse(logged) as unknown, line).not.to.throw();
    }
  });
});
