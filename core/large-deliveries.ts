/**
 * Deliveries of large bodies go out a few at a time, since each stays in memory for as long as its receiver
 * takes, and one webhook never has all the places.
 */
import { type Line, openParkLines } from './park-line.js';

const PLACES = 4;
const PLACES_A_WEBHOOK = 2;
/** How often a place is taken to come free. */
const GAP_MS = 250;

export interface LargeDeliveries {
  /** Does the work now where there is a place for it; else tells in how many milliseconds to ask again. */
  admit: <Result>(
    webhookId: string,
    work: () => Promise<Result>,
  ) => Promise<{ result: Result } | { laterMs: number }>;
}

export function openLargeDeliveries(now = () => performance.now()): LargeDeliveries {
  const underWay: string[] = [];
  const line: Line = { endsAt: 0 };
  const { park } = openParkLines(now);
  return {
    async admit(webhookId, work) {
      const ofWebhook = underWay.filter((id) => id === webhookId).length;
      if (underWay.length >= PLACES || ofWebhook >= PLACES_A_WEBHOOK) {
        return { laterMs: park(line, GAP_MS) };
      }
      underWay.push(webhookId);
      try {
        return { result: await work() };
      } finally {
        underWay.splice(underWay.indexOf(webhookId), 1);
      }
    },
  };
}
