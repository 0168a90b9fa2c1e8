import { firstNotTaken } from '../../db/statements/claims.ts';
import type { Position } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';

/** Older than any message. */
export const OLDEST: Position = { receivedAt: new Date(0), id: '' };

/** How long a position is used. An event that tells of a message that arrived late can be lost. */
const KEPT_MS = 1000;

/** Where the free messages of a mailbox begin. */
export interface Start {
  /**
   * A position before the first message that is not claimed for good. Every message before it was
   * claimed for good within the last second; one that arrived late or was released since then can
   * be free.
   * @param newest a position that was visible before the call
   */
  find: (newest: Position | undefined) => Promise<Position>;
}

/**
 * A start that continues where the last call ended. With 60,000 claimed messages in a mailbox,
 * reading all of them took 54 ms for each pass, and 64 processes claimed 37 messages a second.
 */
export function openStart(context: Pick<Context, 'store' | 'now'>, mailboxId: string): Start {
  let found = OLDEST;
  let foundAt = -Infinity;
  return {
    async find(newest) {
      if (performance.now() - foundAt > KEPT_MS) {
        found = OLDEST;
        foundAt = performance.now();
      }
      const { receivedAt, id } = found;
      const now = new Date(context.now());
      const [first = newest] = await context.store.read(firstNotTaken, {
        ...{ mailboxId, now, receivedAt, id },
      });
      // Messages of the same millisecond can be before it.
      if (first) found = { receivedAt: first.receivedAt, id: '' };
      return found;
    },
  };
}
