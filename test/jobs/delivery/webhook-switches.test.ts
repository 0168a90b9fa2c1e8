/** Responses with Retry-After, which can change the retry schedule if configured. */
import { expect } from 'chai';
import { service } from '../../support/service.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../../support/context/webhooks.ts';

const HOUR_MS = 3_600_000;

describe('responses that change the retry schedule', () => {
  const test = service({ env: QUICK_WEBHOOKS });
  const bench = webhookTest(test);
  const { receiver, working, reopen } = bench;

  const answered = async (status: number, retryAfter: string) => {
    receiver.answer((_req, res) => res.writeHead(status, { 'retry-after': retryAfter }).end());
    await working(async () => {
      await bench.mail();
      await receiver.request(1);
      await bench.settled('pending');
    });
    const [attempt] = await bench.attempts();
    const ended = attempt!.startedAt.getTime() + attempt!.durationMs!;
    return { attempt, delay: attempt!.nextAttemptAt!.getTime() - ended };
  };

  for (const [honored, status, retryAfter, asked, expected] of [
    ['true', 429, '5400', 1.5 * HOUR_MS, 1.5 * HOUR_MS],
    ['true', 503, '999999', 999_999_000, 2 * HOUR_MS],
    ['true', 503, '1', 1000, HOUR_MS],
    ['true', 503, 'later', null, HOUR_MS],
    ['true', 500, '5400', 1.5 * HOUR_MS, HOUR_MS],
    ['false', 429, '5400', 1.5 * HOUR_MS, HOUR_MS],
    ['', 503, '5400', 1.5 * HOUR_MS, HOUR_MS],
  ] as const) {
    const switched = honored || 'unset';
    it(`${status} with Retry-After ${retryAfter} is followed by ${expected} ms (${switched})`, async () => {
      const schedule = { WEBHOOK_RETRY_SCHEDULE_MS: String(HOUR_MS) };
      await reopen({ ...schedule, WEBHOOK_HONOUR_RETRY_AFTER: honored });
      const { attempt, delay } = await answered(status, retryAfter);
      expect(attempt).to.include({ statusCode: status, retryAfterMs: asked });
      expect(delay).to.be.within(expected - 1, expected + 60_000);
    });
  }
});
