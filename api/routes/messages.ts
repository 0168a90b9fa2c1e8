import { Router } from 'express';
import type { Context } from '../../core/context.ts';
import { clearMailbox, deleteMessage } from '../../core/messages/delete.ts';
import { decodeAddressCursor, decodeCursor } from '../../core/messages/cursor.ts';
import { currentMark } from '../../core/messages/mark.ts';
import { messageHeaders } from '../../core/messages/headers.ts';
import { diffMessages } from '../../core/messages/diff/diff-messages.ts';
import { htmlView, messageText } from '../../core/messages/views/shown-body.ts';
import { requireMailbox } from '../../core/mailboxes/mailboxes.ts';
import { requireMessageWithFiles, listMessages } from '../../core/messages/messages.ts';
import { listRecipients, recipientFilter } from '../../core/messages/recipient-filter.ts';
import { parseQuery } from '../../core/search/parse-query.ts';
import type { Searches } from '../../core/search/search.ts';
import { searchMailbox } from '../../core/search/search.ts';
import { storeRaw } from '../../core/sending/store-raw.ts';
import { sendMessage, sentAs } from '../../core/sending/send.ts';
import type { WaitServices } from '../../core/waits/wait.ts';
import { extractedFrom } from '../../core/messages/extractions.ts';
import { jsonBytes } from '../../core/mime/json-bytes.ts';
import { payloadOf } from '../../core/webhooks/payload.ts';
import { closingSignal, disconnectSignal, readerOf } from '../http/request.ts';
import { respondOnce } from '../http/idempotency.ts';
import { extractedJson, type MessageJson } from './message-json.ts';
import { sendBytes, sendJson, sendMessages } from './json-items.ts';
import { readSince } from '../http/query.ts';
import type { QueryParameters, Shape } from '../contract/contract.ts';

/**
 * The Content-Security-Policy of the HTML view of a mail (W3C Content Security Policy Level 3). The
 * HTML is untrusted: it cannot run scripts, submit forms or navigate the frame. Links open in a new
 * window, which is not restricted.
 */
const FRAME_POLICY = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
];

