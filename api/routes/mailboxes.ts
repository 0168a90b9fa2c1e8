import { Router } from 'express';
import type { Caller } from '../../core/auth/caller.ts';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { changeMailbox } from '../../core/mailboxes/change.ts';
import { type CreatedMailbox, createMailboxes } from '../../core/mailboxes/create.ts';
import {
  allMailboxes,
  deleteLabeled,
  type CountedMailbox,
  deleteMailbox,
  requireCountedMailbox,
  listMailboxes,
  findMailbox,
  withCount,
} from '../../core/mailboxes/mailboxes.ts';
import { parseLabels, shownLabels } from '../../core/mailboxes/labels.ts';
import type { NewMailbox } from '../../core/mailboxes/properties.ts';
import type { QueryParameters, Shape } from '../contract/contract.ts';
import { decodeMailboxCursor, encodeMailboxCursor } from '../../core/messages/cursor.ts';
import { respondOnce } from '../http/idempotency.ts';
import { linkNext } from '../http/request.ts';
import { sendArray } from './json-items.ts';
import { mailboxAddress } from '../../core/addresses.ts';

export function mailboxRoutes(context: Context): Router {
  const router = Router();

  /** A mailbox that existed can have messages. */
  const counted = async ({ row, isNew }: CreatedMailbox): Promise<CountedMailbox> =>
    isNew ? { ...row, messageCount: 0, properties: row } : withCount(context, row);

  router.post<string, object, Shape<'Mailbox'>, Shape<'NewMailbox'> | undefined>(
    '/api/mailboxes',
    async (req, res) => {
      const { caller } = res.locals;
      await respondOnce(context, req, res, {
        run: async (seed) => {
          const [made] = await createMailboxes(context, caller, [req.body ?? {}], seed);
          if (!made) throw new RangeError('no mailbox created');
          const { id, name, createdAt } = made.row;
          const kept = made.isNew ? { id, name, createdAt: createdAt.getTime() } : null;
          const body = presentMailbox(await counted(made), caller);
          return { status: made.isNew ? 201 : 200, body, kept };
        },
        repeat: async (kept: { id: string; name: string; createdAt: number }) => {
          const row = await findMailbox(context, caller, kept.name);
          const shown =
            row?.id === kept.id
              ? await withCount(context, row)
              : { ...kept, createdAt: new Date(kept.createdAt), messageCount: 0 };
          return { status: 201, body: presentMailbox(shown, caller) };
        },
      });
    },
  );

  router.post<string, object, Shape<'CreatedMailboxes'>, Shape<'NewMailboxes'>>(
    '/api/mailboxes/batch',
    async (req, res) => {
      const { caller } = res.locals;
      const made = await createMailboxes(context, caller, wantedOf(req.body));
      const rows = await Promise.all(made.map(counted));
      res.status(201).json({ mailboxes: rows.map((row) => presentMailbox(row, caller)) });
    },
  );

  router.get<string, object, Shape<'Mailbox'>[], unknown, QueryParameters<'listMailboxes'>>(
    '/api/mailboxes',
    async (req, res) => {
      const { caller } = res.locals;
      const { label = [], q: prefix = '', after, limit } = req.query;
      const request = {
        ...{ labels: parseLabels(label), prefix },
        ...(after === undefined ? {} : { after: decodeMailboxCursor(after) }),
      };
      const presented = (rows: CountedMailbox[]) => rows.map((row) => presentMailbox(row, caller));
      if (limit === undefined) {
        await sendArray(context, res, allMailboxes(context, caller, request), presented);
        return;
      }
      const { mailboxes, next } = await listMailboxes(context, caller, { ...request, limit });
      if (next) linkNext(req, res, encodeMailboxCursor(next));
      res.json(presented(mailboxes));
    },
  );

  router.delete<
    string,
    object,
    Shape<'DeletedMailboxes'>,
    unknown,
    QueryParameters<'deleteMailboxes'>
  >('/api/mailboxes', async (req, res) => {
    const labels = parseLabels(req.query.label);
    res.json({ deleted: await deleteLabeled(context, res.locals.caller, labels) });
  });

  router.get<string, { name: string }, Shape<'Mailbox'>>(
    '/api/mailboxes/:name',
    async (req, res) => {
      const { caller } = res.locals;
      res.json(
        presentMailbox(await requireCountedMailbox(context, caller, req.params.name), caller),
      );
    },
  );

  router.patch<string, { name: string }, Shape<'Mailbox'>, Shape<'MailboxChange'>>(
    '/api/mailboxes/:name',
    async (req, res) => {
      const { caller } = res.locals;
      const mailbox = await changeMailbox(context, caller, req.params.name, req.body);
      res.json(presentMailbox(mailbox, caller));
    },
  );

  router.delete('/api/mailboxes/:name', async (req, res) => {
    await deleteMailbox(context, res.locals.caller, req.params.name);
    res.status(204).end();
  });

  return router;
}

/** @throws {AppError} `invalid_request` unless the body has either `count` or `mailboxes`. */
function wantedOf({ count, mailboxes, ...shared }: Shape<'NewMailboxes'>): NewMailbox[] {
  if (count !== undefined && mailboxes === undefined)
    return Array.from({ length: count }, () => shared);
  if (mailboxes === undefined || count !== undefined) {
    throw new AppError('invalid_request', 'Send either "count" or "mailboxes".');
  }
  const [field] = Object.keys(shared);
  if (field === undefined) return mailboxes;
  throw new AppError(
    'invalid_request',
    `"${field}" is not allowed together with "mailboxes". Send it in each entry of "mailboxes".`,
  );
}

export function presentMailbox(mailbox: CountedMailbox, { workspace }: Caller): Shape<'Mailbox'> {
  const { id, name, messageCount, createdAt, properties } = mailbox;
  return {
    id,
    name,
    address: mailboxAddress(name, workspace.domain),
    messageCount,
    createdAt: createdAt.toISOString(),
    expiresAt: properties?.expiresAt?.toISOString() ?? null,
    labels: shownLabels(properties?.labels ?? null),
    clientId: properties?.clientId ?? null,
    messagesExpireIn: properties?.messagesExpireIn ?? null,
    maxMessages: properties?.maxMessages ?? null,
  };
}
