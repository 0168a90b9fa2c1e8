/**
 * Reads, with concurrent writes, at growing numbers of stored messages. The rates should stay
 * constant.
 */
import { benchMail } from '../../load/mails.ts';
import { fill, untilIndexed } from '../../load/fill.ts';
import { type Figure, median, perSecond, spread, times } from '../figures.ts';
import { askLoad } from '../../load/http.ts';
import { intakeRate } from './intake.ts';
import { createMailboxes } from '../../load/mailboxes.ts';
import { type Target, onProduct } from '../target.ts';
import { settings } from '../settings.ts';

const MAILBOXES = 10_000;
const CLIENTS = 16;
const RUNS = 3;
/** Messages in the mailbox that is listed and fetched. */
const LISTED = 200;
const HOUR = 3_600_000;

/** The rows at each size, and for each row the ratio of the largest to the smallest size. */
export function readFigures(): Promise<Figure[]> {
  const sizes = [...settings.sizes].sort((a, b) => a - b);
  return onProduct(async (target) => {
    const names = Array.from({ length: MAILBOXES }, (_, n) => `stored-${n}`);
    const mailboxIds = await createMailboxes(target.rest, names);
    const [listed = ''] = await createMailboxes(target.rest, ['listed']);
    const began = Date.now() - 12 * HOUR;
    const expires = () => Date.now() + 12 * HOUR;
    const { database } = target;
    const recent = { database, mailboxIds: [listed], messages: LISTED, expiresAt: expires };
    await fill({ ...recent, receivedAt: (n) => Date.now() - LISTED + n });

    const bySize: Figure[][] = [];
    let stored = 0;
    for (const size of sizes) {
      const more = { database, mailboxIds, messages: size - stored, expiresAt: expires };
      const before = stored;
      const largest = Math.max(...sizes);
      const later = (n: number) => Math.floor(((before + n) * 11 * HOUR) / largest);
      await fill({ ...more, receivedAt: (n) => began + later(n) });
      stored = size;
      await untilIndexed(database, stored + LISTED);
      bySize.push(await figuresAt(target, size, names));
    }
    return [...bySize.flat(), ...ratios(bySize)];
  });
}

async function figuresAt(target: Target, size: number, names: string[]): Promise<Figure[]> {
  const listed = await target.rest.messages('listed');
  const ids = listed.map(({ id }) => id);
  const messages = '/api/mailboxes/listed/messages';
  const measure = async (
    work: string,
    clients: number,
    requests: number,
    path: (n: number) => string,
  ) => {
    const load = { origin: target.origin, token: target.token, clients, path };
    await askLoad({ ...load, requests: Math.ceil(requests / 3) }); // warms up the JIT
    return rateRow(work, requests, () => askLoad({ ...load, requests }));
  };
  const at = `${size.toLocaleString('en')} stored`;
  const spread = (n: number) => names[(n * 7919) % names.length] ?? '';
  return [
    await measure(`list of 100, ${at}`, CLIENTS, 1500, () => `${messages}?limit=100`),
    await measure(
      `list of 100 in summaries, ${at}`,
      CLIENTS,
      1500,
      () => `${messages}?limit=100&view=summary`,
    ),
    await measure(
      `one message, ${at}`,
      CLIENTS,
      6000,
      (n) => `${messages}/${ids[n % ids.length] ?? ''}`,
    ),
    await measure(
      `newest of one mailbox, ${at}`,
      CLIENTS,
      6000,
      (n) => `/api/mailboxes/${spread(n)}/messages?limit=1`,
    ),
    await measure(
      `all ${MAILBOXES.toLocaleString('en')} mailboxes with counts, one client, ${at}`,
      1,
      20,
      () => '/api/mailboxes',
    ),
    ...(await intakeRate(target, `2 KB mail, 20 kept connections, ${at}`, {
      body: benchMail(2048),
      connections: 20,
      newConnectionEach: false,
      mails: 3000,
    })),
  ];
}

/** The run with the median rate. */
async function rateRow(
  work: string,
  requests: number,
  ask: () => Promise<number[]>,
): Promise<Figure> {
  const runs = await times(RUNS, async () => {
    let took: number[] = [];
    const rate = await perSecond(requests, async () => (took = await ask()));
    return { rate, took };
  });
  const rate = median(runs.map((run) => run.rate));
  const { text, values } = spread(runs.find((run) => run.rate === rate)?.took ?? []);
  return {
    work,
    result: `${rate.toFixed(0)}/s (${text})`,
    values: { perSecond: rate, ...values },
  };
}

function ratios(bySize: Figure[][]): Figure[] {
  const [smallest, largest] = [bySize[0], bySize.at(-1)];
  if (!smallest || !largest || smallest === largest) return [];
  return smallest.flatMap(({ work, values }, n) => {
    const [one, other] = [values?.perSecond, largest[n]?.values?.perSecond];
    if (one === undefined || other === undefined) return [];
    const ratio = one / other;
    return [
      {
        work: `${work.replace(/, [\d,]+ stored$/, '')}: smallest beside largest`,
        result: `${ratio.toFixed(2)} times the rate`,
        values: { ratio },
      },
    ];
  });
}