export function messageRoutes(
  context: Context,
  json: MessageJson,
  waits: Pick<WaitServices, 'extractions'> & Searches,
): Router {
  const router = Router();

  router.get<
    string,
    { name: string },
    Shape<'MessagePage'>,
    unknown,
    QueryParameters<'listMessages'>
  >('/api/mailboxes/:name/messages', async (req, res) => {
    const { limit = 20, after, since, to, view, claimed, q } = req.query;
    const { caller } = res.locals;
    const { workspace } = caller;
    const mailbox = await requireMailbox(context, caller, req.params.name);
    const request = {
      limit,
      summary: view === 'summary',
      ...(after === undefined ? {} : { after: decodeCursor(after) }),
      ...(since === undefined ? {} : { since: readSince(since) }),
      ...(to === undefined ? {} : { to: recipientFilter(workspace, mailbox, to) }),
    };
    const { domain } = workspace;
    const query = q === undefined ? [] : parseQuery(q, { now: context.now(), domain });
    const { rows, ...rest } =
      query.length === 0 && claimed === undefined
        ? await listMessages(context, mailbox, request)
        : await searchMailbox(context, waits, caller, mailbox, {
            ...request,
            ...(claimed === undefined ? {} : { claimed }),
            query,
            gone: disconnectSignal(req, res),
          });
    await sendMessages(context, res, await json.ofRows(readerOf(req, res), rows, request), rest);
  });

  router.get<string, { name: string }, Shape<'Mark'>>(
    '/api/mailboxes/:name/mark',
    async (req, res) => {
      const mailbox = await requireMailbox(context, res.locals.caller, req.params.name);
      res.json({ mark: await currentMark(context, mailbox) });
    },
  );

  router.post<string, { name: string }, Shape<'Sent'>, Shape<'SendRequest'>>(
    '/api/mailboxes/:name/messages',
    async (req, res) => {
      await respondOnce(context, req, res, {
        run: async (seed) => {
          const sent = await sendMessage(
            context,
            res.locals.caller,
            req.params.name,
            req.body,
            seed,
          );
          return { status: 201, body: sent, kept: true };
        },
        repeat: (_kept, seed) => ({ status: 201, body: sentAs(req.body, seed) }),
      });
    },
  );

  router.get<string, { name: string; id: string }, Shape<'Message'>>(
    '/api/mailboxes/:name/messages/:id',
    async (req, res) => {
      const mailbox = await requireMailbox(context, res.locals.caller, req.params.name);
      await sendJson(
        context,
        res,
        (await json.ofId(readerOf(req, res), mailbox, req.params.id)).json,
      );
    },
  );

  router.get<
    string,
    { name: string; id: string },
    string,
    unknown,
    QueryParameters<'showMessageHtml'>
  >('/api/mailboxes/:name/messages/:id/html', async (req, res) => {
    const { caller } = res.locals;
    const mailbox = await requireMailbox(context, caller, req.params.name);
    const { remote = false, scheme = null } = req.query;
    const place = { mailbox, messageId: req.params.id };
    const options = { remote, scheme, newWindow: true };
    const { page, baseSource } = await htmlView(context, readerOf(req, res), place, options);
    res.setHeader('Content-Security-Policy', framePolicy(remote, baseSource));
    await sendBytes(context, res, 'html', page);
  });

  router.get<string, { name: string; id: string }, string>(
    '/api/mailboxes/:name/messages/:id/text',
    async (req, res) => {
      const { caller } = res.locals;
      const mailbox = await requireMailbox(context, caller, req.params.name);
      const text = await messageText(context, readerOf(req, res), mailbox, req.params.id);
      await sendBytes(context, res, 'text/plain', text);
    },
  );

  router.delete<
    string,
    { name: string },
    Shape<'Cleared'>,
    unknown,
    QueryParameters<'clearMailbox'>
  >('/api/mailboxes/:name/messages', async (req, res) => {
    const { caller } = res.locals;
    res.json({ deleted: await clearMailbox(context, caller, req.params.name, req.query) });
  });

  router.get<string, { name: string; id: string }, Shape<'HeaderFields'>>(
    '/api/mailboxes/:name/messages/:id/headers',
    async (req, res) => {
      const mailbox = await requireMailbox(context, res.locals.caller, req.params.name);
      const place = { mailbox, messageId: req.params.id };
      await sendJson(context, res, await messageHeaders(context, readerOf(req, res), place));
    },
  );

  router.get<
    string,
    { name: string; id: string },
    Shape<'MessageDiff'>,
    unknown,
    QueryParameters<'diffMessages'>
  >('/api/mailboxes/:name/messages/:id/diff', async (req, res) => {
    const { caller } = res.locals;
    const mailbox = await requireMailbox(context, caller, req.params.name);
    const asker = { caller, reader: readerOf(req, res) };
    const { id } = req.params;
    await sendJson(context, res, await diffMessages(context, asker, mailbox, id, req.query.with));
  });

  router.get<string, { name: string; id: string }, Shape<'Extracted'>>(
    '/api/mailboxes/:name/messages/:id/extracted',
    async (req, res) => {
      const mailbox = await requireMailbox(context, res.locals.caller, req.params.name);
      const extracted = await extractedJson(
        context,
        waits.extractions,
        readerOf(req, res),
        mailbox,
        req.params.id,
      );
      await sendJson(context, res, extracted);
    },
  );

  router.get<
    string,
    { name: string; id: string },
    Shape<'WebhookEvent'>,
    unknown,
    QueryParameters<'getWebhookEvent'>
  >('/api/mailboxes/:name/messages/:id/event', async (req, res) => {
    const mailbox = await requireMailbox(context, res.locals.caller, req.params.name);
    const { reading } = context.ingest;
    const reader = readerOf(req, res);
    const load = () => requireMessageWithFiles(context, mailbox, req.params.id, reader.admit);
    const extracted = (req.query.include ?? []).includes('extracted')
      ? await extractedFrom(context, await load(), reader.gone)
      : undefined;
    const [json] = await reading.run(reader, jsonBytes, async () => {
      const payload = payloadOf(context, mailbox, await load(), extracted);
      return { values: [payload], before: '' };
    });
    if (json) await sendJson(context, res, json);
  });

  router.post<
    string,
    { name: string },
    Shape<'StoredMail'>,
    Buffer,
    QueryParameters<'storeRawMessage'>
  >('/api/mailboxes/:name/messages/raw', async (req, res) => {
    const { from, to = [] } = req.query;
    const envelope = { from: from ?? null, to };
    const { caller } = res.locals;
    const messageId = await storeRaw(context, caller, req.params.name, {
      raw: req.body,
      envelope,
      gone: closingSignal(req, res),
    });
    res.status(201).json({ messageId });
  });

  router.get<
    string,
    { name: string },
    Shape<'CaughtRecipientPage'>,
    unknown,
    QueryParameters<'listCaughtRecipients'>
  >('/api/mailboxes/:name/recipients', async (req, res) => {
    const { limit = 20, after } = req.query;
    const { caller } = res.locals;
    const { workspace } = caller;
    const mailbox = await requireMailbox(context, caller, req.params.name);
    const { recipients, nextCursor } = await listRecipients(context, workspace, mailbox, {
      limit,
      ...(after === undefined ? {} : { after: decodeAddressCursor(after) }),
    });
    const presented = recipients.map(({ lastAt, ...rest }) => ({
      ...rest,
      lastAt: lastAt.toISOString(),
    }));
    res.json({ recipients: presented, nextCursor });
  });

  router.delete('/api/mailboxes/:name/messages/:id', async (req, res) => {
    const { name, id } = req.params;
    await deleteMessage(context, res.locals.caller, name, id);
    res.status(204).end();
  });

  return router;
}

/**
 * The policy of the view. With `remote`, pictures, styles, fonts and media can be loaded from any
 * host.
 */
export function framePolicy(remote: boolean, baseSource: string): string {
  const from = remote ? ' https: http:' : '';
  return [
    ...FRAME_POLICY,
    `base-uri ${baseSource}`,
    `img-src data:${from}`,
    `style-src 'unsafe-inline'${from}`,
    `font-src data:${from}`,
    `media-src data:${from}`,
  ].join('; ');
}
