/** Reading, and storing beside it, at growing numbers of stored messages: all of it ought to stay flat. */
import { benchMail } from './bench-mail.js';
import { fill } from './fill.js';
import { type Figure, median, percentile, times } from './figures.js';
import { askLoad } from './http-load.js';
import { intakeRate } from './intake.js';
import { createMailboxes } from './mailboxes.js';
import { type Target, onProduct } from './target.js';
import { settings } from './settings.js';

const MAILBOXES = 10_000;
const CLIENTS = 16;
const RUNS = 3;
/** In the mailbox whose messages are listed and fetched. */
const LISTED = 200;
const HOUR = 3_600_000;

interface Rate {
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
}

/** The rows at each size, and for each row how it compares at the largest and at the smallest. */
export function readFigures(): Promise<Figure[]> {
  const sizes = [...settings.sizes].sort((a, b) => a - b);
  return onProduct(async (target) => {
    const names = Array.from({ length: MAILBOXES }, (_, n) => `stored-${n}`);
    const mailboxIds = await createMailboxes(target, names);
    const [listed = ''] = await createMailboxes(target, ['listed']);
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
      await fill({ ...more, receivedAt: (n) => began + ((before + n) * 11 * HOUR) / largest });
      stored = size;
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
    await askLoad({ ...load, requests: Math.ceil(requests / 10) });
    const runs = await times(RUNS, () => rateOf({ ...load, requests }));
    return row(work, runs.sort((a, b) => a.perSecond - b.perSecond)[Math.floor(RUNS / 2)]);
  };
  const at = `${size.toLocaleString('en')} stored`;
  const spread = (n: number) => names[(n * 7919) % names.length] ?? '';
  return [
    await measure(`list of 100, ${at}`, CLIENTS, 1500, () => `${messages}?limit=100`),
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
    await intakeRate(target, `2 KB mail, 20 kept connections, ${at}`, {
      body: benchMail(2048),
      connections: 20,
      newConnectionEach: false,
      mails: 3000,
    }),
  ];
}

async function rateOf(load: Parameters<typeof askLoad>[0]): Promise<Rate> {
  const start = performance.now();
  const took = await askLoad(load);
  return {
    perSecond: (load.requests * 1000) / (performance.now() - start),
    p50: median(took),
    p95: percentile(took, 0.95),
    p99: percentile(took, 0.99),
  };
}

function row(work: string, rate: Rate | undefined): Figure {
  const { perSecond, p50, p95, p99 } = rate ?? { perSecond: NaN, p50: NaN, p95: NaN, p99: NaN };
  const took = [p50, p95, p99].map((value) => value.toFixed(1)).join(' / ');
  return {
    work,
    result: `${perSecond.toFixed(0)}/s (p50 / p95 / p99 ${took} ms)`,
    values: { perSecond, p50, p95, p99 },
  };
}

function ratios(bySize: Figure[][]): Figure[] {
  const [smallest, largest] = [bySize[0], bySize.at(-1)];
  if (!smallest || !largest || smallest === largest) return [];
  return smallest.map(({ work, values }, n) => {
    const ratio = (values?.perSecond ?? NaN) / (largest[n]?.values?.perSecond ?? NaN);
    return {
      work: `${work.slice(0, work.lastIndexOf(','))}: smallest beside largest`,
      result: `${ratio.toFixed(2)} times the rate`,
      values: { ratio },
    };
  });
}
