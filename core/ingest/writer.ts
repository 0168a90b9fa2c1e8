import { type GroupCommit, openGroupCommit } from '../../db/group-commit.ts';
import { type MailRows, type StoreResult, storeMails } from '../../db/statements/mails.ts';
import type { Store } from '../../db/store.ts';
import { fanOut } from '../delivery/fan-out.ts';
import type { Metrics } from '../metrics/metrics.ts';

const MAX_MAILS = 200;
const MAX_BYTES = 8 * 1024 * 1024;
/** Writing a small row takes about as long as this many bytes of a large one. */
const ROW_BYTES = 4096;
/** Number of mailboxes for which the deliveries per mail are remembered. */
const MAX_MAILBOXES = 10_000;

export interface MailWriter extends GroupCommit<MailRows, StoreResult> {
  /** Time at which this process last stored a mail, in ms since 1970; -Infinity for never. */
  lastStoredAt: () => number;
}

/**
 * Writes mails in group-committed transactions. Each mail expires `ttlMs` after its commit. A
 * weight limit keeps transactions short. The weight is the bytes, one message per mailbox, and one
 * delivery per webhook, estimated from the previous mail of the mailbox.
 */
export function openMailWriter(
  store: Store,
  now: () => number,
  ttlMs: number,
  metrics: Pick<Metrics['mail'], 'stored' | 'groupMails' | 'groupSeconds'>,
): MailWriter {
  let lastStoredAt = -Infinity;
  const deliveriesOf = new Map<string, number>();

  const rememberDeliveries = ({ messages }: MailRows, { deliveries }: StoreResult) => {
    const counts = new Map<string, number>();
    for (const { messageId } of deliveries) counts.set(messageId, (counts.get(messageId) ?? 0) + 1);
    for (const { id, mailboxId } of messages) {
      deliveriesOf.delete(mailboxId);
      const count = counts.get(id);
      if (count !== undefined) deliveriesOf.set(mailboxId, count);
    }
    if (deliveriesOf.size > MAX_MAILBOXES) deliveriesOf.clear();
  };

  const group = openGroupCommit({
    commit: async (mails: MailRows[]) => {
      const at = now();
      const times = { now: new Date(at), expiresAt: new Date(at + ttlMs) };
      const end = metrics.groupSeconds.startTimer();
      const results = await store.transaction((tx) => storeMails(tx, mails, times, fanOut), {
        inTurn: true, // for the numbers of the messages
      });
      end();
      metrics.groupMails.observe(mails.length);
      for (const [index, result] of results.entries()) {
        const mail = mails[index];
        if (!mail || result.outcome !== 'stored') continue;
        metrics.stored.inc();
        lastStoredAt = at;
        rememberDeliveries(mail, result);
      }
      return results;
    },
    weigh: ({ mail, messages, caught = [] }) => {
      const rows = messages.map(({ mailboxId }) => 1 + (deliveriesOf.get(mailboxId) ?? 0));
      return mail.size + ROW_BYTES * rows.reduce((sum, count) => sum + count, caught.length);
    },
    maxItems: MAX_MAILS,
    maxBytes: MAX_BYTES,
  });
  return { ...group, lastStoredAt: () => lastStoredAt };
}
