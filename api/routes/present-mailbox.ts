import { mailboxAddress } from '../../core/addresses.ts';
import type { Caller } from '../../core/auth/caller.ts';
import { shownLabels } from '../../core/mailboxes/labels.ts';
import type { CountedMailbox } from '../../core/mailboxes/mailboxes.ts';
import type { Shape } from '../contract/shapes.ts';

export function presentMailbox(mailbox: CountedMailbox, { workspace }: Caller): Shape<'Mailbox'> {
  const { id, name, messageCount, createdAt, properties } = mailbox;
  return {
    id,
    name,
    address: mailboxAddress(name, workspace.domain),
    messageCount,
    createdAt: createdAt.toISOString(),
    expiresAt: properties?.expiresAt?.toISOString() ?? null,
    labels: shownLabels(properties?.labels ?? null),
    clientId: properties?.clientId ?? null,
    messagesExpireIn: properties?.messagesExpireIn ?? null,
    maxMessages: properties?.maxMessages ?? null,
  };
}
