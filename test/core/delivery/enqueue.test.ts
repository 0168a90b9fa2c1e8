import { expect } from 'chai';
import { newDelivery } from '../../../core/delivery/fan-out.ts';
import { queueDeliveries } from '../../../core/delivery/queue-deliveries.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { service } from '../../support/service.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { whileWorking } from '../../support/context/workers.ts';

const FIRST = 20;

describe('the jobs of one mail', () => {
  const test = service();

  /** Queues as many deliveries as one mail does. */
  const mail = async (name: string, count: number) => {
    const now = new Date(test.context.now());
    const owed = Array.from({ length: count }, () => ({
      delivery: newDelivery({ webhookId: 'whk_x', messageId: name, trigger: 'event', now }),
      workspaceId: test.workspace.workspaceId,
    }));
    await queueDeliveries(test.context, owed);
  };
  /** The mails of the jobs, in the order in which a worker takes them. */
  const worked = async (count: number) => {
    const order: string[] = [];
    const watched = {
      ...deliverWebhook,
      worker: { ...deliverWebhook.worker, concurrency: () => 1 },
      runUnknown: async (_context: unknown, payload: unknown) => {
        order.push((payload as { messageId: string }).messageId);
      },
    };
    await whileWorking(test, [watched], () => eventually('the jobs', () => order.length === count));
    return order;
  };

  it('do not precede the jobs of another mail, however many there are', async () => {
    await mail('wide', 130);
    await mail('narrow', 2);
    await mail('other', FIRST + 5);
    const order = await worked(130 + 2 + FIRST + 5);
    const [first, rest] = [order.slice(0, 2 * FIRST + 2), order.slice(2 * FIRST + 2)];
    expect(first.filter((name) => name === 'wide')).to.have.length(FIRST);
    expect(first.filter((name) => name === 'narrow')).to.have.length(2);
    expect(first.filter((name) => name === 'other')).to.have.length(FIRST);
    expect(rest.lastIndexOf('other'), 'its next ones beside the next of the wide one').to.be.below(
      FIRST + 5,
    );
  });
});
