/**
 * The reading calls of Mailpit's API v1 for one mailbox, below `/compat/mailpit`. No message is
 * ever read or unread, and nothing is relayed.
 */
import { type Response, Router } from 'express';
import type { Context } from '../../core/context.ts';
import { htmlView, messageText } from '../../core/messages/shown-body.ts';
import { deleteMessages, clearMailbox } from '../../core/messages/delete.ts';
import { AppError } from '../../core/errors.ts';
import { requireAttachment, requireSource } from '../../core/messages/files.ts';
import { messageHeaders, storedHead } from '../../core/messages/headers.ts';
import { firstValues } from '../../core/messages/read-header.ts';
import { requireSummary } from '../../core/messages/resolve-id.ts';
import { jsonBytes } from '../../core/mime/json-bytes.ts';
import {
  type PagedMessage,
  completeMessages,
  requireMessageWithFiles,
  summaryOf,
} from '../../core/messages/messages.ts';
import type { MailboxRow } from '../../core/mailboxes/mailboxes.ts';
import type { SearchQueue } from '../../core/search/search-queue.ts';
import { recheckToken } from '../auth/authenticate.ts';
import { readerOf } from '../http/request.ts';
import { sendBytes, sendJson } from '../routes/json-items.ts';
import { framePolicy } from '../routes/messages.ts';
import { sendFile } from '../routes/files.ts';
import { askedMailbox } from './authenticate.ts';
import { listedMessage, wholeMessage } from './mailpit-message.ts';
import { isIncomplete, toMayflyQuery } from './mailpit-query.ts';
import { type Offset, messagesAt, readOffset, readText, search } from './pages.ts';

const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;
const VIEW = /^(.+)\.(html|txt)$/;

/** @param version of Mayfly */
export function mailpitRoutes(context: Context, searches: SearchQueue, version: string): Router {
  const router = Router();
  const api = '/api/v1';

  const found = async (res: Response, mailbox: MailboxRow) => {
    const query = toMayflyQuery(readText(res.req.query, 'query'));
    if (query !== null) return search({ context, searches, res, mailbox }, query);
    return { rows: [], total: (await summaryOf(context, mailbox)).total };
  };

  router.get(`${api}/info`, async (_req, res) => {
    const mailbox = await askedMailbox(context, res);
    res.json(info(version, (await summaryOf(context, mailbox)).total));
  });

  router.get(`${api}/messages`, async (req, res) => {
    const offset = readPage(req.query);
    const mailbox = await askedMailbox(context, res);
    const { rows, total } = await messagesAt(context, mailbox, offset);
    res.json(await list(context, rows, { ...offset, total, matching: total }));
  });

  router.get(`${api}/search`, async (req, res) => {
    const offset = readPage(req.query);
    const mailbox = await askedMailbox(context, res);
    const { rows, total } = await found(res, mailbox);
    const page = rows.slice(offset.start, offset.start + offset.limit);
    res.json(await list(context, page, { ...offset, total, matching: rows.length }));
  });

  router.delete(`${api}/search`, async (req, res) => {
    if (isIncomplete(readText(req.query, 'query'))) {
      throw new AppError('invalid_request', '"query" must not be empty or contain an empty value.');
    }
    const mailbox = await askedMailbox(context, res);
    for (let ids = [''] as string[]; ids.length > 0;) {
      ids = (await found(res, mailbox)).rows.map(({ id }) => id);
      await deleteMessages(context, res.locals.caller, mailbox, ids);
    }
    sendOk(res);
  });

  router.delete(`${api}/messages`, async (req, res) => {
    const mailbox = await askedMailbox(context, res);
    const ids = idsIn(req.body);
    if (ids.length > 0) await deleteMessages(context, res.locals.caller, mailbox, ids);
    else await clearMailbox(context, res.locals.caller, mailbox.name);
    sendOk(res);
  });

  router.put(`${api}/messages`, async (_req, res) => {
    await askedMailbox(context, res);
    sendOk(res);
  });

  router.get(`${api}/message/:id`, async (req, res) => {
    const { mailbox, id } = await asked(context, res, req.params.id);
    const reader = readerOf(req, res);
    const { reading } = context.ingest;
    const names = ['list-unsubscribe', 'list-unsubscribe-post'];
    const fields = await reading.run(reader, firstValues, async () => {
      return { names, raw: await storedHead(context, await requireSummary(context, mailbox, id)) };
    });
    const [json] = await reading.run(reader, jsonBytes, async () => {
      const shown = await requireMessageWithFiles(context, mailbox, id, reader.admit);
      return { values: [wholeMessage(shown, fields)], before: '' };
    });
    if (json) await sendJson(context, res, json);
  });

  router.get(`${api}/message/:id/headers`, async (req, res) => {
    const { mailbox, id } = await asked(context, res, req.params.id);
    const place = { mailbox, messageId: id, byName: true };
    await sendJson(context, res, await messageHeaders(context, readerOf(req, res), place));
  });

  router.get(`${api}/message/:id/raw`, async (req, res) => {
    const { mailbox, id } = await asked(context, res, req.params.id);
    const file = await requireSource(context, mailbox, id);
    await recheckToken(context, res);
    await sendFile(context, file, res);
  });

  router.get(`${api}/message/:id/part/:part`, async (req, res) => {
    const { mailbox, id } = await asked(context, res, req.params.id);
    const file = await requireAttachment(context, mailbox, id, req.params.part);
    await recheckToken(context, res);
    await sendFile(context, file, res);
  });

  router.get('/view/:file', async (req, res, next) => {
    const [, named, kind] = VIEW.exec(req.params.file) ?? [];
    if (named === undefined) {
      next();
      return;
    }
    const { mailbox, id } = await asked(context, res, named);
    if (kind === 'txt') {
      const text = await messageText(context, readerOf(req, res), mailbox, id);
      await sendBytes(context, res, 'text/plain', text);
      return;
    }
    const view = { remote: false, scheme: null };
    const place = { mailbox, messageId: id };
    const { page, baseSource } = await htmlView(context, readerOf(req, res), place, view);
    res.setHeader('Content-Security-Policy', framePolicy(false, baseSource));
    await sendBytes(context, res, 'html', page);
  });

  return router;
}

