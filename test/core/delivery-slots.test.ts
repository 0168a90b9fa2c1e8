import { expect } from 'chai';
import type { Called } from '../../core/delivery-lane.js';
import {
  type DeliverySlots,
  type Entry,
  WEBHOOK_SLOTS,
  openDeliverySlots,
} from '../../core/delivery-slots.js';

const CAPACITY = 200;
const SLOTS = 10;
const SLOTS_UNPROVEN = 2;
const QUICK = { failed: false, durationMs: 1 };
const FAILED = { failed: true, durationMs: 1 };
const SLOW = { failed: false, durationMs: 10_000 };

describe('delivery slots', () => {
  let slots: DeliverySlots;
  let time: number;
  const open = (capacity: number) =>
    openDeliverySlots({ capacity, slots: WEBHOOK_SLOTS }, undefined, () => time);
  beforeEach(() => {
    time = 1_000_000;
    slots = open(CAPACITY);
  });

  type Slot = Extract<Entry, { kind: 'slot' }>;
  const enter = (webhookId = 'whk_a', mailboxId = 'mbx_a', workspaceId = 'wsp_a') =>
    slots.enter({ webhookId, mailboxId, workspaceId });
  const held = (entries: Entry[]) =>
    entries.filter((entry): entry is Slot => entry.kind === 'slot');
  const parked = (entries: Entry[]) =>
    entries.flatMap((entry) => (entry.kind === 'park' ? [entry.forMs] : []));
  const many = (count: number, ...of: Parameters<typeof enter>) =>
    Promise.all(Array.from({ length: count }, () => enter(...of)));
  /** Makes one call, so that the next ones find its mark. */
  const called = async (how: Called, ...of: Parameters<typeof enter>) => {
    const [slot] = held([await enter(...of)]);
    slot!.leave(how);
  };
  /** As far away as others will wait for it. */
  const settled = async (how: Called) => {
    for (let n = 0; n < 40; n += 1) await called(how);
  };

  it('are ten for each webhook that answers, whatever another one does', async () => {
    await called(QUICK);
    await called(QUICK, 'whk_b');
    expect(held(await many(SLOTS + 1))).to.have.length(SLOTS);
    expect(held(await many(SLOTS + 1, 'whk_b'))).to.have.length(SLOTS);
  });

  it('are two until the first call has succeeded', async () => {
    const first = held(await many(5));
    expect(first).to.have.length(SLOTS_UNPROVEN);
    first[0]!.leave(null);
    expect(held(await many(5)), 'no call was made').to.have.length(1);
    first[1]!.leave(QUICK);
    expect(held(await many(SLOTS))).to.have.length(SLOTS - 1);
  });

  it('come free with each call that ends, also with one that was never made', async () => {
    await called(QUICK);
    const [first, second] = held(await many(SLOTS));
    first!.leave(null);
    second!.leave(QUICK);
    expect(held(await many(3))).to.have.length(2);
  });

  it('are two while the last call has failed, and ten again once one has succeeded', async () => {
    await called(QUICK);
    await called(FAILED);
    const failing = held(await many(5));
    expect(failing).to.have.length(SLOTS_UNPROVEN);
    for (const slot of failing) slot.leave(QUICK);
    expect(held(await many(SLOTS + 5))).to.have.length(SLOTS);
  });

  it('are two while calls take more than two seconds', async () => {
    await called(QUICK);
    await called(SLOW);
    const slow = held(await many(5));
    expect(slow).to.have.length(SLOTS_UNPROVEN);
    for (const slot of slow) slot.leave(null);
    await settled(QUICK);
    expect(held(await many(SLOTS + 5))).to.have.length(SLOTS);
  });

  it('are two as soon as a call has been under way for more than two seconds', async () => {
    await called(QUICK);
    const [hanging] = held([await enter()]);
    time += 2001;
    expect(held(await many(5))).to.have.length(SLOTS_UNPROVEN - 1);
    hanging!.leave(QUICK);
    expect(held(await many(SLOTS))).to.have.length(SLOTS - 1);
  });

  it('are not given out again before those taken in better days are back', async () => {
    await called(QUICK);
    const taken = held(await many(SLOTS));
    taken[0]!.leave(FAILED);
    for (const slot of taken.slice(1, SLOTS - 1)) slot.leave(FAILED);
    expect(held(await many(3))).to.have.length(SLOTS_UNPROVEN - 1);
  });

  it('are handed to those who wait, in their order and ahead of newcomers', async () => {
    await settled(QUICK);
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
    await settled(QUICK);
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
    await settled(QUICK);
    const taken = held(await many(SLOTS));
    expect(parked([await enter()]), 'waited in vain').to.have.length(1);
    for (const slot of taken) slot.leave(QUICK);
    expect(held(await many(SLOTS))).to.have.length(SLOTS);
  });

  describe('of one that is new, or has failed for once,', () => {
    /** As many receivers in trouble as the workspace may call at once. */
    const fill = async () => {
      for (let n = 0; n < 60; n += 1) {
        const of = [`whk_dead_${n}`, `mbx_${n}`, 'wsp_a'] as const;
        await called({ failed: true, durationMs: 10_000 }, ...of);
        await many(SLOTS_UNPROVEN, ...of);
      }
      expect(held([await enter('whk_dead_59', 'mbx_59')]), 'full').to.deep.equal([]);
    };

    it('are there whatever the failing ones of the workspace hold', async () => {
      await fill();
      for (let n = 0; n < 5; n += 1) {
        expect(held([await enter(`whk_new_${n}`, 'mbx_new')])).to.have.length(1);
      }
    });

    it('are there again a second after others have taken them and hang', async () => {
      await fill();
      const others = Array.from({ length: 60 }, (_, n) => enter(`whk_${n}`, `mbx_n${n}`));
      expect(held(await Promise.all(others))).to.have.length.within(10, 30);
      expect(held([await enter('whk_next', 'mbx_next')])).to.deep.equal([]);
      time += 1001;
      expect(held([await enter('whk_next', 'mbx_next')])).to.have.length(1);
    });

    it('are there when it has answered before, not when it has failed twice', async () => {
      const timedOut = { failed: true, durationMs: 10_000 };
      await called(QUICK);
      await called(timedOut);
      await called(QUICK, 'whk_b');
      await called(timedOut, 'whk_b');
      await called(timedOut, 'whk_b');
      await fill();
      expect(held([await enter()])).to.have.length(1);
      expect(held([await enter('whk_b')])).to.deep.equal([]);
    });
  });

  it('are ten while calls take a second and a half', async () => {
    for (let n = 0; n < 40; n += 1) await called({ failed: false, durationMs: 1500 });
    expect(held(await many(SLOTS + 1))).to.have.length(SLOTS);
  });

  describe('park what finds none', () => {
    it('one behind the other, by how long the calls take', async () => {
      for (let n = 0; n < 100; n += 1) await called(SLOW);
      await many(SLOTS_UNPROVEN);
      expect(parked(await many(4))).to.deep.equal([5000, 10_000, 15_000, 20_000]);
      time += 2500;
      expect(parked(await many(1)), 'behind those who still wait').to.deep.equal([22_500]);
      time += 60_000;
      await many(1);
      for (let n = 0; n < 100; n += 1) {
        const entry = await enter('whk_b');
        if (entry.kind === 'slot') entry.leave({ failed: true, durationMs: 1000 });
      }
      await many(SLOTS_UNPROVEN, 'whk_b');
      expect(parked(await many(1, 'whk_b')), 'a line of its own').to.deep.equal([500]);
    });

    it('for a quarter of a second at least', async () => {
      await called(QUICK);
      await many(SLOTS);
      expect(Math.min(...parked(await many(20)))).to.equal(250);
    });

    it('for longer the more they are, so that they ask again a few at a time', async () => {
      for (let n = 0; n < 100; n += 1) await called(SLOW);
      await many(SLOTS_UNPROVEN);
      const times = parked(await many(5000)).sort((a, b) => a - b);
      const far = times.filter((ms) => ms > 30_000);
      expect(far).to.have.length(5000 - 6);
      expect(far[0]).to.equal(30_010);
      expect(far.at(-1)).to.equal(30_000 + 10 * far.length);
    });

    it('those who were to prove themselves as soon as one who did', async () => {
      await many(SLOTS_UNPROVEN);
      expect(Math.max(...parked(await many(50)))).to.equal(250);
    });
  });

  describe('leave a place', () => {
    const ten = Array.from({ length: 10 }, (_, n) => n);
    /** Takes all that is to be had, in so many webhooks of a mailbox. */
    const crowd = async (webhooks: number, mailbox: string, workspace: string, how?: Called) => {
      const each = Array.from({ length: webhooks }, async (_, n) => {
        const of = [`whk_${workspace}_${mailbox}_${n}`, mailbox, workspace] as const;
        if (how) {
          const entry = await enter(...of);
          if (entry.kind === 'slot') entry.leave(how);
        }
        return held(await many(SLOTS, ...of)).length;
      });
      return (await Promise.all(each)).reduce((sum, count) => sum + count, 0);
    };

    it('to every other workspace, however many webhooks of one are slow', async () => {
      for (const n of ten) await crowd(50, `mbx_${n}`, 'wsp_bad', SLOW);
      expect(held([await enter('whk_new', 'mbx_new', 'wsp_new')])).to.have.length(1);
      expect(await crowd(1, 'mbx_b', 'wsp_b', QUICK)).to.equal(SLOTS);
    });

    it('to one more, however many workspaces have nothing but dead receivers', async () => {
      let count = 0;
      for (const n of ten) count += await crowd(50, `mbx_${n}`, `wsp_${n}`);
      expect(count).to.be.above(CAPACITY * 0.4);
      time += 5000; // by now they are known to be slow
      for (const n of ten) count += await crowd(50, `mbx_${n}`, `wsp_${n}`);
      expect(count).to.be.below((CAPACITY * 5) / 8);
      expect(held([await enter('whk_new', 'mbx_new', 'wsp_new')])).to.have.length(1);
      expect(await crowd(1, 'mbx_known', 'wsp_known', QUICK)).to.equal(SLOTS);
    });

    it('to another mailbox of the same workspace', async () => {
      await crowd(50, 'mbx_bad', 'wsp_a');
      time += 5000;
      await crowd(50, 'mbx_bad', 'wsp_a');
      expect(held([await enter('whk_new', 'mbx_new', 'wsp_a')])).to.have.length(1);
      expect(await crowd(1, 'mbx_known', 'wsp_a', QUICK)).to.equal(SLOTS);
    });

    it('when receivers that answered at once all fall silent together', async () => {
      const known = ['whk_known', 'mbx_known', 'wsp_a'] as const;
      await called(QUICK, ...known);
      const taken = await crowd(50, 'mbx_bad', 'wsp_a', QUICK);
      expect(taken).to.be.above(CAPACITY * 0.5);
      expect(held([await enter('whk_b', 'mbx_b', 'wsp_b')])).to.have.length(1);
      time += 2001;
      expect(held(await many(SLOTS, ...known))).to.have.length(SLOTS);
    });

    it('and put back what finds none in the line of its workspace', async () => {
      const dead = { failed: true, durationMs: 10_000 };
      for (let n = 0; n < 100; n += 1)
        await called(dead, `whk_wsp_a_mbx_bad_${n}`, 'mbx_bad', 'wsp_a');
      await crowd(100, 'mbx_bad', 'wsp_a');
      time += 5000;
      const waits: number[] = [];
      for (const n of ten)
        waits.push(...parked([await enter(`whk_wsp_a_mbx_bad_${90 + n}`, 'mbx_bad', 'wsp_a')]));
      expect(waits).to.have.length(10);
      const gaps = waits.slice(1).map((ms, n) => ms - waits[n]!);
      for (const gap of gaps) expect(gap).to.be.within(190, 210); // 5 s each, 25 at a time
    });

    it('to those of the workspace who wait for one, once it comes free', async () => {
      const taken: Slot[] = [];
      for (let n = 0; n < 50; n += 1) {
        taken.push(...held(await Promise.all([enter(`whk_${n}`, `mbx_${n}`, 'wsp_a')])));
      }
      time += 20; // so long do calls take here
      const waiting = enter('whk_next', 'mbx_next', 'wsp_a');
      taken[0]!.leave(QUICK);
      taken[1]!.leave(QUICK);
      expect(held([await waiting])).to.have.length(1);
    });

    it('even where there is but one', async () => {
      slots = open(1);
      const [only] = held([await enter()]);
      expect(parked([await enter('whk_b', 'mbx_b', 'wsp_b')])).to.have.length(1);
      only!.leave(FAILED);
      expect(held([await enter('whk_b', 'mbx_b', 'wsp_b')])).to.have.length(1);
    });
  });

  it('are remembered for those in use when there are more webhooks than one remembers', async () => {
    await called(QUICK);
    await many(SLOTS);
    for (let n = 0; n < 10_050; n += 1) await called(QUICK, `whk_${n}`);
    expect(parked([await enter()])).to.have.length(1);
    expect(held(await many(SLOTS, 'whk_10049')), 'asked for last').to.have.length(SLOTS);
    expect(held(await many(SLOTS, 'whk_3')), 'forgotten').to.have.length(SLOTS_UNPROVEN);
  });
});
