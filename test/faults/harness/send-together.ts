import { setTimeout as delay } from 'node:timers/promises';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import type { Situation } from './fault.ts';
import { digest, smallMail } from '../../load/mails.ts';
import type { SentMail } from './ledger.ts';

const MAILS = 20;
/** Redis is stopped for so long: enough for the SMTP process to read every final dot. */
const STOPPED_MS = 300;

/**
 * Sends mails that share a job: all become ready while Redis is stopped, behind the write of the
 * first. `whileWritten` runs once Redis goes on.
 */
export async function sendTogether(
  { bench, ledger, mailboxes }: Situation,
  whileWritten: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { domain } = bench.product();
  const port = bench.smtpPort();
  const clients = await Promise.all(
    Array.from({ length: MAILS }, async (_, n) => {
      const client = await SmtpClient.open(port);
      const mailbox = mailboxes[n % mailboxes.length] ?? '';
      await client.envelope('together@elsewhere.example', `${mailbox}@${domain}`);
      await client.command('DATA');
      return { client, mailbox };
    }),
  );
  const redis = bench.product().processes().get('redis') ?? 0;
  process.kill(redis, 'SIGSTOP');
  const sent = clients.map(async ({ client, mailbox }) => {
    const marker = ledger.nextMarker();
    const data = smallMail(marker);
    const targets = [{ mailbox, tag: null }];
    const mail: SentMail = { marker, targets, digest: digest(data), outcome: 'unknown' };
    ledger.add(mail);
    client.write(Buffer.from(data.toString('latin1').replace(/(^|\r\n)\./g, '$1..'), 'latin1'));
    client.write('.\r\n');
    const reply = await client.reply().catch(() => null);
    if (reply) mail.outcome = reply.code === 250 ? 'accepted' : 'refused';
    if (reply?.code !== 250) ledger.refuse(reply ? `${reply.code}` : 'connection lost');
    client.drop();
  });
  await delay(STOPPED_MS);
  process.kill(redis, 'SIGCONT');
  await Promise.all([...sent, whileWritten()]);
}
