/**
 * `test/long senders`: each sender without TLS, with STARTTLS and with implicit TLS, to its own
 * instance. The caught bytes and envelope must equal those sent. Then 5,000 mails through Postfix
 * with SASL, each of which must be caught once. Then programs that get only a printed URL, from an
 * instance with the defaults.
 */
import { join } from 'node:path';
import { type Product, startProduct } from '../support/process/product.ts';
import { freePort } from '../support/servers/free-port.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { urlSenders } from './by-url.ts';
import { sendThroughPostfix } from './postfix.ts';
import { type Sender, type Server, type Way, senders } from './senders.ts';

const THROUGH_POSTFIX = 5000;
const WAYS: Way[] = ['plain', 'starttls', 'tls'];

const smtpsPort = await freePort();
const product = await startProduct({ TLS_SELF_SIGNED: 'true', SMTPS_PORT: `${smtpsPort}` });
const failures: string[] = [];
let caught = 0;
try {
  const { username, password } = new URL(printedUrl(product));
  const certFile = join(product.dataDir, 'tls', 'cert.pem');
  for (const sender of senders) {
    if (!(await sender.isThere())) {
      failures.push(`${sender.name}: ${sender.needs} is not installed`);
      continue;
    }
    for (const way of WAYS) {
      const port = way === 'tls' ? smtpsPort : product.smtpPort;
      const fault = await tried(sender, { port, way, username, password, certFile });
      if (fault === null) caught += 1;
      else failures.push(`${sender.name} ${way}: ${fault}`);
      process.stdout.write(`${sender.name.padEnd(12)} ${way.padEnd(9)} ${fault ?? 'caught'}\n`);
    }
  }
  const server: Server = {
    ...{ port: product.smtpPort, way: 'starttls', username, password, certFile },
  };
  const result = await caughtThroughPostfix(server).catch((error: unknown) => String(error));
  if (result !== null) failures.push(`Postfix: ${result}`);
  process.stdout.write(`Postfix      ${result ?? `${THROUGH_POSTFIX} mails caught once each`}\n`);
} finally {
  await product.stop();
}
process.stdout.write(`${caught} of ${senders.length * WAYS.length} caught\n`);
const plain = await startProduct();
try {
  await checkUrls(plain);
} finally {
  await plain.stop();
}
for (const failure of failures) process.stdout.write(`  ${failure}\n`);
process.exitCode = failures.length > 0 ? 1 : 0;

function printedUrl(from: Product): string {
  return /SMTP_URL +(\S+)/.exec(from.output())?.[1] ?? '';
}

/** Sends with the URL that `up` prints, and with the one of a new credential. */
async function checkUrls(target: Product): Promise<void> {
  const path = '/mailboxes/inbox/smtp-credentials';
  const made = await target.rest.json<{ url: string }>('POST', path, { name: 'made' });
  const urls = { printed: printedUrl(target), created: made.url };
  for (const sender of urlSenders) {
    if (!(await sender.isThere())) {
      failures.push(`${sender.name}: ${sender.needs} is not installed`);
      continue;
    }
    for (const [kind, url] of Object.entries(urls)) {
      const to = `${sender.name}-${kind}@gmail.com`.toLowerCase();
      const raw = `From: app@client.example\r\nTo: ${to}\r\nSubject: ${kind}\r\n\r\nx\r\n`;
      const fault = await sender
        .send(url, { from: 'app@client.example', to: [to], raw })
        .then(() => caughtBy(target, to))
        .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
      if (fault !== null) failures.push(`${sender.name}, ${kind} URL: ${fault}`);
      process.stdout.write(`${sender.name.padEnd(12)} ${kind} URL ${fault ?? 'caught'}\n`);
    }
  }
}

async function caughtBy(target: Product, to: string): Promise<null> {
  await eventually(`the mail to ${to}`, async () => {
    const { messages } = await target.rest.json<{ messages: object[] }>(
      'GET',
      `/mailboxes/inbox/messages?to=${to}`,
    );
    return messages.length === 1;
  });
  return null;
}

/** The fault, or null. */
async function caughtThroughPostfix(server: Server): Promise<string | null> {
  const recipients = Array.from(
    { length: THROUGH_POSTFIX },
    (_, n) => `customer-${n}@postfix.test`,
  );
  await sendThroughPostfix(server, recipients);
  const counts = new Map<string, number>();
  let after = '';
  do {
    const path = `/mailboxes/inbox/recipients?limit=100${after}`;
    const page: {
      recipients: { address: string; messageCount: number }[];
      nextCursor: string | null;
    } = await product.rest.json('GET', path);
    for (const { address, messageCount } of page.recipients) counts.set(address, messageCount);
    after = page.nextCursor === null ? '' : `&after=${page.nextCursor}`;
  } while (after !== '');
  const missing = recipients.filter((address) => !counts.has(address)).length;
  const repeated = recipients.filter((address) => (counts.get(address) ?? 0) > 1).length;
  return missing + repeated > 0 ? `${missing} mails are missing, ${repeated} are repeated` : null;
}

/** The fault, or null. */
async function tried(sender: Sender, server: Server): Promise<string | null> {
  const mark = `${sender.name}-${server.way}`.toLowerCase();
  const to = [`${mark}@gmail.com`, `hidden-${mark}@yahoo.com`];
  const raw = `From: app@client.example\r\nTo: ${to[0] ?? ''}\r\nSubject: ${mark}\r\n\r\n.dots\r\n..\r\nx\r\n`;
  try {
    await sender.send(server, { from: 'app@client.example', to, raw });
    const path = `/mailboxes/inbox/messages?to=${to[1] ?? ''}`;
    const found = await eventually(`the mail of ${mark}`, async () => {
      const { messages } = await product.rest.json<{
        messages: { id: string; subject: string; envelope: { to: string[] } }[];
      }>('GET', path);
      return messages[0];
    });
    if (found.envelope.to.join() !== to.join()) return `envelope ${found.envelope.to.join()}`;
    const stored = (await product.rest.raw('inbox', found.id)).toString();
    // Django composes the mail itself, and swaks ends each with an empty line.
    const isSame =
      sender.name === 'Django' ? found.subject === mark : stored.trimEnd().endsWith(raw.trimEnd());
    return isSame ? null : 'other bytes';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
