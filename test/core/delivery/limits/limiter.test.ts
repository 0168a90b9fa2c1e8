import { expect } from 'chai';
import type { CallOutcome } from '../../../../core/delivery/limits/circuit-breaker.ts';
import {
  DeliveryLimiter,
  LARGE_LIMITS,
  type Limits,
  type Place,
  type Refused,
  smallLimits,
} from '../../../../core/delivery/limits/limiter.ts';

const CAPACITY = 200;
const PER_RECEIVER = 10;
const QUICK = { failed: false, durationMs: 1 };
const FAILED = { failed: true, durationMs: 1 };
const TIMED_OUT = { failed: true, durationMs: 10_000 };

describe('the delivery limiter', () => {
  let limiter: DeliveryLimiter;
  let time: number;
  const now = () => time;
  const open = (limits: Limits, fallback?: DeliveryLimiter) =>
    new DeliveryLimiter(limits, now, fallback);
  beforeEach(() => {
    time = 1_000_000;
    limiter = open(smallLimits(CAPACITY));
  });

  const acquire = (webhookId = 'whk_a', mailboxId = 'mbx_a', workspaceId = 'wsp_a') =>
    limiter.acquire({ webhookId, mailboxId, workspaceId });
  const places = (acquired: (Place | Refused)[]) =>
    acquired.filter((one): one is Place => one.kind === 'acquired');
  const delays = (acquired: (Place | Refused)[]) =>
    acquired.flatMap((one) => (one.kind === 'refused' ? [one.delayMs] : []));
  const many = (count: number, ...of: Parameters<typeof acquire>) =>
    Promise.all(Array.from({ length: count }, () => acquire(...of)));
  const called = async (outcome: CallOutcome | null, ...of: Parameters<typeof acquire>) => {
    const [place] = places([await acquire(...of)]);
    place?.release(outcome);
  };
  /** Starts a call to so many receivers, each in a mailbox of its own unless one is named. */
  const hang = async (count: number, workspace: string, mailbox?: string) => {
    const ids = Array.from({ length: count }, (_, n) => `${workspace}_${mailbox ?? ''}${n}`);
    const acquired = ids.map((id) => acquire(id, mailbox ?? `mbx_${id}`, workspace));
    return places(await Promise.all(acquired));
  };

  it('allows ten calls to a receiver that answers, whatever another one does', async () => {
    await called(QUICK);
    await called(QUICK, 'whk_b');
    expect(places(await many(PER_RECEIVER + 1))).to.have.length(PER_RECEIVER);
    expect(places(await many(PER_RECEIVER + 1, 'whk_b'))).to.have.length(PER_RECEIVER);
  });

  it('allows two calls until one has ended, and more once it has succeeded', async () => {
    const trials = places(await many(5));
    expect(trials).to.have.length(2);
    trials[0]!.release(null);
    const next = places(await many(5));
    expect(next).to.have.length(1);
    next[0]!.release(QUICK);
    expect(places(await many(PER_RECEIVER))).to.have.length(PER_RECEIVER - 1);
  });

  it('allows one trial at a time once a call has failed', async () => {
    await called(FAILED);
    const trials = places(await many(5));
    expect(trials).to.have.length(1);
    trials[0]!.release(QUICK);
    expect(places(await many(PER_RECEIVER + 5))).to.have.length(PER_RECEIVER);
  });

  it('allows no call while the breaker is open, and then one at a time', async () => {
    await called(TIMED_OUT);
    expect(delays(await many(1))).to.deep.equal([10_000]);
    time += 1000;
    expect(places(await many(5))).to.have.length(1);
  });

  it('allows no more calls while one hangs', async () => {
    await called(QUICK);
    const [hanging] = places([await acquire()]);
    time += 2001;
    expect(places(await many(3))).to.deep.equal([]);
    hanging!.release(QUICK);
    expect(places(await many(PER_RECEIVER))).to.have.length(PER_RECEIVER);
  });

  it('counts the time of a call from the request on, where that is written', async () => {
    await called(QUICK);
    const [place] = places([await acquire()]);
    time += 2001;
    place!.startTimer();
    expect(places(await many(1))).to.have.length(1);
    time += 2000;
    expect(place!.elapsedMs()).to.equal(2000);
    time += 1;
    expect(delays(await many(1))).to.have.length(1);
  });

  it('gives a place back once', async () => {
    await called(QUICK);
    const [place] = places(await many(PER_RECEIVER));
    place!.release(QUICK);
    place!.release(null);
    expect(places(await many(2))).to.have.length(1);
  });

  describe('refuses a delivery by its webhook alone', () => {
    const refused = () => limiter.refuseKnownBad('whk_a')?.delayMs;

    it('while the breaker is open, and while a trial is under way', async () => {
      await called(TIMED_OUT);
      expect(refused()).to.equal(10_000);
      time += 1000;
      expect(refused()).to.equal(undefined);
      const [trial] = places([await acquire()]);
      expect(refused()).to.equal(19_000);
      trial!.release(QUICK);
      expect(refused()).to.equal(undefined);
    });

    it('while the first calls of an unproven receiver take long', async () => {
      await many(2);
      expect(refused()).to.equal(undefined);
      time += 1000;
      expect(refused()).to.be.within(500, 1000);
    });

    it('never where the receiver is healthy, unproven or not known', async () => {
      expect(refused()).to.equal(undefined);
      const trials = places(await many(5));
      expect(refused()).to.equal(undefined);
      for (const trial of trials) trial.release(QUICK);
      await many(PER_RECEIVER);
      expect(refused()).to.equal(undefined);
    });
  });

  it('gives places to those who wait, in their order and ahead of newcomers', async () => {
    await called(QUICK);
    const taken = places(await many(PER_RECEIVER));
    const order: string[] = [];
    const asked = async (name: string) => {
      const acquired = await acquire();
      order.push(name);
      return acquired;
    };
    const waiting = [asked('first'), asked('second')];
    taken[0]!.release(QUICK);
    waiting.push(asked('newcomer'));
    taken[1]!.release(QUICK);
    taken[2]!.release(QUICK);
    expect(places(await Promise.all(waiting))).to.have.length(3);
    expect(order).to.deep.equal(['first', 'second', 'newcomer']);
  });

  it('leaves no place with one who has stopped waiting', async () => {
    await called(QUICK);
    const taken = places(await many(PER_RECEIVER));
    expect(delays([await acquire()])).to.have.length(1);
    for (const place of taken) place.release(QUICK);
    expect(places(await many(PER_RECEIVER))).to.have.length(PER_RECEIVER);
  });

  it('gives those who wait for a trial their places as soon as it succeeds', async () => {
    const [trial] = places(await many(2));
    const waiting = many(5);
    trial!.release(QUICK);
    expect(places(await waiting)).to.have.length(5);
  });

  describe('puts back', () => {
    it('deliveries of one receiver one after the other, by the time of its calls', async () => {
      await called(TIMED_OUT);
      time += 1000;
      await acquire();
      expect(delays(await many(3))).to.deep.equal([10_000, 20_000, 30_000]);
      const far = delays(await many(3));
      expect(far).to.deep.equal([30_010, 30_020, 30_030]);
    });

    it('those of a healthy receiver by a part of the time that one of its calls hangs', async () => {
      await called(QUICK);
      await acquire();
      time += 5000;
      expect(delays(await many(3))).to.deep.equal([500, 1000, 1500]);
    });

    it('those of an unproven receiver by half the time that its first calls take', async () => {
      await many(2);
      time += 5000;
      expect(delays(await many(3))).to.deep.equal([2500, 5000, 7500]);
    });

    it('for a quarter of a second at least', async () => {
      await called(QUICK);
      await many(PER_RECEIVER);
      expect(delays(await many(5))).to.deep.equal(Array(5).fill(250));
    });

    it('deliveries of all receivers at a fixed rate when they are many', async () => {
      for (const id of ['whk_a', 'whk_b']) await called(TIMED_OUT, id);
      time += 1000;
      const both = ['whk_a', 'whk_b'].map((id) => many(1000, id));
      const times = delays((await Promise.all(both)).flat()).sort((a, b) => a - b);
      const far = times.filter((ms) => ms > 30_000);
      expect(far).to.have.length(2 * 999 - 2 * 3);
      expect(far.at(-1)).to.equal(30_000 + 10 * far.length);
    });
  });

  describe('keeps a place', () => {
    it('for healthy receivers, however many others hang', async () => {
      await called(QUICK, 'whk_known', 'mbx_known', 'wsp_known');
      let hanging = 0;
      for (let n = 0; n < 10; n += 1) hanging += (await hang(50, `wsp_${n}`)).length;
      expect(hanging).to.equal((CAPACITY * 5) / 8);
      const known = await many(PER_RECEIVER, 'whk_known', 'mbx_known', 'wsp_known');
      expect(places(known)).to.have.length(PER_RECEIVER);
    });

    it('for unproven receivers, however many of several workspaces are known to hang', async () => {
      for (const workspace of ['wsp_a', 'wsp_b', 'wsp_c']) {
        for (const place of await hang(90, workspace)) place.release(TIMED_OUT);
      }
      time += 1000;
      for (const workspace of ['wsp_a', 'wsp_b', 'wsp_c']) await hang(90, workspace);
      expect(places([await acquire('whk_new', 'mbx_new', 'wsp_a')])).to.have.length(1);
      expect(places([await acquire('whk_d', 'mbx_d', 'wsp_d')])).to.have.length(1);
    });

    it('for another workspace, however many unproven receivers of one hang', async () => {
      expect(await hang(200, 'wsp_a')).to.have.length(93);
      expect(places([await acquire('whk_new', 'mbx_new', 'wsp_b')])).to.have.length(1);
    });

    it('for another mailbox of the workspace', async () => {
      expect(await hang(50, 'wsp_a', 'mbx_bad')).to.have.length(46);
      expect(places([await acquire('whk_new', 'mbx_new', 'wsp_a')])).to.have.length(1);
    });

    it('when healthy receivers of a workspace all hang at the same time', async () => {
      for (let n = 0; n < 40; n += 1) await called(QUICK, `whk_${n}`);
      await called(QUICK, 'whk_b', 'mbx_b', 'wsp_b');
      await Promise.all(Array.from({ length: 40 }, (_, n) => many(PER_RECEIVER, `whk_${n}`)));
      const others = await many(PER_RECEIVER, 'whk_b', 'mbx_b', 'wsp_b');
      expect(places(others)).to.have.length(PER_RECEIVER);
      expect(places([await acquire('whk_new', 'mbx_new', 'wsp_a')])).to.have.length(1);
    });

    it('even where there is but one', async () => {
      limiter = open(smallLimits(1));
      const [only] = places([await acquire()]);
      expect(delays([await acquire('whk_b', 'mbx_b', 'wsp_b')])).to.have.length(1);
      only!.release(FAILED);
      expect(places([await acquire('whk_b', 'mbx_b', 'wsp_b')])).to.have.length(1);
    });
  });

  describe('for large bodies', () => {
    let small: DeliveryLimiter;
    beforeEach(() => {
      small = limiter;
      limiter = open(LARGE_LIMITS, small);
    });

    it('allows two calls to a receiver that answers, and four in all', async () => {
      for (const id of ['whk_a', 'whk_b']) await called(QUICK, id, `mbx_${id}`, `wsp_${id}`);
      expect(places(await many(3, 'whk_a', 'mbx_whk_a', 'wsp_whk_a'))).to.have.length(2);
      expect(places(await many(3, 'whk_b', 'mbx_whk_b', 'wsp_whk_b'))).to.have.length(1);
      expect(await hang(3, 'wsp_c')).to.have.length(1);
    });

    it('starts with what the small deliveries have shown', async () => {
      const place = await small.acquire({
        ...{ webhookId: 'whk_a', mailboxId: 'mbx_a', workspaceId: 'wsp_a' },
      });
      if (place.kind === 'acquired') place.release(QUICK);
      expect(places(await many(2))).to.have.length(2);
    });

    it('keeps a place for a new receiver of another mailbox, and of another workspace', async () => {
      expect(await hang(6, 'wsp_a', 'mbx_bad')).to.have.length(1);
      expect(await hang(6, 'wsp_a', 'mbx_other')).to.have.length(1);
      expect(await hang(6, 'wsp_a', 'mbx_third')).to.have.length(0);
      expect(await hang(6, 'wsp_b', 'mbx_b')).to.have.length(1);
    });

    it('keeps a place for a receiver that answers, however many hang', async () => {
      await called(QUICK);
      for (const workspace of ['wsp_b', 'wsp_c', 'wsp_d']) await hang(6, workspace);
      expect(places([await acquire()])).to.have.length(1);
    });
  });
});
