/** The reading calls of MailHog's API for one mailbox, below `/compat/mailhog`. */
import { type Response, Router } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { clearMailbox, deleteMessage } from '../../core/messages/delete.ts';
import { readWhole, sourceOf } from '../../core/messages/files.ts';
import { MAX_BYTES, mailhogJson } from '../../core/messages/views/mailhog-message.ts';
import {
  type MessageSummary,
  type PagedMessage,
  completeMessages,
} from '../../core/messages/messages.ts';
import type { ParsedQuery, PartField } from '../../core/search/query.ts';
import type { Searches } from '../../core/search/search.ts';
import { MAX_PART, textPart } from '../../core/text/text-part.ts';
import { sendJson, sendJsonParts } from '../routes/json-items.ts';
import { requireSummary } from '../../core/messages/resolve-id.ts';
import { readerOf } from '../http/request.ts';
import { askedMailbox } from './authenticate.ts';
import { messagesAt, readOffset, readText, search } from './pages.ts';

const [OPEN, COMMA, CLOSE] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];
const MAX_PAGE = 50;
/** Raw mail of a page, after which it ends. At least one message is shown. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** A mail is written three times, and JSON escapes its line ends. */
const COPIES = 6;
/** Where MailHog looks, by the kind of a search. */
const KINDS: ReadonlyMap<string, readonly PartField[]> = new Map([
  ['from', ['from', 'envelopeFrom']],
  ['to', ['to', 'envelopeTo']],
  ['containing', ['header', 'body']],
]);

export function mailhogRoutes(context: Context, searches: Searches): Router {
  const router = Router();

  const items = (res: Response, rows: PagedMessage[]) =>
    context.ingest.reading.inTurn(readerOf(res.req, res), async () => {
      const found: Buffer[] = [];
      let bytes = 0;
      let held = 0;
      for (const shown of await completeMessages(context, rows, { summary: true })) {
        bytes += shown.mail.size;
        if (found.length > 0 && bytes > MAX_PAGE_BYTES) break;
        held += heldBytes(shown.mail.size);
        res.locals.unread.reserve(held);
        found.push(await whole(context, shown));
      }
      return found;
    });

  router.get('/api/v2/messages', async (req, res) => {
    const offset = readOffset(req.query, MAX_PAGE);
    const { rows, total } = await messagesAt(context, await askedMailbox(context, res), offset);
    const page = await items(res, rows);
    await sendItems(context, res, page, { total, count: page.length, start: offset.start });
  });

  router.get('/api/v2/search', async (req, res) => {
    const { start, limit } = readOffset(req.query, MAX_PAGE);
    const fields = KINDS.get(readText(req.query, 'kind'));
    if (fields === undefined) {
      throw new AppError('invalid_request', '"kind" must be from, to or containing.');
    }
    const part = textPart(readText(req.query, 'query'), false);
    if (!part) {
      throw new AppError('invalid_request', `"query" must have 1 to ${MAX_PART} characters.`);
    }
    const mailbox = await askedMailbox(context, res);
    const query: ParsedQuery = [
      { condition: { kind: 'contains', fields, part }, isExcluded: false },
    ];
    const { rows } = await search({ context, searches, res, mailbox }, query);
    const page = await items(res, rows.slice(start, start + limit));
    await sendItems(context, res, page, { total: rows.length, count: page.length, start });
  });

  router.get('/api/v1/messages', async (_req, res) => {
    const mailbox = await askedMailbox(context, res);
    const { rows } = await messagesAt(context, mailbox, { start: 0, limit: MAX_PAGE });
    await sendJsonParts(context, res, [OPEN, ...separated(await items(res, rows)), CLOSE]);
  });

  router.get('/api/v1/messages/:id', async (req, res) => {
    const mailbox = await askedMailbox(context, res);
    const json = await context.ingest.reading.inTurn(readerOf(req, res), async () => {
      const shown = await requireSummary(context, mailbox, req.params.id);
      res.locals.unread.reserve(heldBytes(shown.mail.size));
      return whole(context, shown);
    });
    await sendJson(context, res, json);
  });

  router.delete('/api/v1/messages', async (_req, res) => {
    const mailbox = await askedMailbox(context, res);
    await clearMailbox(context, res.locals.caller, mailbox.name);
    res.status(200).end();
  });

  router.delete('/api/v1/messages/:id', async (req, res) => {
    const mailbox = await askedMailbox(context, res);
    await deleteMessage(context, res.locals.caller, mailbox.name, req.params.id);
    res.status(200).end();
  });

  return router;
}

/** Bytes that are held for a mail: its texts as JSON, or itself if only its header is shown. */
function heldBytes(size: number): number {
  return size > MAX_BYTES ? size : COPIES * size;
}

async function whole(context: Context, { message, mail }: MessageSummary): Promise<Buffer> {
  const raw = await readWhole(context, await sourceOf(context, { message, mail }));
  return context.ingest.parsePool.run(mailhogJson, { shown: { message, mail }, raw });
}

/** An object with the array `items` and the fields of `rest`. */
async function sendItems(
  context: Context,
  res: Response,
  items: Buffer[],
  rest: object,
): Promise<void> {
  const opening = Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"items":[`);
  await sendJsonParts(context, res, [opening, ...separated(items), Buffer.from(']}')]);
}

function separated(items: Buffer[]): Buffer[] {
  return items.flatMap((item, n) => (n === 0 ? [item] : [COMMA, item]));
}
