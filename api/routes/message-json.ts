/**
 * Messages and their extractions as JSON, cached. The content of a message never changes, and
 * clients that wait for mail request the same messages repeatedly. The database is asked each time
 * whether a message still exists.
 */
import { LRUCache } from 'lru-cache';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import type { MailboxRow } from '../../core/mailboxes/mailboxes.ts';
import {
  type Message,
  type PagedMessage,
  completeMessages,
  requireMessageWithFiles,
  isShownInMailbox,
} from '../../core/messages/messages.ts';
import { requireMessage } from '../../core/messages/resolve-id.ts';
import type { Extractions } from '../../core/messages/extractions.ts';
import { ownBytes } from '../../core/bounded-cache.ts';
import { shareLoads } from '../../core/share-runs.ts';
import { jsonBytes } from '../../core/mime/json-bytes.ts';
import { NEVER, type Reader } from '../../core/mime/reading.ts';
import { type Task, lengthOf } from '../../core/mime/task.ts';
import { openPauses } from '../../core/pauses.ts';
import { type JsonItem, type LaterItem, jsonItem } from './json-items.ts';
import { presentMessage } from './present-message.ts';
import type { Shape } from '../contract/contract.ts';

/** In bytes of JSON (docs/decisions.md, 10). */
const KEPT = { maxSize: 16 * 1024 * 1024, maxEntrySize: 256 * 1024 };

/** Summaries have a separate cache of some thousand entries: a summary takes about 400 bytes. */
const KEPT_SUMMARIES = { maxSize: 4 * 1024 * 1024, maxEntrySize: 64 * 1024 };

/** Characters of the JSON of an attachment, roughly. */
const ATTACHMENT_SIZE = 512;

type RunTask = <Input, Output>(task: Task<Input, Output>, input: Input) => Promise<Output>;
const inThisProcess: RunTask = async (task, input) => task.run(input);

/** A message to be read, and the workspace that it is of. */
type Wanted = PagedMessage & { workspaceId: string };

/** Bytes of bodies that are read together. */
const READ_AT_ONCE = 1024 * 1024;

const EXTRACTED = Buffer.from(',"extracted":');
const END = Buffer.from('}');

export interface MessageJson {
  /**
   * The messages in order, without bodies for a summary, on request with the field `extracted`, and
   * with `mailbox` where the row has its name. Messages deleted meanwhile are left out. Of many
   * large bodies, each is read when it is written.
   */
  ofRows: (
    reader: Reader,
    rows: (PagedMessage & { mailboxName?: string })[],
    options: { summary: boolean; extract?: boolean },
  ) => Promise<(JsonItem | LaterItem)[]>;
  /** The messages by id, as in `ofRows`. */
  byId: (
    { workspaceId }: Pick<Reader, 'workspaceId'>,
    rows: PagedMessage[],
    options: { summary: boolean },
  ) => Promise<Map<string, JsonItem>>;
  /** @throws {AppError} `not_found` if the message does not exist in the mailbox. */
  ofId: (reader: Reader, mailbox: MailboxRow, id: string) => Promise<JsonItem>;
  /** Without those that do not exist in the mailbox. Each is read when it is written. */
  ofIds: (reader: Reader, mailbox: MailboxRow, ids: string[]) => LaterItem[];
}

export function messageJson(context: Context, extractions: Extractions): MessageJson {
  const whole = keepJson(context, KEPT, false);
  const summaries = keepJson(context, KEPT_SUMMARIES, true);

  const ofId: MessageJson['ofId'] = async (reader, mailbox, id) => {
    const item = whole.get(id);
    if (item && (await isShownInMailbox(context, mailbox, id))) return item;
    return whole.render(reader, () => requireMessageWithFiles(context, mailbox, id, reader.admit));
  };

  /** None for a message deleted meanwhile. */
  const addExtracted = async (
    { gone }: Reader,
    id: string,
    item: JsonItem,
  ): Promise<JsonItem[]> => {
    const extracted = await extractions.ofId(id, gone);
    return extracted ? [jsonItem(withExtracted(item.json, extracted.json))] : [];
  };

  const byId: MessageJson['byId'] = async ({ workspaceId }, rows, { summary }) => {
    const { get, load } = summary ? summaries : whole;
    const found = new Map<string, JsonItem>();
    const missing: Wanted[] = [];
    for (const row of rows) {
      const item = get(row.id);
      if (item) found.set(row.id, item);
      else missing.push({ ...row, workspaceId });
    }
    if (missing.length === 0) return found;
    for (const [id, item] of await load(missing)) found.set(id, item);
    return found;
  };

  const itemsOf = async (
    reader: Reader,
    rows: (PagedMessage & { mailboxName?: string })[],
    { summary, extract = false }: { summary: boolean; extract?: boolean },
  ): Promise<JsonItem[]> => {
    const items = await byId(reader, rows, { summary });
    const found: JsonItem[] = [];
    for (const { id, mailboxName } of rows) {
      const one = items.get(id);
      if (!one) continue;
      for (const item of extract ? await addExtracted(reader, id, one) : [one]) {
        found.push(mailboxName === undefined ? item : inMailbox(item, mailboxName));
      }
    }
    return found;
  };

  return {
    byId,
    ofRows: async (reader, rows, options) => {
      const bytes = options.summary ? 0 : rows.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
      if (bytes <= READ_AT_ONCE) return itemsOf(reader, rows, options);
      return rows.map((row) => () => {
        reader.admit?.(2 * row.bodyBytes);
        return itemsOf(reader, [row], options);
      });
    },
    ofId,
    ofIds: (reader, mailbox, ids) =>
      ids.map((id) => async () => {
        try {
          return [await ofId(reader, mailbox, id)];
        } catch (error) {
          if (error instanceof AppError && error.code === 'not_found') return [];
          throw error;
        }
      }),
  };
}

