import { Router, type Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { requireAttachmentText } from '../../core/messages/attachment-text.ts';
import { checkAttachmentLink } from '../../core/messages/signed-links.ts';
import type { Context } from '../../core/context.ts';
import { downloadHeaders } from '../../core/blobs/download-headers.ts';
import { requireMailbox } from '../../core/mailboxes/mailboxes.ts';
import {
  requireAttachment,
  requireLinkedAttachment,
  requireSource,
  type StoredFile,
  openFile,
} from '../../core/messages/files.ts';
import { messageParts, requireEnclosed, requirePart } from '../../core/messages/parts.ts';
import { jsonBytes } from '../../core/mime/json-bytes.ts';
import { sendBytes, sendJson } from './json-items.ts';
import type { Shape } from '../contract/contract.ts';
import { presentEnclosed } from './present-message.ts';
import { recheckToken } from '../auth/authenticate.ts';
import { isHungUp, readerOf } from '../http/request.ts';
import { endIfUnread } from '../http/unread.ts';

/**
 * Lifetime of the redirect target: enough for clock differences, but shorter than the signed link.
 */
const STORE_LINK_SECONDS = 300;

interface Link {
  messageId: string;
  attachmentId: string;
}

interface LinkQuery {
  expires: string;
  signature: string;
}

/** Attachments, parts and raw mail as downloads. */
export function fileRoutes(context: Context): Router {
  const router = Router();

  router.get('/api/mailboxes/:name/messages/:id/attachments/:attachmentId', async (req, res) => {
    const { name, id, attachmentId } = req.params;
    const mailbox = await requireMailbox(context, res.locals.caller, name);
    const file = await requireAttachment(context, mailbox, id, attachmentId);
    await recheckToken(context, res);
    await sendFile(context, file, res);
  });

  router.get(
    '/api/mailboxes/:name/messages/:id/attachments/:attachmentId/text',
    async (req, res) => {
      const { name, id, attachmentId } = req.params;
      const mailbox = await requireMailbox(context, res.locals.caller, name);
      const place = { messageId: id, attachmentId };
      const text = await requireAttachmentText(context, readerOf(req, res), mailbox, place);
      await sendBytes(context, res, 'text/plain', text);
    },
  );

  router.get<string, { name: string; id: string }, Shape<'PartTree'>>(
    '/api/mailboxes/:name/messages/:id/parts',
    async (req, res) => {
      const mailbox = await requireMailbox(context, res.locals.caller, req.params.name);
      const tree = await messageParts(context, readerOf(req, res), mailbox, req.params.id);
      await sendJson(context, res, tree);
    },
  );

  router.get('/api/mailboxes/:name/messages/:id/parts/:section', async (req, res) => {
    const { name, id, section } = req.params;
    const mailbox = await requireMailbox(context, res.locals.caller, name);
    const place = { messageId: id, section };
    const file = await requirePart(context, readerOf(req, res), mailbox, place);
    await recheckToken(context, res);
    await sendFile(context, file, res);
  });

  router.get<string, { name: string; id: string; section: string }, Shape<'EnclosedMessage'>>(
    '/api/mailboxes/:name/messages/:id/parts/:section/message',
    async (req, res) => {
      const { name, id, section } = req.params;
      const mailbox = await requireMailbox(context, res.locals.caller, name);
      const place = { messageId: id, section };
      const enclosed = await requireEnclosed(context, readerOf(req, res), mailbox, place);
      const values = [presentEnclosed(enclosed, section)];
      const [json] = await context.ingest.reading.run(readerOf(req, res), jsonBytes, () => ({
        values,
        before: '',
      }));
      if (json) await sendJson(context, res, json);
    },
  );

  router.get('/api/mailboxes/:name/messages/:id/raw', async (req, res) => {
    const { name, id } = req.params;
    const mailbox = await requireMailbox(context, res.locals.caller, name);
    const file = await requireSource(context, mailbox, id);
    await recheckToken(context, res);
    await sendFile(context, file, res);
  });

  router.get<string, Link, unknown, unknown, LinkQuery>(
    '/attachments/:messageId/:attachmentId',
    async (req, res) => {
      const { messageId, attachmentId } = req.params;
      const { expires, signature } = req.query;
      checkAttachmentLink(context, { messageId, attachmentId, expires, signature });
      const file = await requireLinkedAttachment(context, messageId, attachmentId);
      const { link } = context.blobs;
      if (link && file.blobKey !== null && !res.locals.headOnly) {
        res.redirect(await link(file.blobKey, downloadHeaders(file), STORE_LINK_SECONDS));
      } else {
        await sendFile(context, file, res);
      }
    },
  );

  return router;
}

/**
 * Streams a stored file as a download. It is untrusted content of a mail and must not be displayed.
 * @throws {AppError} `not_found`, `unavailable`, before anything is sent.
 */
export async function sendFile(
  context: Pick<Context, 'log' | 'blobs'>,
  file: StoredFile,
  res: Response,
): Promise<void> {
  res.locals.unread.reserve(file.content?.length ?? 0);
  const blob = res.locals.headOnly ? null : await openFile(context, file);
  const { contentType, contentDisposition } = downloadHeaders(file);
  res.setHeader('Content-Type', contentType); // set directly, because `res.type` would add a charset
  res.setHeader('Content-Disposition', contentDisposition);
  res.setHeader('Content-Length', blob?.size ?? file.size);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
  if (!blob) {
    res.end();
    return;
  }
  endIfUnread(res);
  try {
    await pipeline(blob.stream, res);
  } catch (error) {
    if (!isHungUp(error)) throw error;
  }
}
