/** The transaction that creates mailboxes. */
import {
  type EndedMailbox,
  type MailboxRow,
  countLiveMailboxes,
  mailboxesByClient,
  mailboxesById,
  releaseExpired,
} from '../../db/statements/mailboxes.ts';
import type { Reach } from '../../db/statements/reach.ts';
import { type Transaction, type Db, insertIgnoring, query } from '../../db/store.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { mailboxIdFrom, newSeed } from '../ids.ts';
import { type Plan, mailboxLimit, planNames } from '../workspaces/workspaces.ts';
import { checkNewMailbox, type NewMailbox, columnsOf } from './properties.ts';
import { labelRows } from './labels.ts';
import { generateSlug } from './generate-slug.ts';

/** A mailbox that a request created, or found by its client id. */
export interface CreatedMailbox {
  row: MailboxRow;
  isNew: boolean;
}

interface Inserted {
  /** In the order asked. */
  created: CreatedMailbox[];
  /** Expired mailboxes whose names or client ids were taken. */
  released: EndedMailbox[];
}

interface Candidate {
  wanted: NewMailbox;
  id: string;
}

/** A generated name is taken, or these ids belong to deleted mailboxes. */
class TakenError extends Error {
  readonly ids: ReadonlySet<string>;

  constructor(ids: ReadonlySet<string>) {
    super('ids or generated names are taken');
    this.ids = ids;
  }
}

/**
 * Inserts the mailboxes within the plan limit, in one transaction. A mailbox that an earlier run of
 * the request inserted is found. A generated name that is taken is replaced, and so is the id of a
 * mailbox that was undone or deleted.
 * @throws {AppError} as `createMailboxes` does.
 */
export async function insertMailboxes(
  context: Pick<Context, 'config' | 'now' | 'store'>,
  caller: Caller,
  wanted: NewMailbox[],
  seed: string,
): Promise<Inserted> {
  let candidates = wanted.map((each, n): Candidate => {
    return { wanted: each, id: mailboxIdFrom(n === 0 ? seed : newSeed(context.now())) };
  });
  for (;;) {
    try {
      return await transactionAs(context, caller, (tx) =>
        insertAll(tx, context, caller, candidates),
      );
    } catch (error) {
      if (!(error instanceof TakenError)) throw error;
      candidates = candidates.map((each) =>
        error.ids.has(each.id) ? { ...each, id: mailboxIdFrom(newSeed(context.now())) } : each,
      );
    }
  }
}

function* insertAll(
  tx: Db,
  context: Pick<Context, 'config' | 'now'>,
  caller: Caller,
  candidates: Candidate[],
): Transaction<Inserted> {
  const reach = reachOf(context, caller);
  const byClient = yield* findByClient(tx, reach, candidates);
  const fresh = candidates.filter(({ wanted: { clientId } }, n) => {
    if (clientId === undefined) return true;
    const first = candidates.findIndex(({ wanted }) => wanted.clientId === clientId);
    return first === n && !byClient.has(clientId);
  });
  for (const { wanted } of fresh) {
    if (wanted.clientId !== undefined) checkNewMailbox(context, caller, wanted);
  }
  yield* requireBelowLimit(tx, context, caller, fresh);
  const rows = fresh.map((candidate) => rowOf(context, caller, candidate, reach.now));
  const { inserted, released } = yield* insertRows(tx, reach, rows);
  const left = rows.filter(({ id }) => !inserted.has(id));
  const earlier = yield* requireEarlier(tx, caller, left, fresh);
  const byId = new Map([...rows, ...earlier].map((row) => [row.id, row]));
  yield* insertIgnoring(
    tx.t.mailboxLabels,
    rows.filter(({ id }) => inserted.has(id)).flatMap(labelRows),
  );
  for (const row of byId.values()) if (row.clientId !== null) setNew(byClient, row);
  const created = candidates.flatMap(({ id, wanted: { clientId } }): CreatedMailbox[] => {
    const own = byId.get(id);
    const row = own ?? byClient.get(clientId ?? '');
    return row ? [{ row, isNew: own !== undefined }] : [];
  });
  return { created, released };
}

function setNew(byClient: Map<string, MailboxRow>, row: MailboxRow): void {
  if (row.clientId !== null && !byClient.has(row.clientId)) byClient.set(row.clientId, row);
}

function* findByClient(
  tx: Db,
  reach: Reach,
  candidates: Candidate[],
): Transaction<Map<string, MailboxRow>> {
  const ids = candidates.flatMap(({ wanted }) => wanted.clientId ?? []);
  if (ids.length === 0) return new Map();
  const found = yield* query(mailboxesByClient(tx, reach, [...new Set(ids)]));
  return new Map(found.map((row) => [row.clientId ?? '', row]));
}

