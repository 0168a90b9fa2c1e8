/** Applies a live event to the state. */
import { signal } from '@preact/signals';
import { coalesce, refreshGap } from '../rest/rate-limit.ts';
import type { LiveEvent } from '../rest/shapes.ts';
import { deleted } from './hidden-messages.ts';
import {
  closeInbox,
  dropMessage,
  isListed,
  isInboxOpen,
  messages,
  refreshInbox,
  reopenInbox,
} from './inbox.ts';
import { labelFilter } from './labels.ts';
import {
  arrivals,
  changeCount,
  forgetMailbox,
  forgetMailboxes,
  loadMailboxes,
  recordArrival,
} from './mailboxes.ts';
import { forgetReadState } from './read-marks.ts';
import { toasts } from './toasts.ts';

/** Incremented when an event affects the webhooks of a mailbox, so that their views reload. */
export const webhookChanges = signal<{ mailbox: string; count: number }>({ mailbox: '', count: 0 });

const reloadMailboxes = coalesce(loadMailboxes, () => 2 * refreshGap());

export function applyEvent(event: LiveEvent): void {
  const { type, mailbox: name } = event;
  switch (type) {
    case 'message.received':
      if (isListed(name)) refreshInbox();
      if (!isInboxOpen(name)) changeCount(name, (count) => count + 1);
      if (!isInboxOpen(name) || document.hidden) recordArrival(name);
      tellWebhooks(name);
      return;
    case 'message.deleted':
      if (event.messageId === undefined || deleted.value.has(event.messageId)) return;
      forgetReadState(new Set([event.messageId]));
      dropMessage(event.messageId);
      changeCount(name, (count) => count - 1);
      return;
    case 'mailbox.created':
      reloadMailboxes();
      return;
    case 'mailbox.deleted':
      forgetMailbox(event.mailboxId);
      if (isListed(name)) refreshInbox();
      return;
    case 'mailbox.cleared':
      // An empty list stays until the new one is loaded.
      if (isListed(name)) (messages.value.length === 0 ? refreshInbox : reopenInbox)();
      reloadMailboxes();
      return;
    case 'webhook.paused':
      tellWebhooks(name);
  }
}

/** Reloads all data in view. */
export function loadAgain(): void {
  reloadMailboxes();
  refreshInbox();
}

/** Clears all data, so that the next session does not see it. */
export function forgetAll(): void {
  forgetMailboxes();
  arrivals.value = {};
  labelFilter.value = null;
  toasts.value = [];
  closeInbox();
}

function tellWebhooks(mailbox: string): void {
  webhookChanges.value = { mailbox, count: webhookChanges.value.count + 1 };
}
