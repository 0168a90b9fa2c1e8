/** Searches over all mailboxes at numbers of stored messages, and the speed of the index. */
import { type Figure, median, perSecond, spread } from '../figures.ts';
import { fill, untilIndexed } from '../../load/fill.ts';
import { askLoad } from '../../load/http.ts';
import { createMailboxes } from '../../load/mailboxes.ts';
import { FREQUENCY, type Frequency, marker, wordsOfMail } from '../../load/words.ts';
import { settings } from '../settings.ts';
import { type Target, onProduct } from '../target.ts';

const MAILBOXES = 200;
const CLIENTS = 16;
const ALONE = 60;
const TOGETHER = 320;
const HOUR = 3_600_000;

export function searchFigures(): Promise<Figure[]> {
  return onProduct(
    async (target) => {
      const names = Array.from({ length: MAILBOXES }, (_, n) => `stored-${n}`);
      const mailboxIds = await createMailboxes(target.rest, names);
      const sizes = [...settings.sizes].sort((a, b) => a - b);
      const largest = Math.max(...sizes);
      const began = Date.now() - 12 * HOUR;
      const figures: Figure[] = [];
      let stored = 0;
      for (const size of sizes) {
        const before = stored;
        await fill({
          ...{ database: target.database, mailboxIds, messages: size - before },
          receivedAt: (n) => began + Math.floor(((before + n) * 11 * HOUR) / largest),
          expiresAt: () => Date.now() + 12 * HOUR,
          text: (n) => wordsOfMail(before + n),
        });
        figures.push(
          await indexing(target, size, size - before),
          ...(await searches(target, size)),
        );
        stored = size;
      }
      return figures;
    },
    { RATE_LIMIT_PRO: '0' },
  );
}

/** Waits until all mail is indexed. */
async function indexing({ database }: Target, size: number, added: number): Promise<Figure> {
  const began = performance.now();
  const start = await untilIndexed(database, size);
  const rate = (start * 1000) / (performance.now() - began);
  return {
    work: `mails indexed, ${size.toLocaleString('en')} stored`,
    result: `${rate.toFixed(0)}/s (${start} of ${added} after the filling)`,
    values: { perSecond: rate },
  };
}

async function searches({ origin, token }: Target, size: number): Promise<Figure[]> {
  const at = `${size.toLocaleString('en')} stored`;
  const load = (clients: number, requests: number, path: (n: number) => string) =>
    askLoad({ origin, token, clients, requests, path });
  const pathOf = (frequency: Frequency) => (n: number) => {
    const number = (n * FREQUENCY.rare) % size;
    return `/api/messages?limit=50&q=${marker(frequency, number)}`;
  };
  const queries: [string, (n: number) => string][] = [
    ...(Object.keys(FREQUENCY) as Frequency[]).map((frequency): [string, (n: number) => string] => [
      `a ${frequency} word (1 in ${FREQUENCY[frequency]})`,
      pathOf(frequency),
    ]),
    ['a word that no mail has', (n) => `/api/messages?q=nosuchword${n}`],
    ['two words', () => `/api/messages?limit=50&q=${marker('common')}+ba`],
    ['all mail, no query', () => '/api/messages?limit=50'],
  ];
  const figures: Figure[] = [];
  for (const [name, path] of queries) {
    await load(1, ALONE / 3, path);
    const { text, values } = spread(await load(1, ALONE, path));
    figures.push({ work: `${name}, one client, ${at}`, result: text, values });
  }
  const mixed = (n: number) => (queries[n % 3]?.[1] ?? pathOf('rare'))(n);
  let took: number[] = [];
  const rate = await perSecond(TOGETHER, async () => (took = await load(CLIENTS, TOGETHER, mixed)));
  figures.push({
    work: `rare, common and frequent words, ${CLIENTS} clients, ${at}`,
    result: `${rate.toFixed(0)}/s (p50 ${median(took).toFixed(0)} ms)`,
    values: { perSecond: rate, p50: median(took) },
  });
  return figures;
}
