import { expect } from 'chai';
import { failureChange } from '../../../core/webhooks/auto-pause.ts';
import type { WebhookRow } from '../../../db/statements/webhooks.ts';

const DAY_MS = 86_400_000;
const RULES = { pauseAfterAbandoned: 3, pauseAfterMs: DAY_MS };
const now = new Date('2026-03-01T12:00:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);

/** A webhook with the given failure record; its other columns do not matter. */
const webhook = (record: Partial<WebhookRow>) =>
  ({ active: true, failingSince: null, abandonedInARow: 0, ...record }) as WebhookRow;
const paused = { active: false, pausedReason: 'failing', pausedAt: now };

describe('automatic pause', () => {
  it('happens at the third abandoned delivery one day after the first failure', () => {
    const record = { failingSince: ago(DAY_MS), abandonedInARow: 2 };
    const change = failureChange(RULES, webhook(record), true, now);
    expect(change).to.deep.equal({ failingSince: ago(DAY_MS), abandonedInARow: 3, ...paused });
  });

  for (const [why, record, isAbandoned] of [
    ['too few were abandoned', { failingSince: ago(30 * DAY_MS), abandonedInARow: 1 }, true],
    ['it has not failed for long', { failingSince: ago(DAY_MS - 1), abandonedInARow: 100 }, true],
    ['none was abandoned', { failingSince: ago(30 * DAY_MS), abandonedInARow: 100 }, false],
    ['nothing had failed before', { failingSince: null, abandonedInARow: 100 }, true],
  ] as const) {
    it(`does not happen if ${why}`, () => {
      const change = failureChange(RULES, webhook(record), isAbandoned, now);
      expect(change ?? {}).not.to.have.any.keys('active', 'pausedReason', 'pausedAt');
    });
  }

  it('counts abandoned deliveries, and keeps the time of the first failure', () => {
    const first = failureChange(RULES, webhook({}), false, now);
    expect(first).to.deep.equal({ failingSince: now });
    const later = failureChange(RULES, webhook({ failingSince: ago(5) }), false, now);
    expect(later, 'no change').to.equal(null);
    const abandoned = failureChange(RULES, webhook({ failingSince: ago(5) }), true, now);
    expect(abandoned).to.deep.equal({ failingSince: ago(5), abandonedInARow: 1 });
  });

  it('keeps reason and time of an existing pause', () => {
    const record = { active: false, failingSince: ago(2 * DAY_MS), abandonedInARow: 9 };
    const change = failureChange(RULES, webhook(record), true, now);
    expect(change).to.deep.equal({ failingSince: ago(2 * DAY_MS), abandonedInARow: 10 });
  });
});
