import { expect } from 'chai';
import { DeliveryLimiter, smallLimits } from '../../../core/delivery/limits.ts';

const RECEIVERS = 10_000;

describe('the limits of receivers', () => {
  it('count the requests in progress of a receiver however many others are called', async () => {
    const limiter = new DeliveryLimiter(smallLimits(40), () => performance.now());
    const acquire = (webhookId: string) =>
      limiter.acquire({ webhookId, mailboxId: webhookId, workspaceId: webhookId });
    const placeOf = async (webhookId: string) => {
      const place = await acquire(webhookId);
      if (place.kind === 'refused') throw new Error(`${webhookId} is refused`);
      return place;
    };
    (await placeOf('slow')).release({ failed: false, durationMs: 1 });
    const held = await Promise.all(Array.from({ length: 10 }, () => placeOf('slow')));
    const callOthers = async (kind: string) => {
      for (let n = 0; n < RECEIVERS; n += 1) {
        (await placeOf(`${kind}-${n}`)).release({ failed: false, durationMs: 1 });
      }
    };
    await callOthers('first');
    expect((await acquire('slow')).kind).to.equal('refused');
    await callOthers('second');
    for (const place of held) place.release({ failed: true, durationMs: 1 });
    expect((await acquire('slow')).kind, 'after failures').to.equal('acquired');
    expect((await acquire('slow')).kind, 'one at a time').to.equal('refused');
  });
});
