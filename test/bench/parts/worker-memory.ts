/** Memory of the worker while it delivers one large message to many webhooks. */
import { readFile } from 'node:fs/promises';
import { benchMail } from '../../load/mails.ts';
import type { Figure } from '../figures.ts';
import { startReceiver } from '../../load/receiver.ts';
import { openSession } from '../../load/smtp.ts';
import { onProduct } from '../target.ts';

const MIB = 1024 * 1024;
const WEBHOOKS = 20;
const MAILBOX = 'large';

/** Peak resident memory of the worker, if /proc is available. */
export async function workerMemoryFigures(): Promise<Figure[]> {
  const receiver = await startReceiver();
  try {
    return await onProduct(async ({ smtpPort, domain, rest, product }) => {
      await rest.createMailbox(MAILBOX);
      for (let n = 0; n < WEBHOOKS; n += 1) {
        await rest.registerWebhook(MAILBOX, receiver.url('healthy', `${n}`));
      }
      const worker = product.processes().get('worker');
      const before = await peakMib(worker);
      const session = await openSession(smtpPort);
      await session.send(`${MAILBOX}@${domain}`, benchMail(20 * MIB));
      await session.quit();
      await receiver.arrivals(WEBHOOKS);
      const work = `memory of the worker, one message of 20 MiB to ${WEBHOOKS} webhooks`;
      return [{ work, result: `${await peakMib(worker)} MiB at its peak (${before} before)` }];
    });
  } finally {
    receiver.stop();
  }
}

async function peakMib(pid: number | undefined): Promise<string> {
  const status = await readFile(`/proc/${pid ?? 'self'}/status`, 'utf8').catch(() => '');
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? '?' : (Number(kib) / 1024).toFixed(0);
}
