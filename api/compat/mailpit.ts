/**
 * The reading calls of Mailpit's API v1 for one mailbox, below `/compat/mailpit`. No message is
 * ever read or unread, and nothing is relayed.
 */
import { type Response, Router } from 'express';
import type { Context } from '../../core/context.ts';
import { deleteMessages, clearMailbox } from '../../core/messages/delete.ts';
import { AppError } from '../../core/errors.ts';
import { lastNumberIn } from '../../core/messages/mark.ts';
import { isReady } from '../../core/instance/readiness.ts';
import { type PagedMessage, completeMessages, summaryOf } from '../../core/messages/messages.ts';
import { distinctTags, tagsOf, tagsOfMailbox } from '../../core/messages/message-tags.ts';
import type { MailboxRow } from '../../core/mailboxes/mailboxes.ts';
import type { ParsedQuery } from '../../core/search/query.ts';
import type { Searches } from '../../core/search/search.ts';
import { askedMailbox } from './authenticate.ts';
import { listedMessage } from './mailpit-message.ts';
import { mailpitMessageRoutes } from './mailpit-messages.ts';
import { parseMailpitQuery } from './mailpit-query.ts';
import { type Offset, messagesAt, readOffset, readText, search, searchAll } from './pages.ts';

const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;

/** `/livez` and `/readyz` of Mailpit, which take no credentials and answer by the status alone. */
export function mailpitProbes(context: Context): Router {
  const router = Router();
  router.get('/livez', (_req, res) => {
    res.end();
  });
  router.get('/readyz', async (_req, res) => {
    res.status((await isReady(context)) ? 200 : 503).end();
  });
  return router;
}

/** @param version of Mayfly */
export function mailpitRoutes(context: Context, searches: Searches, version: string): Router {
  const router = Router();
  const api = '/api/v1';

  const newest = async (res: Response, mailbox: MailboxRow) => {
    const isOfSearch = readText(res.req.query, 'query').trim() !== '';
    const { rows } = isOfSearch
      ? await search({ context, searches, res, mailbox }, readQuery(res.req.query, false), 1)
      : await messagesAt(context, mailbox, { start: 0, limit: 1 });
    return rows[0];
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
    const query = readQuery(req.query, false);
    const mailbox = await askedMailbox(context, res);
    const { rows, total } = await search({ context, searches, res, mailbox }, query);
    const page = rows.slice(offset.start, offset.start + offset.limit);
    res.json(await list(context, page, { ...offset, total, matching: rows.length }));
  });

  router.delete(`${api}/search`, async (req, res) => {
    const query = readQuery(req.query, true);
    const mailbox = await askedMailbox(context, res);
    const upTo = await lastNumberIn(context, mailbox);
    const ids = await searchAll({ context, searches, res, mailbox }, query);
    await deleteMessages(context, res.locals.caller, mailbox, ids, upTo);
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

  router.get(`${api}/tags`, async (_req, res) => {
    res.json(await tagsOfMailbox(context, await askedMailbox(context, res)));
  });

  router.use(mailpitMessageRoutes(context, newest));
  return router;
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
    tags: distinctTags(messages.flatMap(({ message }) => tagsOf(message))),
    messages: messages.map(listedMessage),
  };
}

function readPage(query: Response['req']['query']): Offset {
  const offset = readOffset(query, MAX_PAGE);
  return readText(query, 'limit') === '' ? { ...offset, limit: DEFAULT_PAGE } : offset;
}

function readQuery(query: Response['req']['query'], isDeletion: boolean): ParsedQuery {
  const timeZone = readText(query, 'tz');
  return parseMailpitQuery(readText(query, 'query'), { timeZone, isDeletion });
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