function rowOf(
  { config }: Pick<Context, 'config'>,
  { workspace }: Caller,
  { id, wanted }: Candidate,
  now: Date,
): MailboxRow {
  return {
    id,
    workspaceId: workspace.id,
    name: wanted.name?.toLowerCase() ?? generateSlug(),
    createdAt: now,
    deletedAt: null,
    clientId: wanted.clientId ?? null,
    ...{ expiresAt: null, labels: null, messagesExpireIn: null, maxMessages: null },
    ...columnsOf(config, wanted, now),
  };
}

/** Rows that collide are inserted again after the expired mailboxes in their place have ended. */
function* insertRows(
  tx: Db,
  reach: Reach,
  rows: MailboxRow[],
): Transaction<{ inserted: Set<string>; released: EndedMailbox[] }> {
  const inserted = yield* insertIgnoring(tx.t.mailboxes, rows);
  if (inserted.size === rows.length) return { inserted, released: [] };
  const left = rows.filter(({ id }) => !inserted.has(id));
  const names = left.map(({ name }) => name);
  const clientIds = left.flatMap(({ clientId }) => clientId ?? []);
  const released = yield* query(releaseExpired(tx, reach, { names, clientIds }));
  if (released.length === 0) return { inserted, released };
  const later = yield* insertIgnoring(tx.t.mailboxes, left);
  return { inserted: new Set([...inserted, ...later]), released };
}

/**
 * The rows that an earlier run inserted under these ids.
 * @throws {TakenError}, {AppError} `name_taken`, `client_id_taken`.
 */
function* requireEarlier(
  tx: Db,
  { workspace }: Caller,
  left: MailboxRow[],
  candidates: Candidate[],
): Transaction<MailboxRow[]> {
  if (left.length === 0) return [];
  const ids = left.map(({ id }) => id);
  const earlier = yield* query(mailboxesById(tx, workspace.id, ids));
  const known = new Set(earlier.map(({ id }) => id));
  const named = new Map(candidates.map(({ id, wanted }) => [id, wanted]));
  for (const row of left) {
    if (known.has(row.id)) continue;
    const anyone = { workspaceId: workspace.id, scope: null, now: row.createdAt };
    const clients = row.clientId === null ? [] : [row.clientId];
    const owners = clients.length > 0 ? yield* query(mailboxesByClient(tx, anyone, clients)) : [];
    if (owners.length > 0) {
      throw new AppError(
        'client_id_taken',
        'A mailbox that this token cannot use has this client id. Choose another client id.',
      );
    }
    if (named.get(row.id)?.name !== undefined) {
      throw new AppError(
        'name_taken',
        `A mailbox named "${row.name}" already exists. Choose another name.`,
      );
    }
  }
  const live = earlier.filter(({ deletedAt }) => deletedAt === null);
  if (live.length === left.length) return live;
  throw new TakenError(new Set(earlier.flatMap((row) => (row.deletedAt ? [row.id] : []))));
}

/** Skipped without a limit: on PostgreSQL the count conflicts with concurrent inserts. */
function* requireBelowLimit(
  tx: Db,
  { config, now }: Pick<Context, 'config' | 'now'>,
  { workspace, token }: Caller,
  candidates: Candidate[],
): Transaction<void> {
  const limit = mailboxLimit(config, workspace.plan);
  if (limit === null || candidates.length === 0) return;
  const ids = candidates.map(({ id }) => id);
  const earlier = yield* query(mailboxesById(tx, workspace.id, ids));
  const [live] = yield* query(countLiveMailboxes(tx, workspace.id, new Date(now())));
  const left = Math.max(0, limit - (live?.count ?? 0));
  if (candidates.length - earlier.length <= left) return;
  const isNarrow = token.mailboxes !== null;
  throw new AppError(
    'plan_limit',
    left === 0 || isNarrow
      ? `Mailbox limit of the ${planNames[workspace.plan]} plan reached (${limit}). ` +
          wayOut(config, workspace.plan)
      : `The ${planNames[workspace.plan]} plan allows ${limit} mailboxes. ${left} more can be created. ` +
          'Create fewer, or delete mailboxes.',
    // The count of other mailboxes is not shown to a narrow token.
    { details: { plan: workspace.plan, limit, ...(isNarrow ? {} : { left }) } },
  );
}

/** On a private instance the caller is its operator, who can change the limit. */
function wayOut({ isPrivate }: Pick<Config, 'isPrivate'>, plan: Plan): string {
  if (!isPrivate) return 'Delete a mailbox first.';
  const setting = `PLAN_${plan.toUpperCase()}_MAILBOXES`;
  return (
    'Delete mailboxes of earlier tests, for example with "mayfly mailbox delete --label ' +
    `KEY=VALUE", or raise ${setting} (0 for no limit).`
  );
}
