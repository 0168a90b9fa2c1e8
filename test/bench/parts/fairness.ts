/** Effect of dead and slow receivers, and of mail for many webhooks, on the healthy ones. */
import { crowdMeasurements } from './crowds.ts';
import { type Figure, median, percentile, times } from '../figures.ts';
import type { Behaviour } from '../../load/receiver.ts';
import { settings } from '../settings.ts';
import { type WebhookRun, webhookRun } from './webhook-run.ts';

const RUNS = 3;
const HEALTHY: Behaviour[] = Array.from({ length: 20 }, () => 'healthy');

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
  ...crowdMeasurements,
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
  without: Behaviour[][],
  withDead: Behaviour[][],
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

function alone(behaviours: Behaviour[]): Behaviour[][] {
  return behaviours.map((behaviour) => [behaviour]);
}
