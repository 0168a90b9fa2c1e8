import { createClient } from '@mayfly/client';
import type { Machine } from './machine.ts';

/** A mailbox with a webhook. @returns its secret, and a function that sends the mailbox a mail. */
export async function registerWebhookAt({ env }: Machine, url: string) {
  const client = createClient({ url: env['MAYFLY_URL'] ?? '', token: env['MAYFLY_TOKEN'] ?? '' });
  const inbox = await client.mailboxes.create({ expiresIn: 600 });
  const { data } = await client.api.POST('/api/mailboxes/{name}/webhooks', {
    params: { path: { name: inbox.name } },
    body: { url },
  });
  return {
    secret: data?.secret ?? '',
    send: (subject: string) => inbox.send({ to: [inbox.address], subject }),
  };
}
