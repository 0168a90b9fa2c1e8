/** Effect of dead and slow receivers, and of mail for many webhooks, on the healthy ones. */
import { type Others, beside } from './beside.ts';
import { type Figure, median, percentile, times } from '../figures.ts';
import type { Behavior } from '../../load/receiver.ts';
import { settings } from '../settings.ts';
import { type WebhookRun, webhookRun } from './webhook-run.ts';

const RUNS = 3;
const HEALTHY: Behavior[] = Array.from({ length: 20 }, () => 'healthy');

const SMALL = { bytes: 2048, perSecond: 20 };
const LARGE = { bytes: 1_200_000, perSecond: 4 };

/** A figure that is not measured yet. */
interface Measurement {
  work: string;
  measure: () => Promise<string>;
}

/**
 * One dead receiver among twenty, by the 95th percentile of the twenty (medians of three runs of
 * 500 messages with and without it); then the effect of many.
 */
const MEASUREMENTS: Measurement[] = [
  compare('500 messages, each to all, 10 mails/s', 10, [HEALTHY], [[...HEALTHY, 'dead']]),
  compare('500 messages in turn, 100 mails/s', 100, alone(HEALTHY), [...alone(HEALTHY), ['dead']]),
  ...crowds(),
];

export async function fairnessFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { work, measure } of MEASUREMENTS) {
    if (work.includes(settings.only)) figures.push({ work, result: await measure() });
  }
  return figures;
}

function compare(
  work: string,
  perSecond: number,
  without: Behavior[][],
  withDead: Behavior[][],
): Measurement {
  const p95 = async (mailboxes: WebhookRun['mailboxes']) => {
    const runs = await times(RUNS, () => webhookRun({ mails: 500, perSecond, mailboxes }));
    return median(runs.map(({ delays }) => percentile(delays, 0.95))).toFixed(0);
  };
  return {
    work: `20 healthy receivers, ${work}`,
    measure: async () =>
      `p95 ${await p95(without)} ms, beside a dead one ${await p95(withDead)} ms`,
  };
}

function alone(behaviors: Behavior[]): Behavior[][] {
  return behaviors.map((behavior) => [behavior]);
}

/**
 * Many slow or dead receivers, and one mail for many: from the 250 to the request, one run each.
 */
function crowds(): Measurement[] {
  return [
    measurement('nobody', inTurn([])),
    measurement('25 receivers answering after 9.5 s', inTurn([of('slow', 25)])),
    measurement('40 dead receivers', inTurn([of('dead', 20), of('dead', 20)])),
    measurement('100 dead receivers', inTurn([of('dead', 50), of('dead', 50)])),
    measurement('one mail to 100 mailboxes of 50 webhooks', {
      mailboxes: Array.from({ length: 100 }, () => of('quiet', 50)),
      together: true,
      ...SMALL,
    }),
    measurement('6 dead receivers of one mailbox, all mails of 1.2 MB', {
      mailboxes: [of('dead', 6)],
      together: false,
      ...LARGE,
    }),
  ];
}

function measurement(who: string, others: Others): Measurement {
  return {
    work: `beside ${who}, p50/p95/p99`,
    measure: async () => {
      const { known, first } = await beside(others);
      const show = (delays: number[]) =>
        [0.5, 0.95, 0.99].map((part) => percentile(delays, part).toFixed(0)).join('/');
      return `${show(known)} ms, the first mail of a mailbox ${show(first)} ms`;
    },
  };
}

function of(behavior: Behavior, count: number): Behavior[] {
  return Array.from({ length: count }, () => behavior);
}

function inTurn(mailboxes: Behavior[][]): Others {
  return { mailboxes, together: false, ...SMALL };
}
