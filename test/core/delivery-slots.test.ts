import { expect } from 'chai';
import {
  type Called,
  type DeliverySlots,
  type Entry,
  openDeliverySlots,
} from '../../core/delivery-slots.js';

const SLOTS = 10;
const SLOTS_WHILE_FAILING = 2;
const QUICK = { failed: false, durationMs: 1 };
const FAILED = { failed: true, durationMs: 1 };
const SLOW = { failed: false, durationMs: 10_000 };

describe('delivery slots', () => {
  let slots: DeliverySlots;
  let time: number;
  beforeEach(() => {
    time = 1_000_000;
    slots = openDeliverySlots(() => time);
  });

  type Slot = Extract<Entry, { kind: 'slot' }>;
  const enter = (webhookId = 'whk_a') => slots.enter(webhookId);
  const held = (entries: Entry[]) =>
    entries.filter((entry): entry is Slot => entry.kind === 'slot');
  const parked = (entries: Entry[]) =>
    entries.flatMap((entry) => (entry.kind === 'park' ? [entry.forMs] : []));
  const many = (count: number) => Promise.all(Array.from({ length: count }, () => enter()));
  /** Makes one call, so that the next ones find its mark. */
  const called = async (how: Called) => {
    const [slot] = held([await enter()]);
    slot!.leave(how);
  };

  it('are ten for each webhook, whatever another one does', async () => {
    await called(SLOW);
    const entries = await many(SLOTS + 1);
    expect(held(entries)).to.have.length(SLOTS);
    expect(held([await enter('whk_b')])).to.have.length(1);
  });

  it('come free with each call that ends, also with one that was never made', async () => {
    await called(SLOW);
    const [first, second] = held(await many(SLOTS));
    first!.leave(null);
    second!.leave(QUICK);
    expect(held(await many(3))).to.have.length(2);
  });

  it('are two while the last call has failed, and ten again once one has succeeded', async () => {
    await called(FAILED);
    const failing = held(await many(5));
    expect(failing).to.have.length(SLOTS_WHILE_FAILING);
    for (const slot of failing) slot.leave(QUICK);
    expect(held(await many(SLOTS + 5))).to.have.length(SLOTS);
  });

  it('are not given out again before those taken in better days are back', async () => {
    const taken = held(await many(SLOTS));
    taken[0]!.leave(FAILED);
    for (const slot of taken.slice(1, SLOTS - 1)) slot.leave(FAILED);
    expect(held(await many(3))).to.have.length(SLOTS_WHILE_FAILING - 1);
  });

  it('are handed to those who wait, in their order and ahead of newcomers', async () => {
    for (let n = 0; n < 40; n += 1) await called(QUICK);
    const taken = held(await many(SLOTS));
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      const entry = await enter();
      order.push(name);
      return entry;
    });
    taken[0]!.leave(QUICK);
    const newcomer = enter().then((entry) => {
      order.push('newcomer');
      return entry;
    });
    taken[1]!.leave(QUICK);
    taken[2]!.leave(QUICK);
    const entries = await Promise.all([...waiting, newcomer]);
    expect(held(entries)).to.have.length(3);
    expect(order).to.deep.equal(['first', 'second', 'newcomer']);
  });

  it('are never more than ten, however many come free in one turn', async () => {
    for (let n = 0; n < 40; n += 1) await called(QUICK);
    let inFlight = 0;
    let most = 0;
    const call = async () => {
      const entry = await enter();
      if (entry.kind === 'park') return;
      most = Math.max(most, (inFlight += 1));
      await new Promise((resolve) => setImmediate(resolve)); // all of a turn leave together
      inFlight -= 1;
      entry.leave(QUICK);
    };
    await Promise.all(Array.from({ length: 200 }, call));
    expect(most).to.equal(SLOTS);
    expect(held(await many(SLOTS))).to.have.length(SLOTS);
  });

  it('are not left with one who has stopped waiting', async () => {
    for (let n = 0; n < 40; n += 1) await called(QUICK);
    const taken = held(await many(SLOTS));
    expect(parked([await enter()]), 'waited in vain').to.have.length(1);
    for (const slot of taken) slot.leave(QUICK);
    expect(held(await many(SLOTS))).to.have.length(SLOTS);
  });

  describe('park what finds none', () => {
    it('one behind the other, by how long the calls take', async () => {
      for (let n = 0; n < 100; n += 1) await called(SLOW);
      await many(SLOTS);
      expect(parked(await many(4))).to.deep.equal([1000, 2000, 3000, 4000]);
      time += 2500;
      expect(parked(await many(1)), 'behind those who still wait').to.deep.equal([2500]);
      time += 60_000;
      expect(parked(await many(1)), 'all others have had their turn').to.deep.equal([1000]);
    });

    it('for a quarter of a second at least, and half a minute at most', async () => {
      await many(SLOTS);
      expect(Math.min(...parked(await many(20)))).to.equal(250);
      for (let n = 0; n < 60; n += 1) {
        const entry = await enter('whk_slow');
        if (entry.kind === 'slot') entry.leave({ failed: true, durationMs: 10_000 });
      }
      await Promise.all([enter('whk_slow'), enter('whk_slow')]);
      const times: number[] = [];
      for (let n = 0; n < 50; n += 1) times.push(...parked([await enter('whk_slow')]));
      expect(times).to.have.length(50);
      expect(Math.max(...times)).to.equal(30_000);
    });
  });

  it('are remembered for those in use when there are more webhooks than one remembers', async () => {
    await called(SLOW);
    await many(SLOTS);
    for (let n = 0; n < 10_050; n += 1) {
      const entry = await enter(`whk_${n}`);
      if (entry.kind === 'slot') entry.leave(QUICK);
    }
    expect(parked([await enter()])).to.have.length(1);
  });
});
