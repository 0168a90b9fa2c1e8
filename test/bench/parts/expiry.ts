/**
 * Expiry of much mail at once while mail is received and read at full speed; and each without the
 * other.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { count, lte } from 'drizzle-orm';
import { openStore } from '../../../db/open.ts';
import type { Store } from '../../../db/store.ts';
import { benchMail } from '../../load/mails.ts';
import { type Figure, spread } from '../figures.ts';
import { fill } from '../../load/fill.ts';
import { askLoad } from '../../load/http.ts';
import { createMailboxes } from '../../load/mailboxes.ts';
import { sendLoad } from '../../load/smtp.ts';
import { type Target, onProduct } from '../target.ts';

const SIZES = [10_000, 100_000];
const ALONE = 100_000;
const MAILBOXES = 1000;
/** Longer than storing them takes. */
const EXPIRE_AFTER_MS = 60_000;
const LOOK_EVERY_MS = 50;
/** Duration of the load alone, for comparison. */
const ALONE_MS = 10_000;

interface Beside {
  acknowledged: number[];
  read: number[];
}

export function expiryFigures(): Promise<Figure[]> {
  return onProduct(async (target) => {
    const names = Array.from({ length: MAILBOXES }, (_, n) => `expiring-${n}`);
    const mailboxIds = await createMailboxes(target.rest, names);
    await createMailboxes(target.rest, ['busy']);
    const store = await openStore(target);
    try {
      const figures: Figure[] = [];
      for (const size of SIZES) {
        const work = `expiry of ${size.toLocaleString('en')} messages`;
        const { took } = await beginExpiry(target, store, mailboxIds, size);
        const beside = await loadUntil(target, took);
        figures.push(expiryFigure(work, size, await took), ...besideFigures(work, beside));
      }
      const work = `expiry of ${ALONE.toLocaleString('en')} messages, nothing beside it`;
      const { took } = await beginExpiry(target, store, mailboxIds, ALONE);
      figures.push(expiryFigure(work, ALONE, await took));
      const alone = await loadUntil(target, delay(ALONE_MS));
      return [...figures, ...besideFigures('with nothing to expire', alone)];
    } finally {
      await store.close();
    }
  });
}

/** Resolves when the first mails are gone; `took` to the milliseconds until the last are. */
async function beginExpiry(
  target: Target,
  store: Store,
  mailboxIds: string[],
  size: number,
): Promise<{ took: Promise<number> }> {
  const due = Date.now() + EXPIRE_AFTER_MS;
  const { database } = target;
  const receivedAt = () => due - 86_400_000;
  // Mails of one transaction share a receive time, so the expiry times differ accordingly.
  await fill({ database, mailboxIds, messages: size, receivedAt, expiresAt: (n) => due - n / 100 });
  const left = async () => {
    const rows = await store.query((db) =>
      db
        .select({ left: count() })
        .from(db.t.mails)
        .where(lte(db.t.mails.expiresAt, new Date(due))),
    );
    return rows[0]?.left ?? 0;
  };
  if ((await left()) < size) throw new Error('the mails expired before all were stored');
  while ((await left()) === size) await delay(LOOK_EVERY_MS);
  const began = performance.now();
  const gone = async () => {
    while ((await left()) > 0) await delay(LOOK_EVERY_MS);
    return performance.now() - began;
  };
  return { took: gone() };
}

function expiryFigure(work: string, size: number, took: number): Figure {
  const result = `${(took / 1000).toFixed(2)} s (${((took * 1000) / size).toFixed(0)} µs each)`;
  return { work, result, values: { seconds: took / 1000 } };
}

/** Two clients that send mail and two that list a mailbox, in loops. */
async function loadUntil(target: Target, end: Promise<unknown>): Promise<Beside> {
  let over = false;
  void end.finally(() => (over = true));
  const beside: Beside = { acknowledged: [], read: [] };
  const sending = async () => {
    while (!over) {
      beside.acknowledged.push(
        ...(await sendLoad({
          port: target.smtpPort,
          connections: 2,
          mails: 100,
          recipient: () => `busy@${target.domain}`,
          body: benchMail(2048),
          newConnectionEach: false,
        })),
      );
    }
  };
  const reading = async () => {
    const { origin, token } = target;
    const path = () => '/api/mailboxes/busy/messages?limit=10';
    while (!over) {
      beside.read.push(...(await askLoad({ origin, token, clients: 2, requests: 100, path })));
    }
  };
  await Promise.all([sending(), reading(), end]);
  return beside;
}

function besideFigures(work: string, { acknowledged, read }: Beside): Figure[] {
  const show = (what: string, took: number[]): Figure => {
    const { text, values } = spread(took);
    return {
      work: `${what} beside it: ${work}`,
      result: `${text}, ${took.length} of them`,
      values,
    };
  };
  return [show('final dot to 250', acknowledged), show('list of 10', read)];
}
