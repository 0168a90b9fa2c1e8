/**
 * `test/long senders`: each sender without TLS, with STARTTLS and with implicit TLS, to its own
 * instance. The caught bytes and envelope must equal those sent. Then 5,000 mails through Postfix
 * with SASL, each of which must be caught once.
 */
import { join } from 'node:path';
import { startProduct } from '../support/process/product.ts';
import { freePort } from '../support/servers/free-port.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { sendThroughPostfix } from './postfix.ts';
import { type Sender, type Server, type Way, senders } from './senders.ts';

const THROUGH_POSTFIX = 5000;
const WAYS: Way[] = ['plain', 'starttls', 'tls'];

const smtpsPort = await freePort();
const product = await startProduct({ SMTPS_PORT: `${smtpsPort}` });
const failures: string[] = [];
let caught = 0;
try {
  const [, url = ''] = /SMTP_URL +(\S+)/.exec(product.output()) ?? [];
  const { username, password } = new URL(url);
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
for (const failure of failures) process.stdout.write(`  ${failure}\n`);
process.exitCode = failures.length > 0 ? 1 : 0;

/** The fault, or null. */
async function caughtThroughPostfix(server: Server): Promise<string | null> {
  const recipients = await sendThroughPostfix(server, THROUGH_POSTFIX);
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