/** The message with an id, or the newest one. @throws {AppError} `not_found` */
async function asked(
  context: Context,
  res: Response,
  id: string,
): Promise<{ mailbox: MailboxRow; id: string }> {
  const mailbox = await askedMailbox(context, res);
  if (id !== 'latest') return { mailbox, id };
  const { rows } = await messagesAt(context, mailbox, { start: 0, limit: 1 });
  if (rows[0]) return { mailbox, id: rows[0].id };
  throw new AppError('not_found', 'The mailbox has no message.');
}

async function list(
  context: Context,
  rows: PagedMessage[],
  { start, total, matching }: Offset & { total: number; matching: number },
) {
  const messages = await completeMessages(context, rows, { summary: true, details: true });
  return {
    total,
    unread: total,
    count: messages.length,
    messages_count: matching,
    messages_unread: matching,
    start,
    tags: [],
    messages: messages.map(listedMessage),
  };
}

function readPage(query: Response['req']['query']): Offset {
  const offset = readOffset(query, MAX_PAGE);
  return readText(query, 'limit') === '' ? { ...offset, limit: DEFAULT_PAGE } : offset;
}

/**
 * The ids in a body, whose key is compared as in Mailpit, without regard to case. Without a body or
 * with an empty one it is empty.
 * @throws {AppError} `invalid_request` for any other body.
 */
function idsIn(body: unknown): string[] {
  const [entry, ...others] = Object.entries(body ?? {}) as [string, unknown][];
  if (entry === undefined && !Array.isArray(body)) return [];
  const [key = '', ids] = entry ?? [];
  const isNamed = key.toLowerCase() === 'ids' && others.length === 0;
  if (isNamed && ids === null) return [];
  if (isNamed && Array.isArray(ids) && ids.every((id) => typeof id === 'string')) return ids;
  throw new AppError('invalid_request', '"IDs" must be an array of message ids.');
}

function info(version: string, messages: number) {
  const RuntimeStats = {
    Uptime: Math.floor(process.uptime()),
    ...{ Memory: 0, MessagesDeleted: 0, SMTPAccepted: 0, SMTPAcceptedSize: 0 },
    ...{ SMTPIgnored: 0, SMTPRejected: 0 },
  };
  return {
    ...{ Version: `mayfly ${version}`, LatestVersion: '', Database: '', DatabaseSize: 0 },
    ...{ Messages: messages, Unread: messages, Tags: {}, RuntimeStats },
  };
}

function sendOk(res: Response): void {
  res.type('text/plain').send('ok');
}
