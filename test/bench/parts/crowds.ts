/**
 * Effect of many slow or dead receivers, and of one mail for many, on the rest of the workspace.
 */
import { type Others, beside } from './beside.ts';
import { percentile } from '../figures.ts';
import type { Behaviour } from '../../load/receiver.ts';

const SMALL = { bytes: 2048, perSecond: 20 };
const LARGE = { bytes: 1_200_000, perSecond: 4 };

/** From the 250 to the request, one run each. */
export const crowdMeasurements = [
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

function measurement(who: string, others: Others) {
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

function of(behaviour: Behaviour, count: number): Behaviour[] {
  return Array.from({ length: count }, () => behaviour);
}

function inTurn(mailboxes: Behaviour[][]): Others {
  return { mailboxes, together: false, ...SMALL };
}
