/**
 * Caches messages as JSON. The content of a message never changes, and clients that wait for mail
 * request the same messages repeatedly. The database is asked each time whether a message still
 * exists.
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

/** In bytes of JSON. A page of 100 cached messages of 2 KB is 2.4 times as fast. */
const KEPT = { maxSize: 16 * 1024 * 1024, maxEntrySize: 256 * 1024 };

/** Summaries have a separate cache of some thousand entries: a summary takes about 400 bytes. */
const KEPT_SUMMARIES = { maxSize: 4 * 1024 * 1024, maxEntrySize: 64 * 1024 };

export interface MessageJson {
  /**
   * The messages in order, without bodies for a summary. Messages deleted meanwhile are left out.
   */
  ofRows: (rows: PagedMessage[], options: { summary: boolean }) => Promise<Buffer[]>;
  /** @throws {AppError} `not_found` if the message does not exist in the mailbox. */
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

/** @param limits bytes: the total, and per entry. */
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
      // Signed links expire before the message.
      const lasts = presented.attachments.every(({ signedUrl }) => signedUrl === null);
      if (lasts) kept.set(presented.id, json);
      return json;
    },
  };
}

/**
 * Sends JSON text like `res.json`. @throws {AppError} `unauthorized` if the token was revoked
 * meanwhile.
 */
export async function sendJson(
  context: Pick<Context, 'config' | 'now' | 'store'>,
  res: Response,
  json: Buffer,
): Promise<void> {
  if (context.config.validateResponses) {
    res.json(JSON.parse(json.toString())); // the response validator needs a value
    return;
  }
  await requireLiveToken(context, res.locals.caller);
  res.type('json').send(json);
}
