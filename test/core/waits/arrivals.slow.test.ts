import { expect } from 'chai';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { lastNumberIn } from '../../../core/messages/mark.ts';
import { openArrivals } from '../../../core/waits/arrivals.ts';
import { service } from '../../support/service.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { eventually } from '../../support/mocha/eventually.ts';

const HOUR_MS = 3_600_000;

describe('arrivals', () => {
  const test = service({ mailboxes: ['box-a', 'box-b'] });

  it('tell each message once, whether or not an event tells of it, and none before', async () => {
    const { context, caller } = test;
    const mailboxes = [
      await requireMailbox(context, caller, 'box-a'),
      await requireMailbox(context, caller, 'box-b'),
    ];
    for (const { name } of mailboxes) await test.receive(name);
    const arrivals = openArrivals(context);
    const told: string[] = [];
    const ends = await Promise.all(
      mailboxes.map(async (mailbox) => {
        const received = (id: string) => void told.push(id);
        const follower = {
          place: mailbox,
          received,
          missed: () => undefined,
          end: () => undefined,
        };
        return arrivals.subscribe(follower, await lastNumberIn(context, mailbox));
      }),
    );
    const sent = [];
    for (const { id, name } of mailboxes) {
      sent.push(
        await test.receive(name),
        await storeDirectly(context, id, context.now() - HOUR_MS),
      );
    }
    await eventually('all to be told', () => told.length >= sent.length);
    const late = await storeDirectly(context, mailboxes[0]!.id, context.now());
    await eventually('the next check', () => told.includes(late));
    for (const end of ends) end();
    expect(told).to.have.members([...sent, late]);
  });
});
