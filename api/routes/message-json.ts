/**
 * Caches messages as JSON. The content of a message never changes, and clients that wait for mail
 * request the same messages repeatedly. The database is asked each time whether a message still
 * exists.
 */
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { requireLiveToken } from '../../core/auth/transaction-as.js';
import type { Context } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import type { MailboxRow } from '../../core/mailboxes/mailboxes.js';
import {
  type Message,
  type PagedMessage,
  completeMessages,
  findMessage,
  isShown,
} from '../../core/messages/messages.js';
import type { Extractions } from '../../core/messages/extractions.js';
import { withExtracted } from './extracted-json.js';
import { presentMessage } from './present-message.js';

/** In bytes of JSON. A page of 100 cached messages of 2 KB is 2.4 times as fast. */
const KEPT = { maxSize: 16 * 1024 * 1024, maxEntrySize: 256 * 1024 };

/** Summaries have a separate cache of some thousand entries: a summary takes about 400 bytes. */
const KEPT_SUMMARIES = { maxSize: 4 * 1024 * 1024, maxEntrySize: 64 * 1024 };

export interface MessageJson {
  /**
   * The messages in order, without bodies for a summary, on request with the field `extracted`.
   * Messages deleted meanwhile are left out.
   */
  ofRows: (
    rows: PagedMessage[],
    options: { summary: boolean; extract?: boolean },
  ) => Promise<Buffer[]>;
  /** The messages by id, as in `ofRows`. */
  byId: (rows: PagedMessage[], options: { summary: boolean }) => Promise<Map<string, Buffer>>;
  /** @throws {AppError} `not_found` if the message does not exist in the mailbox. */
  ofId: (mailbox: MailboxRow, id: string) => Promise<Buffer>;
  /** Without those that do not exist in the mailbox. */
  ofIds: (mailbox: MailboxRow, ids: string[]) => Promise<Buffer[]>;
}

export function messageJson(context: Context, extractions: Extractions): MessageJson {
  const whole = keepJson(context, KEPT);
  const summaries = keepJson(context, KEPT_SUMMARIES);

  const ofId: MessageJson['ofId'] = async (mailbox, id) => {
    const json = whole.get(id);
    if (json && (await isShown(context, mailbox, id))) return json;
    return whole.render(await findMessage(context, mailbox, id));
  };

  /** None for a message deleted meanwhile. */
  const addExtracted = async (id: string, json: Buffer): Promise<Buffer[]> => {
    const extracted = await extractions.ofId(id);
    return extracted ? [withExtracted(json, extracted.json)] : [];
  };

  const byId: MessageJson['byId'] = async (rows, { summary }) => {
    const { get, load } = summary ? summaries : whole;
    const known = new Map(rows.flatMap(({ id }) => entry(id, get(id))));
    const missing = rows.filter(({ id }) => !known.has(id));
    const loaded = await load(missing, (some) => completeMessages(context, some, { summary }));
    return new Map([...known, ...loaded]);
  };

  return {
    byId,
    ofRows: async (rows, { summary, extract = false }) => {
      const json = await byId(rows, { summary });
      const found: Buffer[] = [];
      for (const { id } of rows) {
        const one = json.get(id);
        if (one) found.push(...(extract ? await addExtracted(id, one) : [one]));
      }
      return found;
    },
    ofId,
    ofIds: async (mailbox, ids) => {
      const found = await Promise.all(
        ids.map((id) =>
          ofId(mailbox, id).catch((error: unknown) => {
            if (error instanceof AppError && error.code === 'not_found') return [];
            throw error;
          }),
        ),
      );
      return found.flat();
    },
  };
}

const entry = (id: string, json: Buffer | undefined): [string, Buffer][] =>
  json === undefined ? [] : [[id, json]];

/** @param limits bytes: the total, and per entry. */
function keepJson(
  context: Pick<Context, 'config' | 'now' | 'secrets'>,
  limits: { maxSize: number; maxEntrySize: number },
) {
  const kept = new LRUCache<string, Buffer>({ ...limits, sizeCalculation: ({ length }) => length });
  const loading = new Map<string, Promise<Map<string, Buffer>>>();

  const render = (shown: Message): Buffer => {
    const presented = presentMessage(context, shown);
    const json = Buffer.from(JSON.stringify(presented));
    // Signed links expire before the message.
    const lasts = presented.attachments.every(({ signedUrl }) => signedUrl === null);
    if (lasts) kept.set(presented.id, json);
    return json;
  };
  return {
    get: (id: string) => kept.get(id),
    render,
    /** Requests that need the same message at the same time share one reading. */
    load: async (
      rows: PagedMessage[],
      read: (rows: PagedMessage[]) => Promise<Message[]>,
    ): Promise<Map<string, Buffer>> => {
      const own = rows.filter(({ id }) => !loading.has(id));
      if (own.length > 0) {
        const reading = read(own).then(
          (all) => new Map(all.map((shown) => [shown.message.id, render(shown)])),
        );
        for (const { id } of own) loading.set(id, reading);
        const forget = () => {
          for (const { id } of own) loading.delete(id);
        };
        reading.then(forget, forget);
      }
      const all = await Promise.all(new Set(rows.flatMap(({ id }) => loading.get(id) ?? [])));
      return new Map(all.flatMap((each) => [...each]));
    },
  };
}

const OPENING = Buffer.from('{"messages":[');
const COMMA = Buffer.from(',');

/** An object with the array `messages`, which is already JSON, and with the fields of `rest`. */
export function withMessages(messages: Buffer[], rest: object): Buffer {
  const parts = messages.flatMap((message, n) => (n === 0 ? [message] : [COMMA, message]));
  return Buffer.concat([OPENING, ...parts, Buffer.from(`],${JSON.stringify(rest).slice(1)}`)]);
}

/** The messages that were found, each with the name of its mailbox. */
export function inMailboxes(
  rows: { id: string; mailbox: { name: string } }[],
  found: ReadonlyMap<string, Buffer>,
): Buffer[] {
  return rows.flatMap(({ id, mailbox }) => {
    const json = found.get(id);
    if (!json) return []; // deleted meanwhile
    return [
      Buffer.concat([Buffer.from(`{"mailbox":${JSON.stringify(mailbox.name)},`), json.subarray(1)]),
    ];
  });
}

/**
 * Sends JSON text like `res.json`. @throws {AppError} `unauthorized` if the token of a read was
 * revoked meanwhile.
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
  // The transaction of a change has checked the token.
  if (res.req.method === 'GET') await requireLiveToken(context, res.locals.caller);
  res.type('json').send(json);
}
