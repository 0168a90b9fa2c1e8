import { expect } from 'chai';
import {
  requireDelivery,
  listDeliveries,
  redeliver,
  sendTestEvent,
} from '../../../core/delivery/delivery-log.ts';
import { recoverDeliveries } from '../../../core/delivery/recover.ts';
import { deleteMessage } from '../../../core/messages/delete.ts';
import { verifyToken } from '../../../core/auth/tokens.ts';
import {
  changeWebhook,
  deleteWebhook,
  requireWebhookRow,
  listWebhooks,
  registerWebhook,
  rotateSecret,
} from '../../../core/webhooks/webhooks.ts';
import { createMailbox, deleteMailbox } from '../../../core/mailboxes/mailboxes.ts';
import type { DeliveryRow } from '../../../db/statements/deliveries.ts';
import { expireMessages } from '../../../jobs/scheduled.ts';
import { purgeMailbox } from '../../../jobs/removal.ts';
import { requeueLostDeliveries } from '../../../core/delivery/requeue-lost.ts';
import { service } from '../../support/service.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type Fired, beforeSending } from '../../support/context/fire.ts';
import { rejectionCodes } from '../../support/mocha/rejection.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../../support/context/webhooks.ts';

const MINUTE_MS = 60_000;
const TTL_MS = 30 * MINUTE_MS;
/** All retries fit within the lifetime of a message; by default the last ones would not. */
const ENV = {
  ...QUICK_WEBHOOKS,
  WEBHOOK_RETRY_SCHEDULE_MS: [1, 1, 60].map((minutes) => minutes * MINUTE_MS).join(','),
  MESSAGE_TTL_MS: String(TTL_MS),
};

