/** The calls of Mailpit's API v1 for one message, by its id or as `latest`, and its views. */
import { type Response, Router } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import type { MailboxRow } from '../../core/mailboxes/mailboxes.ts';
import { linkedBodyText } from '../../core/messages/body.ts';
import { requireAttachment, requireSource } from '../../core/messages/files.ts';
import { messageHeaders, storedHead } from '../../core/messages/headers.ts';
import { type PagedMessage, requireMessageWithFiles } from '../../core/messages/messages.ts';
import { requirePart } from '../../core/messages/parts.ts';
import { firstValues } from '../../core/messages/read-header.ts';
import { requireSummary } from '../../core/messages/resolve-id.ts';
import { htmlView, messageText } from '../../core/messages/views/shown-body.ts';
import { jsonBytes } from '../../core/mime/json-bytes.ts';
import { recheckToken } from '../auth/authenticate.ts';
import { readerOf } from '../http/request.ts';
import { sendFile } from '../routes/files.ts';
import { sendBytes, sendJson } from '../routes/json-items.ts';
import { framePolicy } from '../routes/messages.ts';
import { askedMailbox } from './authenticate.ts';
import { wholeMessage } from './mailpit-message.ts';

const MESSAGE = '/api/v1/message/:id';
const VIEW = /^(.+)\.(html|txt)$/;
/** Of parts in Mailpit. Ids of attachments in Mayfly are other. */
const PART_NUMBER = /^\d+(?:\.\d+)*$/;
const UNSUBSCRIBE = ['list-unsubscribe', 'list-unsubscribe-post'];

/** The newest message of the mailbox that the request asks for; undefined without one. */
type Newest = (res: Response, mailbox: MailboxRow) => Promise<PagedMessage | undefined>;

export function mailpitMessageRoutes(context: Context, newest: Newest): Router {
  const router = Router();
  const { reading } = context.ingest;

  /** @throws {AppError} `not_found` */
  const asked = async (res: Response, id: string) => {
    const mailbox = await askedMailbox(context, res);
    if (id !== 'latest') return { mailbox, id };
    const found = await newest(res, mailbox);
    if (found) return { mailbox, id: found.id };
    throw new AppError('not_found', 'The mailbox has no such message.');
  };

  router.get(MESSAGE, async (req, res) => {
    const { mailbox, id } = await asked(res, req.params.id);
    const reader = readerOf(req, res);
    const fields = await reading.run(reader, firstValues, async () => {
      const raw = await storedHead(context, await requireSummary(context, mailbox, id));
      return { names: UNSUBSCRIBE, raw };
    });
    const text = await messageText(context, reader, mailbox, id, linkedBodyText);
    const [json] = await reading.run(reader, jsonBytes, async () => {
      const shown = await requireMessageWithFiles(context, mailbox, id, reader.admit);
      return { values: [wholeMessage(shown, text.toString(), fields)], before: '' };
    });
    if (json) await sendJson(context, res, json);
  });

  router.get(`${MESSAGE}/headers`, async (req, res) => {
    const { mailbox, id } = await asked(res, req.params.id);
    const place = { mailbox, messageId: id, byName: true };
    await sendJson(context, res, await messageHeaders(context, readerOf(req, res), place));
  });

  router.get(`${MESSAGE}/raw`, async (req, res) => {
    const { mailbox, id } = await asked(res, req.params.id);
    const file = await requireSource(context, mailbox, id);
    await recheckToken(context, res);
    await sendFile(context, { ...file, contentType: 'text/plain' }, res);
  });

  router.get(`${MESSAGE}/part/:part`, async (req, res) => {
    const { mailbox, id } = await asked(res, req.params.id);
    const { part } = req.params;
    const file = PART_NUMBER.test(part)
      ? await requirePart(context, readerOf(req, res), mailbox, { messageId: id, section: part })
      : await requireAttachment(context, mailbox, id, part);
    await recheckToken(context, res);
    await sendFile(context, file, res);
  });

  router.get('/view/latest', async (_req, res) => {
    const mailbox = await askedMailbox(context, res);
    const found = await newest(res, mailbox);
    res.redirect(dashboardPath(mailbox, found?.id));
  });

  router.get('/view/:file', async (req, res, next) => {
    const [, named, kind] = VIEW.exec(req.params.file) ?? [];
    if (named === undefined) {
      next();
      return;
    }
    const { mailbox, id } = await asked(res, named);
    if (kind === 'txt') {
      const reader = readerOf(req, res);
      const text = await messageText(context, reader, mailbox, id, linkedBodyText);
      await sendBytes(context, res, 'text/plain', text);
      return;
    }
    const view = { remote: false, scheme: null, newWindow: req.query['embed'] === '1' };
    const place = { mailbox, messageId: id };
    const { page, baseSource } = await htmlView(context, readerOf(req, res), place, view);
    res.setHeader('Content-Security-Policy', framePolicy(false, baseSource));
    await sendBytes(context, res, 'html', page);
  });

  router.get('/view/:id', async (req, res) => {
    const mailbox = await askedMailbox(context, res);
    const { message } = await requireSummary(context, mailbox, req.params.id);
    res.redirect(dashboardPath(mailbox, message.id));
  });

  return router;
}

/** Of a message in the dashboard, or of its mailbox. */
function dashboardPath({ name }: MailboxRow, id: string | undefined): string {
  const mailbox = `/mailboxes/${encodeURIComponent(name)}`;
  return id === undefined ? mailbox : `${mailbox}/messages/${encodeURIComponent(id)}`;
}
