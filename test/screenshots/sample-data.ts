/** A workspace in use: mailboxes, mail, one webhook that works and one that fails. */
import { composeMail } from '../../core/sending/build-mail.ts';
import { eventually } from '../support/mocha/eventually.ts';
import type { Product } from '../support/process/product.ts';
import { openReceiver } from '../support/servers/receiver.ts';
import { restClient } from '../support/clients/rest-client.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { type SampleMail, sampleMails } from './sample-mails.ts';

/** The last one is the newest and first in the list. */
const MAILBOXES = ['support-inbox', 'release-notes', 'newsletter', 'billing', 'signup-flow'];

export interface Sample {
  /** The mailbox that the pictures show. */
  mailbox: string;
  failingWebhook: string;
  close: () => Promise<void>;
}

export async function makeSample(product: Product): Promise<Sample> {
  const rest = restClient(product.apiUrl, product.token ?? '');
  await createRuns(product);
  for (const name of MAILBOXES) await rest.createMailbox(name);
  const good = await openReceiver();
  const bad = await openReceiver();
  bad.answer((_req, res) => {
    res.writeHead(503, { 'Content-Type': 'application/json' });
    res.end('{"error":"upstream is away","retry":true}');
  });
  const mailbox = 'signup-flow';
  await rest.registerWebhook(mailbox, good.url);
  const { id } = await rest.registerWebhook(mailbox, bad.url);
  await sendAll(product);
  for (const name of MAILBOXES) {
    const expected = sampleMails.filter(({ to }) => to.split('+')[0] === name).length;
    await eventually(`mail in ${name}`, async () => (await rest.messageCount(name)) === expected);
  }
  const [newest] = await rest.messages(mailbox);
  // Six messages, six attempts each.
  await eventually('the deliveries', () => bad.received.length === 6 * 6, 20_000);
  await eventually('the newest delivery', () =>
    good.received.some(({ body }) => body.includes(newest?.id ?? '-')),
  );
  return {
    mailbox,
    failingWebhook: id,
    close: async () => {
      await good.close();
      await bad.close();
    },
  };
}

/** The mailboxes of two test runs, with labels and an expiry. */
async function createRuns({ apiUrl, token }: Product): Promise<void> {
  const mailboxes = ['gh-8812', 'gh-8813'].flatMap((run) =>
    ['1', '2'].map((worker) => ({
      name: `${run}-worker-${worker}`,
      ...{ labels: { run, worker }, expiresIn: 3600 * Number(worker) },
    })),
  );
  const answer = await fetch(`${apiUrl}/mailboxes/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token ?? ''}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ mailboxes }),
  });
  if (!answer.ok) throw new Error(`no mailboxes: ${await answer.text()}`);
}

async function sendAll({ smtpPort, domain }: Product): Promise<void> {
  const client = await SmtpClient.open(smtpPort);
  for (const mail of sampleMails) {
    const recipient = `${mail.to}@${domain}`;
    const reply = await client.send({
      from: mail.from,
      to: [recipient],
      data: await rawMail(mail, recipient),
    });
    if (reply.code !== 250) throw new Error(`refused: ${reply.text}`);
  }
  await client.quit();
}

function rawMail(mail: SampleMail, recipient: string): Promise<Buffer> {
  const { attachment } = mail;
  return composeMail({
    from: { name: mail.fromName, address: mail.from },
    to: [recipient],
    cc: [],
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    attachments: attachment
      ? [{ ...attachment, content: Buffer.alloc(attachment.bytes, 'x') }]
      : [],
    messageId: `<${mail.minutesAgo}.${mail.to}@sample.example>`,
    date: new Date(),
  });
}