describe('no delivery starts after the end of', () => {
  /** The name lookup of the receiver waits for this promise. */
  let lookup: Promise<void>;
  beforeEach(() => {
    lookup = Promise.resolve();
  });
  const resolve = async () => {
    await lookup;
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const test = service({ env: ENV, overrides: { resolve } });
  const bench = webhookTest(test, ({ port }) => `http://receiver.test:${port}/hook`);
  const { receiver, newest, owed, attempt, outcomes } = bench;

  const ends: {
    of: string;
    end: (delivery: DeliveryRow) => Promise<void>;
    /** Purges the rest later. */
    purge: () => Promise<void>;
    leaves: { state: string; reason: string | null };
  }[] = [
    {
      of: 'the webhook',
      end: ({ webhookId }) => deleteWebhook(test.context, test.caller, 'box', webhookId),
      purge: async () => undefined,
      leaves: { state: 'cancelled', reason: 'webhook_deleted' },
    },
    {
      of: 'the message',
      end: ({ messageId }) => deleteMessage(test.context, test.caller, 'box', messageId),
      purge: async () => undefined,
      leaves: { state: 'cancelled', reason: 'message_deleted' },
    },
    {
      of: 'the mailbox',
      end: async () => void (await deleteMailbox(test.context, test.caller, 'box')),
      purge: () => test.work(purgeMailbox),
      leaves: { state: 'cancelled', reason: 'mailbox_deleted' },
    },
    {
      of: 'the message’s life',
      end: async () => {
        test.advance(TTL_MS);
      },
      purge: () => test.run(expireMessages),
      leaves: { state: 'expired', reason: null },
    },
  ];

  for (const { of, end, purge, leaves } of ends) {
    describe(of, () => {
      /** The delivery is final, and the receiver got this many requests. */
      const over = async (delivery: DeliveryRow, calls: number) => {
        const closed = { ...leaves, nextAttemptAt: null };
        expect(await newest()).to.deep.include(closed);
        expect((await newest()).finishedAt).to.be.instanceOf(Date);
        await purge();
        test.advance(TTL_MS);
        expect(await requeueLostDeliveries(test.context)).to.equal(0);
        expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
        expect(await newest()).to.deep.include(closed);
        expect(receiver.received).to.have.length(calls);
      };

      it('before the first attempt', async () => {
        const delivery = await owed();
        await end(delivery);
        expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
        await over(delivery, 0);
        expect(await bench.attempts()).to.deep.equal([]);
      });

      it('before the first attempt, and purged', async () => {
        const delivery = await owed();
        await end(delivery);
        await purge();
        expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
        const { state } = await newest();
        expect(state).to.equal(leaves.state);
        expect(receiver.received).to.have.length(0);
      });

      it('between two attempts', async () => {
        receiver.answer(500);
        const delivery = await owed();
        expect((await attempt(delivery)).kind).to.equal('retry');
        await end(delivery);
        test.advance(MINUTE_MS);
        expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
        await over(delivery, 1);
      });

      it('while the name of the receiver is resolved', async () => {
        let found: () => void = () => undefined;
        lookup = new Promise((resolve) => (found = resolve));
        const delivery = await owed();
        const running = attempt(delivery);
        await claimed();
        await end(delivery);
        found();
        expect(await running).to.deep.equal({ kind: 'done' });
        await over(delivery, 0);
        expect(await bench.attempts(), 'none was made').to.deep.equal([]);
        expect(await newest()).to.include({ attempts: 0, failures: 0 });
      });

      it('while connected, before anything is sent', async () => {
        const delivery = await owed();
        let asked = 0;
        const context = beforeSending(test.context, async () => {
          asked += 1;
          await end(delivery);
        });
        expect(await attempt(delivery, context)).to.deep.equal({ kind: 'done' });
        expect(asked).to.equal(1);
        await over(delivery, 0);
        expect(await bench.attempts()).to.deep.equal([]);
      });

      describe('while the receiver is slow, and then', () => {
        const during = async (status: number): Promise<[DeliveryRow, Fired]> => {
          let answer: () => void = () => undefined;
          receiver.answer((_req, res) => (answer = () => res.writeHead(status).end()));
          const delivery = await owed();
          const running = attempt(delivery);
          await receiver.request(1);
          await end(delivery);
          answer();
          return [delivery, await running];
        };

        it('rejects it: there is no other attempt', async () => {
          const [delivery, fired] = await during(500);
          expect(fired).to.deep.equal({ kind: 'done' });
          await over(delivery, 1);
          expect(await outcomes()).to.deep.equal(['http_error']);
        });

        it('accepts it: it is delivered', async () => {
          const [delivery, fired] = await during(204);
          expect(fired).to.deep.equal({ kind: 'done' });
          expect(await newest()).to.include({ state: 'delivered' });
          await purge();
          expect(await newest()).to.include({ state: 'delivered' });
          expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
          expect(receiver.received).to.have.length(1);
        });
      });

      it('after the process of the attempt died', async () => {
        receiver.answer(() => undefined);
        const delivery = await owed();
        const abandoned = attempt(delivery); // its process counts as dead
        await receiver.request(1);
        await end(delivery);
        test.advance(MINUTE_MS);
        expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
        expect(await outcomes()).to.deep.equal(['interrupted']);
        expect(await newest()).to.deep.include({ ...leaves, nextAttemptAt: null });
        expect(receiver.received).to.have.length(1);
        await receiver.close();
        expect(await abandoned).to.deep.equal({ kind: 'done' });
        expect(await newest()).to.deep.include(leaves);
      });

      it('after an internal error kept it from being sent', async () => {
        const delivery = await owed();
        let ended = '';
        const context = beforeSending(test.context, async () => {
          await end(delivery);
          ended = (await newest()).state;
          throw new Error('the database is away');
        });
        expect((await attempt(delivery, context)).kind).to.equal('fault');
        expect((await newest()).state).to.equal(ended === 'cancelled' ? 'cancelled' : 'pending');
        test.advance(MINUTE_MS);
        expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
        await over(delivery, 0);
      });
    });
  }

  /** Resolves once the delivery is leased. */
  const claimed = async () => {
    await eventually('the claim', async () => (await newest()).state === 'in_flight');
  };

  it('one message, while others of its mail are delivered', async () => {
    await test.mailbox('other');
    const { webhook: other } = await registerWebhook(
      test.context,
      test.caller,
      'other',
      receiver.url,
    );
    const { messages } = await test.deliver(['box', 'other']);
    await deleteMessage(test.context, test.caller, 'box', messages[0]!.id);
    const { db } = test.context.store;
    const rows = await db.select().from(db.t.deliveries);
    const kept = rows.find(({ webhookId }) => webhookId === other.id)!;
    expect(await newest()).to.include({ state: 'cancelled' });
    expect(await attempt(kept)).to.deep.equal({ kind: 'done' });
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).to.deep.equal([
      messages[1]!.id,
    ]);
  });

  it('another workspace cannot find or change anything', async () => {
    receiver.answer(500);
    const delivery = await owed();
    const stranger = (await verifyToken(test.context, await test.stranger()))!;
    // Including a mailbox of the same name with a webhook.
    await createMailbox(test.context, stranger, 'box');
    await registerWebhook(test.context, stranger, 'box', receiver.url);
    const { context } = test;
    const { id: webhookId } = bench.webhook;
    const place = { mailboxName: 'box', webhookId };
    const before = JSON.stringify([
      await requireWebhookRow(context, test.caller, 'box', webhookId),
    ]);
    const codes = await rejectionCodes([
      () => requireWebhookRow(context, stranger, 'box', webhookId),
      () => changeWebhook(context, stranger, 'box', webhookId, { active: false }),
      () => rotateSecret(context, stranger, 'box', webhookId),
      () => deleteWebhook(context, stranger, 'box', webhookId),
      () => listDeliveries(context, stranger, place, { limit: 10 }),
      () => requireDelivery(context, stranger, place, delivery.id),
      () => redeliver(context, stranger, place, delivery.id),
      () => sendTestEvent(context, stranger, place),
      () => recoverDeliveries(context, stranger, place, new Date(0)),
    ]);
    expect(new Set(codes)).to.deep.equal(new Set(['not_found']));
    const own = (await listWebhooks(context, stranger, 'box'))[0]!.id;
    const elsewhere = { mailboxName: 'box', webhookId: own };
    const reached = await rejectionCodes([
      () => requireDelivery(context, stranger, elsewhere, delivery.id),
      () => redeliver(context, stranger, elsewhere, delivery.id),
    ]);
    expect(reached).to.deep.equal(['not_found', 'not_found']);
    expect(await recoverDeliveries(context, stranger, elsewhere, new Date(0))).to.equal(0);
    expect(
      JSON.stringify([await requireWebhookRow(context, test.caller, 'box', webhookId)]),
    ).to.equal(before);
    expect(await bench.deliveries()).to.have.length(1);
    expect(await newest()).to.deep.include(delivery);
  });
});
