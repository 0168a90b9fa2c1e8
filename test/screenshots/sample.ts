/** A workspace in use: the content of `npm run demo`, with deliveries that are finished. */
import { fill } from '../../scripts/demo/fill.ts';
import { openReceivers } from '../../scripts/demo/receivers.ts';
import { eventually } from '../support/mocha/eventually.ts';
import type { Product } from '../support/process/product.ts';

export interface Sample {
  /** The mailbox that most pictures show. */
  mailbox: string;
  failingWebhook: string;
  close: () => Promise<void>;
}

export async function makeSample({ apiUrl, token, smtpPort }: Product): Promise<Sample> {
  const receivers = await openReceivers();
  const given = { apiUrl, token: token ?? '', smtp: { host: '127.0.0.1', port: smtpPort } };
  const { webhooks } = await fill(given, receivers);
  const headers = { Authorization: `Bearer ${given.token}` };
  for (const { mailbox, id } of webhooks.registered) {
    const waiting = `${apiUrl}/mailboxes/${mailbox}/webhooks/${id}/deliveries?state=pending`;
    await eventually(`the deliveries of ${mailbox}`, async () => {
      const answer = await fetch(waiting, { headers });
      return ((await answer.json()) as { deliveries: unknown[] }).deliveries.length === 0;
    });
  }
  const failing = webhooks.registered.find(({ url }) => url === receivers.failing);
  if (!failing) throw new Error(`no failing webhook: ${webhooks.refusal ?? ''}`);
  const close = () => receivers.close();
  return { mailbox: failing.mailbox, failingWebhook: failing.id, close };
}
