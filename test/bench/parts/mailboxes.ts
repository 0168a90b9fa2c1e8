/** Mailboxes of test runs: batches, deletion by label, and the list of all. */
import { type Figure, median, spread, times } from '../figures.ts';
import { askLoad } from '../../load/http.ts';
import { besideHealth } from '../health.ts';
import { type Target, onProduct } from '../target.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';

const BATCHES = 40;
const BATCH = 100;
const DELETIONS = 5;
const DELETED = 500;
const LISTED = 10_000;
const LISTS = 20;
const RUNS = 3;
const MANY = 100_000;
const AT_ONCE = 8;
/** Batches in progress while the mailboxes are created. */
const FILLING = 4;

interface Mailbox {
  address: string;
}

export function mailboxFigures(): Promise<Figure[]> {
  return onProduct(async (target) => [
    await batches(target),
    await deletions(target),
    ...(await lists(target)),
    await listsAtOnce(target),
  ]);
}

async function timed<Result>(work: () => Promise<Result>) {
  const start = performance.now();
  return { result: await work(), ms: performance.now() - start };
}

const create = async (target: Target, count: number, labels: Record<string, string>) =>
  (
    await target.rest.json<{ mailboxes: Mailbox[] }>('POST', '/mailboxes/batch', {
      ...{ count, labels, expiresIn: 3600 },
    })
  ).mailboxes;

/** Mail to the last mailbox of each batch must be accepted at once. */
async function batches(target: Target): Promise<Figure> {
  const smtp = await SmtpClient.open(target.smtpPort);
  const took: number[] = [];
  let accepted = 0;
  for (let n = 0; n < BATCHES; n += 1) {
    const { result, ms } = await timed(() => create(target, BATCH, { run: `batch-${n}` }));
    took.push(ms);
    const [, reply] = await smtp.envelope('a@bench.example', result.at(-1)?.address ?? '');
    if (reply?.code === 250) accepted += 1;
    await smtp.command('RSET');
  }
  await smtp.quit();
  const { text, values } = spread(took.slice(5)); // the first ones warm up the JIT
  return {
    work: `batch of ${BATCH}, ${BATCHES} in a row`,
    result: `${text}; RCPT accepted after ${accepted} of ${BATCHES}`,
    values: { ...values, accepted },
  };
}

async function deletions(target: Target): Promise<Figure> {
  const took: number[] = [];
  for (let n = 0; n < DELETIONS; n += 1) {
    for (let made = 0; made < DELETED; made += BATCH) {
      await create(target, BATCH, { run: `deleted-${n}` });
    }
    const path = `/mailboxes?label=run:deleted-${n}`;
    const { result, ms } = await timed(() => target.rest.json<{ deleted: number }>('DELETE', path));
    if (result.deleted !== DELETED) throw new Error(`deleted ${result.deleted}`);
    took.push(ms);
  }
  const slowest = Math.max(...took);
  return {
    work: `delete of ${DELETED} by label, beside ${BATCHES * BATCH} others`,
    result: `median ${median(took).toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`,
    values: { median: median(took), slowest },
  };
}

/** With and without a filter, of which the latter is comparable with earlier versions. */
async function lists(target: Target): Promise<Figure[]> {
  await target.rest.json('DELETE', '/mailboxes?label=run:batch-0');
  for (let n = 1; n < BATCHES; n += 1) {
    await target.rest.json('DELETE', `/mailboxes?label=run:batch-${n}`);
  }
  for (let made = 0; made < LISTED; made += BATCH) {
    await target.rest.json('POST', '/mailboxes/batch', { count: BATCH });
  }
  await create(target, BATCH, { run: 'listed' });
  const listed = async (work: string, path: string): Promise<Figure> => {
    const { origin, token } = target;
    const load = { origin, token, clients: 1, requests: LISTS, path: () => path };
    const medians = await times(RUNS, async () => median(await askLoad(load)));
    const ms = median(medians);
    return { work, result: `median ${ms.toFixed(1)} ms`, values: { ms } };
  };
  return [
    await listed(`all ${LISTED + BATCH} mailboxes with counts`, '/api/mailboxes'),
    await listed(`${BATCH} of them by label`, '/api/mailboxes?label=run:listed'),
  ];
}

/** All mailboxes, requested several times at once. */
async function listsAtOnce(target: Target): Promise<Figure> {
  const stored = LISTED + BATCH;
  let left = Math.ceil((MANY - stored) / BATCH);
  const fill = async () => {
    while (left > 0) {
      left -= 1;
      await target.rest.json('POST', '/mailboxes/batch', { count: BATCH });
    }
  };
  await Promise.all(Array.from({ length: FILLING }, fill));
  const { origin, token } = target;
  const path = () => '/api/mailboxes';
  const { text, values } = await besideHealth(target, () =>
    askLoad({ origin, token, clients: AT_ONCE, requests: AT_ONCE, path }),
  );
  const work = `all ${MANY} mailboxes with counts, ${AT_ONCE} at once`;
  return { work, result: text, values };
}
