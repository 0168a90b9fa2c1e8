/** The reading calls of MailHog's API for one mailbox, below `/compat/mailhog`. */
import { buffer } from 'node:stream/consumers';
import { type Response, Router } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { clearMailbox, deleteMessage } from '../../core/messages/delete.ts';
import { openFile, sourceOf } from '../../core/messages/files.ts';
import {
  type Message,
  type PagedMessage,
  completeMessages,
  requireMessageWithFiles,
} from '../../core/messages/messages.ts';
import type { SearchQueue } from '../../core/search/search-queue.ts';
import { readerOf } from '../http/request.ts';
import { askedMailbox } from './authenticate.ts';
import { mailhogMessage } from './mailhog-message.ts';
import { messagesAt, readOffset, readText, search } from './pages.ts';

const MAX_PAGE = 50;
/** Raw mail of a page, after which it ends. At least one message is shown. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
const KINDS: ReadonlyMap<string, string> = new Map([
  ['from', 'from:'],
  ['to', 'to:'],
  ['containing', ''],
]);

export function mailhogRoutes(context: Context, searches: SearchQueue): Router {
  const router = Router();

  const items = (res: Response, rows: PagedMessage[]) =>
    context.ingest.reading.inTurn(readerOf(res.req, res), async () => {
      const found: ReturnType<typeof mailhogMessage>[] = [];
      let bytes = 0;
      for (const shown of await completeMessages(context, rows, { summary: true })) {
        bytes += shown.mail.size;
        if (found.length > 0 && bytes > MAX_PAGE_BYTES) break;
        found.push(await whole(context, shown));
      }
      return found;
    });

  router.get('/api/v2/messages', async (req, res) => {
    const offset = readOffset(req.query, MAX_PAGE);
    const { rows, total } = await messagesAt(context, await askedMailbox(context, res), offset);
    const page = await items(res, rows);
    res.json({ total, count: page.length, start: offset.start, items: page });
  });

  router.get('/api/v2/search', async (req, res) => {
    const { start, limit } = readOffset(req.query, MAX_PAGE);
    const operator = KINDS.get(readText(req.query, 'kind'));
    if (operator === undefined) {
      throw new AppError('invalid_request', '"kind" must be from, to or containing.');
    }
    const mailbox = await askedMailbox(context, res);
    const text = readText(req.query, 'query').replaceAll('"', ' ').trim();
    const query = text === '' ? '' : `${operator}"${text}"`;
    const { rows } = await search({ context, searches, res, mailbox }, query);
    const page = await items(res, rows.slice(start, start + limit));
    res.json({ total: rows.length, count: page.length, start, items: page });
  });

  router.get('/api/v1/messages', async (_req, res) => {
    const mailbox = await askedMailbox(context, res);
    const { rows } = await messagesAt(context, mailbox, { start: 0, limit: MAX_PAGE });
    res.json(await items(res, rows));
  });

  router.get('/api/v1/messages/:id', async (req, res) => {
    const mailbox = await askedMailbox(context, res);
    const shown = await requireMessageWithFiles(context, mailbox, req.params.id);
    const reader = readerOf(req, res);
    res.json(await context.ingest.reading.inTurn(reader, () => whole(context, shown)));
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

async function whole(context: Context, shown: Message) {
  const { stream } = await openFile(context, await sourceOf(context, shown));
  return mailhogMessage(shown, await buffer(stream));
}
