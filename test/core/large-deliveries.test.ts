import { expect } from 'chai';
import {
  type DeliverySlots,
  type Entry,
  WEBHOOK_SLOTS,
  openDeliverySlots,
} from '../../core/delivery-slots.js';
import { LARGE_LIMITS } from '../../core/large-deliveries.js';

const QUICK = { failed: false, durationMs: 1 };
const FAILED = { failed: true, durationMs: 1 };

describe('slots of large deliveries', () => {
  let small: DeliverySlots;
  let large: DeliverySlots;
  let time: number;
  beforeEach(() => {
    time = 0;
    const now = () => time;
    small = openDeliverySlots({ capacity: 200, slots: WEBHOOK_SLOTS }, undefined, now);
    large = openDeliverySlots(LARGE_LIMITS, small.known, now);
  });

  const enter = (slots: DeliverySlots, webhookId: string, workspaceId = 'wsp_a') =>
    slots.enter({ webhookId, mailboxId: `mbx_${webhookId}`, workspaceId });
  const isIn = async (webhookId: string, workspaceId?: string) =>
    (await enter(large, webhookId, workspaceId)).kind === 'slot';
  const leave = (entry: Entry, how: typeof QUICK) => {
    if (entry.kind === 'slot') entry.leave(how);
  };

  it('are two for a webhook that answers, and four in all', async () => {
    for (const id of ['a', 'b', 'c']) leave(await enter(large, id), QUICK);
    for (const id of ['a', 'a']) expect(await isIn(id)).to.equal(true);
    expect(await isIn('a')).to.equal(false);
    expect(await isIn('b')).to.equal(true);
    expect(await isIn('c', 'wsp_a')).to.equal(false);
    leave(await enter(small, 'other', 'wsp_b'), QUICK);
    expect(await isIn('other', 'wsp_b')).to.equal(true);
    expect(await isIn('new', 'wsp_c')).to.equal(false);
  });

  it('are two at most for the dead, one in a workspace, and leave one for the new', async () => {
    for (const id of ['a', 'b', 'c']) leave(await enter(small, id, `wsp_${id}`), FAILED);
    leave(await enter(small, 'a2', 'wsp_a'), FAILED);
    expect(await isIn('a', 'wsp_a')).to.equal(true);
    expect(await isIn('a2', 'wsp_a')).to.equal(false);
    expect(await isIn('b', 'wsp_b')).to.equal(true);
    expect(await isIn('c', 'wsp_c')).to.equal(false);
    expect(await isIn('new', 'wsp_d')).to.equal(true);
  });

  it('leave one for what answers, however many hang', async () => {
    leave(await enter(small, 'known', 'wsp_a'), QUICK);
    let taken = 0;
    for (let n = 0; n < 10; n += 1, time += 1500) {
      for (const workspace of ['wsp_a', 'wsp_b', 'wsp_c']) {
        if (await isIn(`${workspace}_${n}`, workspace)) taken += 1;
      }
    }
    expect(taken).to.equal(3);
    expect(await isIn('known', 'wsp_a')).to.equal(true);
  });

  it('leave one for a new receiver of another workspace, however many of one hang', async () => {
    let taken = 0;
    for (let n = 0; n < 10; n += 1, time += 1500) if (await isIn(`new_${n}`)) taken += 1;
    expect(taken).to.equal(2);
    expect(await isIn('new', 'wsp_b')).to.equal(true);
  });

  it('leave one for a new receiver of another mailbox, however many of one hang', async () => {
    let taken = 0;
    for (let n = 0; n < 10; n += 1, time += 1500) {
      const owner = { webhookId: `bad_${n}`, mailboxId: 'mbx_bad', workspaceId: 'wsp_a' };
      if ((await large.enter(owner)).kind === 'slot') taken += 1;
    }
    expect(taken).to.equal(1);
    expect(await isIn('new')).to.equal(true);
  });
});
