/**
 * What the live event of a new message tells about it. It is read when the event is sent to a
 * client: without clients nothing is read, and Redis, which keeps events for an hour, has no text
 * of a mail.
 */
import { boundedCache } from '../bounded-cache.ts';
import type { Context } from '../context.ts';
import { errorText } from '../errors.ts';
import { summariesById, shownPreview } from './messages.ts';

export interface EventFields {
  from: string;
  subject: string;
  preview: string;
}

export interface EventFieldsReader {
  /** Null if the message was deleted, or the database is unavailable. */
  of: (messageId: string) => Promise<EventFields | null>;
}

/** Characters of sender and subject. */
const MAX_LENGTH = 998;
const KEPT = 1000;
const PER_STATEMENT = 100;

/** Messages that are asked for in one turn of the event loop are read together. */
export function openEventFields({ store, log }: Pick<Context, 'store' | 'log'>): EventFieldsReader {
  const kept = boundedCache<EventFields>(KEPT);
  const asked = new Map<string, ((fields: EventFields | null) => void)[]>();
  let isReading = false;

  const readSome = async () => {
    const some = [...asked].slice(0, PER_STATEMENT);
    const ids = some.map(([id]) => id);
    try {
      for (const { message, mail } of await summariesById({ store }, ids)) {
        kept.set(message.id, {
          from: cut(mail.fromAddress),
          subject: cut(mail.subject),
          preview: shownPreview({ message, mail }),
        });
      }
    } catch (error) {
      log.debug('events are sent without the fields of messages', { fault: errorText(error) });
    }
    for (const [id, answers] of some) {
      asked.delete(id);
      for (const answer of answers) answer(kept.get(id) ?? null);
    }
  };

  const readAll = async () => {
    while (asked.size > 0) await readSome();
    isReading = false;
  };

  return {
    of(messageId) {
      const known = kept.get(messageId);
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => {
        const answers = asked.get(messageId) ?? [];
        asked.set(messageId, answers);
        answers.push(resolve);
        if (isReading) return;
        isReading = true;
        setImmediate(() => void readAll());
      });
    },
  };
}

function cut(text: string): string {
  return text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');
}