/** @param limits bytes: the total, and per entry. */
function keepJson(
  context: Context,
  limits: { maxSize: number; maxEntrySize: number },
  summary: boolean,
) {
  const kept = new LRUCache<string, JsonItem>({
    ...limits,
    sizeCalculation: ({ following }) => following.length,
  });

  const keep = (presented: Shape<'Message'>, following: Buffer): JsonItem => {
    const item = jsonItem(following);
    // Signed links expire before the message.
    const lasts = presented.attachments.every(({ signedUrl }) => signedUrl === null);
    if (lasts) kept.set(presented.id, item);
    return item;
  };

  const renderIn = async (run: RunTask, presented: Shape<'Message'>): Promise<JsonItem> => {
    const [following] = await run(jsonBytes, { values: [presented], before: ',' });
    if (!following) throw new Error('a message was not rendered');
    return keep(presented, following);
  };

  /** A message that is not small is read again in the turn of the reader. */
  const render = async (reader: Reader, read: () => Message | Promise<Message>) => {
    const small = await smallItem(await read());
    if (small) return small;
    return context.ingest.reading.inTurn(reader, async () =>
      renderIn(context.ingest.parsePool.run, presentMessage(context, await read())),
    );
  };

  /** Null for a message that is not small. */
  const smallItem = async (shown: Message): Promise<JsonItem | null> => {
    const { text, html } = shown.mail;
    const size = lengthOf(text) + lengthOf(html) + shown.attachments.length * ATTACHMENT_SIZE;
    if (size > jsonBytes.inlineSize) return null;
    const presented = presentMessage(context, shown);
    const input = { values: [presented], before: ',' };
    return jsonBytes.sizeOf(input) > jsonBytes.inlineSize
      ? null
      : renderIn(inThisProcess, presented);
  };

  const renderShown = (reader: Reader, shown: Message) => render(reader, () => shown);

  const renderAll = async (rows: Wanted[]): Promise<Map<string, JsonItem>> => {
    const items = new Map<string, JsonItem>();
    const isLarge = ({ bodyBytes }: Wanted) => !summary && bodyBytes > jsonBytes.inlineSize;
    const small = await completeMessages(
      context,
      rows.filter((row) => !isLarge(row)),
      { summary },
    );
    const pause = openPauses();
    for (const shown of small) {
      const { id, workspaceId } = shown.message;
      items.set(id, await renderShown({ workspaceId, gone: NEVER }, shown));
      await pause();
    }
    for (const row of rows.filter(isLarge)) {
      const reader = { workspaceId: row.workspaceId, gone: NEVER };
      const item = await context.ingest.reading.inTurn(reader, async () => {
        const [shown] = await completeMessages(context, [row]);
        return shown && renderIn(context.ingest.parsePool.run, presentMessage(context, shown));
      });
      if (item) items.set(row.id, item);
    }
    return items;
  };

  return {
    get: (id: string) => kept.get(id),
    render,
    /** Requests that need the same message at the same time share one reading. */
    load: shareLoads(renderAll),
  };
}

/** The messages that were found, each with the name of its mailbox. */
export function inMailboxes(
  rows: { id: string; mailbox: { name: string } }[],
  found: ReadonlyMap<string, JsonItem>,
): JsonItem[] {
  return rows.flatMap(({ id, mailbox }) => {
    const item = found.get(id);
    return item ? [inMailbox(item, mailbox.name)] : []; // none if deleted meanwhile
  });
}

function inMailbox({ json }: JsonItem, name: string): JsonItem {
  return jsonItem([Buffer.from(`{"mailbox":${JSON.stringify(name)},`), json.subarray(1)]);
}

export function renderExtracted(extracted: Shape<'Extracted'>): Buffer {
  return ownBytes(JSON.stringify(extracted));
}

/**
 * The extraction of a message as JSON. @throws {AppError} `not_found` if the message does not exist
 * in the mailbox.
 */
export async function extractedJson(
  context: Pick<Context, 'now' | 'store'>,
  extractions: Extractions,
  { gone, admit }: Reader,
  mailbox: MailboxRow,
  id: string,
): Promise<Buffer> {
  const known = extractions.known(id);
  if (known && (await isShownInMailbox(context, mailbox, id))) return known.json;
  return (await extractions.of(await requireMessage(context, mailbox, id, admit), gone)).json;
}

/** The JSON of a message with the field `extracted`, in parts. */
function withExtracted(message: Buffer, extracted: Buffer): Buffer[] {
  return [message.subarray(0, -1), EXTRACTED, extracted, END];
}
