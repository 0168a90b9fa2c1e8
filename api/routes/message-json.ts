/**
 * Messages as JSON, kept as they were answered: what a message shows never changes while it is there, and whoever
 * waits for mail asks for the same ones again and again. Whether it is still there, the database says each time.
 */
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { requireLiveToken } from '../../core/auth/transaction-as.js';
import type { Context } from '../../core/context.js';
import type { MailboxRow } from '../../core/mailboxes/mailboxes.js';
import {
  type Message,
  type PagedMessage,
  completeMessages,
  findMessage,
  isShown,
} from '../../core/messages/messages.js';
import { presentMessage } from './present-message.js';

/** Bytes of JSON. A page of 100 messages of 2 KB that are all kept is answered 2.4 times as fast. */
const KEPT = { maxSize: 16 * 1024 * 1024, maxEntrySize: 256 * 1024 };

/** Some thousands of them, beside the whole messages: a summary takes about 400 bytes. */
const KEPT_SUMMARIES = { maxSize: 4 * 1024 * 1024, maxEntrySize: 64 * 1024 };

export interface MessageJson {
  /** The messages in their order, in a summary without their bodies; one that was deleted meanwhile is left out. */
  ofRows: (rows: PagedMessage[], options: { summary: boolean }) => Promise<Buffer[]>;
  /** @throws {AppError} `not_found` when the mailbox shows no such message. */
  ofId: (mailbox: MailboxRow, id: string) => Promise<Buffer>;
}

export function messageJson(context: Context): MessageJson {
  const whole = keepJson(context, KEPT);
  const summaries = keepJson(context, KEPT_SUMMARIES);

  return {
    ofRows: async (rows, { summary }) => {
      const { get, render } = summary ? summaries : whole;
      const known = new Map(rows.map(({ id }) => [id, get(id)]));
      const missing = rows.filter(({ id }) => known.get(id) === undefined);
      for (const shown of await completeMessages(context, missing, { summary })) {
        known.set(shown.message.id, render(shown));
      }
      return rows.flatMap(({ id }) => known.get(id) ?? []);
    },
    ofId: async (mailbox, id) => {
      const json = whole.get(id);
      if (json && (await isShown(context, mailbox, id))) return json;
      return whole.render(await findMessage(context, mailbox, id));
    },
  };
}

/** @param limits bytes, of all together and of one. */
function keepJson(
  context: Pick<Context, 'config' | 'now' | 'secrets'>,
  limits: { maxSize: number; maxEntrySize: number },
) {
  const kept = new LRUCache<string, Buffer>({ ...limits, sizeCalculation: ({ length }) => length });
  return {
    get: (id: string) => kept.get(id),
    render: (shown: Message): Buffer => {
      const presented = presentMessage(context, shown);
      const json = Buffer.from(JSON.stringify(presented));
      // Signed links end before the message does.
      const lasts = presented.attachments.every(({ signedUrl }) => signedUrl === null);
      if (lasts) kept.set(presented.id, json);
      return json;
    },
  };
}

/** As `res.json` answers, with JSON that is ready. @throws {AppError} `unauthorized` for a token revoked meanwhile. */
export async function sendJson(
  context: Pick<Context, 'config' | 'store'>,
  res: Response,
  json: Buffer,
): Promise<void> {
  if (context.config.validateResponses) {
    res.json(JSON.parse(json.toString())); // the validator wants a value
    return;
  }
  await requireLiveToken(context, res.locals.caller);
  res.type('json').send(json);
}
