/** Effect of dead and slow receivers, and of mail for many webhooks, on the healthy ones. */
import { crowdFigures } from './crowds.js';
import { type Figure, median, percentile, times } from '../figures.js';
import type { Behaviour } from '../load/receiver.js';
import { type WebhookRun, webhookRun } from '../load/webhook-run.js';

const RUNS = 3;
const HEALTHY: Behaviour[] = Array.from({ length: 20 }, () => 'healthy');

/**
 * One dead receiver among twenty, by the 95th percentile of the twenty (medians of three runs of
 * 500 messages with and without it); then the effect of many.
 */
export async function fairnessFigures(): Promise<Figure[]> {
  return [
    await compare('500 messages, each to all, 10 mails/s', 10, [HEALTHY], [[...HEALTHY, 'dead']]),
    await compare('500 messages in turn, 100 mails/s', 100, alone(HEALTHY), [
      ...alone(HEALTHY),
      ['dead'],
    ]),
    ...(await crowdFigures()),
  ];
}

async function compare(
  work: string,
  perSecond: number,
  without: Behaviour[][],
  withDead: Behaviour[][],
): Promise<Figure> {
  const p95 = async (mailboxes: WebhookRun['mailboxes']) => {
    const runs = await times(RUNS, () => webhookRun({ mails: 500, perSecond, mailboxes }));
    return median(runs.map(({ delays }) => percentile(delays, 0.95))).toFixed(0);
  };
  return {
    work: `20 healthy receivers, ${work}`,
    result: `p95 ${await p95(without)} ms, beside a dead one ${await p95(withDead)} ms`,
  };
}

function alone(behaviours: Behaviour[]): Behaviour[][] {
  return behaviours.map((behaviour) => [behaviour]);
}
