/** Latency and throughput of webhook deliveries, and the return of lost jobs. */
import { type Figure, median, percentile, times } from '../figures.ts';
import type { Behavior } from '../../load/receiver.ts';
import { lostDeliveries } from './lost-deliveries.ts';
import { type WebhookResult, type WebhookRun, webhookRun } from './webhook-run.ts';

const RUNS = 3;
const oneEach: Behavior[][] = Array.from({ length: 10 }, () => ['healthy']);
const allOnOne: Behavior[][] = [Array.from({ length: 10 }, () => 'healthy')];
const AT_ONCE = 10_000;

/**
 * From the 250 to the request at the receiver, and the rate under overload; medians of three runs.
 * Lost jobs: one run.
 */
export async function webhookFigures(): Promise<Figure[]> {
  return [
    await latency('10 mailboxes of 1 webhook, 100 mails/s', {
      mails: 1000,
      perSecond: 100,
      mailboxes: oneEach,
    }),
    await latency('1 mailbox of 10 webhooks, 10 mails/s', {
      mails: 100,
      perSecond: 10,
      mailboxes: allOnOne,
    }),
    await latency('1 mailbox of 10 webhooks, 100 mails/s', {
      mails: 1000,
      perSecond: 100,
      mailboxes: allOnOne,
    }),
    await rate('webhook requests, 10 mailboxes of 1 webhook', {
      mails: 2000,
      perSecond: AT_ONCE,
      mailboxes: oneEach,
    }),
    await rate('webhook requests, 1 mailbox of 10 webhooks', {
      mails: 500,
      perSecond: AT_ONCE,
      mailboxes: allOnOne,
    }),
    await lostDeliveries(),
  ];
}

async function latency(work: string, run: WebhookRun): Promise<Figure> {
  const runs = await times(RUNS, () => webhookRun(run));
  const show = (part: number) =>
    `p${part * 100} ${medianOf(runs, ({ delays }) => percentile(delays, part)).toFixed(1)} ms`;
  return { work: `250 to webhook, ${work}`, result: [0.5, 0.95, 0.99].map(show).join(', ') };
}

async function rate(work: string, run: WebhookRun): Promise<Figure> {
  const runs = await times(RUNS, () => webhookRun(run));
  return { work, result: `${medianOf(runs, (one) => one.rate).toFixed(0)}/s` };
}

function medianOf(runs: WebhookResult[], value: (run: WebhookResult) => number): number {
  return median(runs.map(value));
}
