/**
 * CPU time of 2 KB mails right after a start and after many mails, on a new product for each kind
 * of connection; and its memory. The first mails of a process cost more, because its code is not
 * compiled yet.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { allVisible, createMailboxes } from '../../load/mailboxes.ts';
import { benchMail } from '../../load/mails.ts';
import { sendLoad } from '../../load/smtp.ts';
import { cpuAMail, openAccounts, showCpu } from '../accounting/usage.ts';
import type { Figure } from '../figures.ts';
import { type Target, onProduct } from '../target.ts';
import { memoryOf, showMemory } from './memory.ts';

const MAILBOXES = 20;
const MEASURED = 5000;
const IN_ALL = 22_000;
const SETTLED_MS = 3000;

export async function sustainedFigures(): Promise<Figure[]> {
  return [
    ...(await onProduct((target) => figuresOf(target, 'kept connections', false))),
    ...(await onProduct((target) => figuresOf(target, 'a connection each', true))),
  ];
}

async function figuresOf(
  { product, rest, smtpPort, domain }: Target,
  kind: string,
  newConnectionEach: boolean,
): Promise<Figure[]> {
  const names = Array.from({ length: MAILBOXES }, (_, n) => `load-${n}`);
  await createMailboxes(rest, names);
  const accounts = openAccounts(product);
  let sent = 0;
  const send = async (mails: number) => {
    const before = await accounts.read();
    await sendLoad({
      ...{ port: smtpPort, connections: 20, mails, newConnectionEach, body: benchMail(2048) },
      recipient: (n) => `${names[n % MAILBOXES] ?? ''}@${domain}`,
    });
    sent += mails;
    await allVisible(rest, names, sent);
    return cpuAMail(before, await accounts.read(), mails);
  };
  const memory = async (when: string): Promise<Figure> => {
    const now = await memoryOf(product);
    return { work: `memory (PSS), ${when}`, result: showMemory(now), values: { total: now.total } };
  };
  const cpu = (when: string, values: Record<string, number>): Figure => ({
    ...{ work: `CPU a mail, ${when}`, result: showCpu(values), values },
  });

  await delay(SETTLED_MS);
  const figures = [
    await memory('idle'),
    cpu(`first ${MEASURED}`, await send(MEASURED)),
    await memory(`after ${MEASURED}`),
  ];
  await send(MEASURED);
  figures.push(cpu(`${MEASURED} after ${sent}`, await send(MEASURED)));
  await send(IN_ALL - sent);
  figures.push(await memory(`after ${IN_ALL}`));
  accounts.close();
  return figures.map((figure) => ({ ...figure, work: `${kind}: ${figure.work}` }));
}
