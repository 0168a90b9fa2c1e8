/** The contract of the store, run for every driver. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { inArray } from 'drizzle-orm';
import { fanOut } from '../../core/delivery/fan-out.ts';
import { AppError } from '../../core/errors.ts';
import { labelRows } from '../../core/mailboxes/labels.ts';
import {
  attachmentContent,
  attachmentsOf,
  linkedAttachment,
} from '../../db/statements/attachments.ts';
import { caughtAddressPage, caughtMessagePage } from '../../db/statements/caught-recipients.ts';
import {
  claimOf,
  claimsBetween,
  endedClaims,
  endedClaimsOfWorkspaces,
  freeMessages,
  liveClaimsAmong,
  extendClaim,
  claimForGood,
  claimForTime,
  releasedMessages,
} from '../../db/statements/claims.ts';
import {
  credentialPage,
  credentialsByUsername,
  insertCredential,
  recordCredentialUses,
  selectCredentials,
} from '../../db/statements/smtp-credentials.ts';
import { referredBlobKeys } from '../../db/statements/blob-references.ts';
import { assignInstance } from '../../db/statements/instance.ts';
import { type MailRows, mailSource, storeMails } from '../../db/statements/mails.ts';
import { lastNumber } from '../../db/statements/message-numbers.ts';
import {
  removeExpired,
  removeExpiredById,
  removeMailFrom,
  removeMessage,
  removeMessagesById,
  removeMessagesOf,
} from '../../db/statements/remove-mails.ts';
import {
  directoryByIds,
  directoryByNames,
  directoryPage,
  insertMailbox,
  mailboxPage,
  countLiveMailboxes,
  readMailbox,
  releaseExpired,
  markMailboxDeleted,
} from '../../db/statements/mailboxes.ts';
import {
  addressedMessagePage,
  countMessages,
  expiredMessagesOf,
  messagesBeyond,
  messageById,
  messageOfMail,
  messagePage,
  messageSummariesById,
  messagesById,
} from '../../db/statements/messages.ts';
import {
  type DeliveryChange,
  type DuePosition,
  type Recovery,
  attemptsOf,
  countRecoverable,
  deliveryPage,
  leaseDelivery,
  overdue,
  pendingOf,
  recoverable,
  makeDeliveriesPending,
  removeDeliveries,
  changeDelivery,
  deliveryDetails,
} from '../../db/statements/deliveries.ts';
import type { Label, Reach, Scope } from '../../db/statements/reach.ts';
import { insertWebhook, removeWebhook } from '../../db/statements/webhooks.ts';
import {
  type Db,
  type DbQuery,
  type Store,
  insertIgnoring,
  execute,
  query,
} from '../../db/store.ts';
import {
  insertToken,
  liveToken,
  liveTokenForAll,
  liveTokens,
  markTokenRevoked,
  markTokensUsed,
  tokenByHash,
  tokenById,
  tokenLiveness,
} from '../../db/statements/tokens.ts';
import { insertWorkspace } from '../../db/statements/workspaces.ts';
import { rejection } from '../support/mocha/rejection.ts';

const NOW = new Date('2026-03-01T12:00:00.123Z');
const LATER = new Date(NOW.getTime() + 86_400_000);
const FIRST_PAGE = { since: new Date(-1), receivedAt: new Date(8.64e15 / 2), id: '~' };

const workspace = (id: string, domain: string) => ({
  id,
  name: id,
  domain,
  plan: 'pro' as const,
  createdAt: NOW,
});
const selectMailboxes = (db: Db, within: Reach, labels: Label[] = []) =>
  mailboxPage(db, within, { labels, prefix: '' }, { limit: 1000 });
const reach = (workspaceId: string, now = NOW, scope: Scope | null = null): Reach => ({
  ...{ workspaceId, scope, now },
});
const mailbox = (id: string, name: string, workspaceId = 'wsp_1') => ({
  id,
  workspaceId,
  name,
  createdAt: NOW,
  deletedAt: null,
});

function mail(n: number, mailboxIds: string[], receivedAt = NOW): MailRows {
  const mailId = `mal_${n}`;
  return {
    mail: {
      id: mailId,
      ingestId: `ing_${n}`,
      fromAddress: 'a@x.test',
      to: ['b@y.test', 'ü@y.test'],
      cc: [],
      subject: `Subject ${n}`,
      size: 3,
      attachmentCount: 1,
      text: 'text',
      raw: Buffer.from([0, 255, 10]),
      rawBlobKey: `raw/${n}`,
    },
    messages: mailboxIds.map((mailboxId, index) => ({
      id: `msg_${n}_${index}`,
      mailId,
      mailboxId,
      recipient: 'b@y.test',
      tag: index === 0 ? null : 'Tag',
      receivedAt,
      bodyBytes: 4,
      preview: `Grüße ${n}`,
    })),
    conditions: null,
    attachments: [
      { id: `att_${n}`, mailId, position: 0, contentType: 'a/b', size: 2, blobKey: `blob/${n}` },
    ],
  };
}

/** Runs the suite on stores of `open`, each migrated, empty and closed after its test. */
export function storeSuite(
  open: () => Promise<{ store: Store; remove: () => Promise<void> }>,
): void {
  let store: Store;
  let remove: () => Promise<void>;

  const add = (mails: MailRows[], expiresAt = LATER) =>
    store
      .transaction((tx) => storeMails(tx, mails, { now: NOW, expiresAt }, fanOut))
      .then((results) => results.map(({ outcome }) => outcome));
  const write = <Rows>(build: (tx: Db) => DbQuery<Rows>) =>
    store.transaction((tx) => query(build(tx)));
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const mailRows = (ids: string[]) => {
    const { mails } = store.db.t;
    return store.db.select().from(mails).where(inArray(mails.id, ids)).orderBy(mails.id);
  };
  const total = async (mailboxId: string, now = NOW) =>
    (await store.execute(countMessages, { mailboxId, now }))[0]?.total;

  beforeEach(async () => {
    ({ store, remove } = await open());
    await store.transaction(function* (tx) {
      yield* query(insertWorkspace(tx, workspace('wsp_1', 'one.test')));
      yield* query(insertWorkspace(tx, workspace('wsp_2', 'two.test')));
      yield* query(insertMailbox(tx, mailbox('mbx_1', 'first')));
      yield* query(insertMailbox(tx, mailbox('mbx_2', 'second')));
    });
  });
  afterEach(() => remove());

  describe('a programming error', () => {
    const fault = new TypeError('each is not a function');
    const broken = () => {
      throw fault;
    };

    it('passes unchanged through statements and transactions', async () => {
      expect(await rejection(store.query(broken))).to.equal(fault);
      expect(await rejection(store.transaction(broken))).to.equal(fault);
    });

    it('rolls back its transaction', async () => {
      await rejection(
        store.transaction(function* (tx) {
          yield* query(insertWorkspace(tx, workspace('wsp_3', 'three.test')));
          return broken();
        }),
      );
      await write((tx) => insertWorkspace(tx, workspace('wsp_3', 'three.test')));
    });
  });

  describe('transactions', () => {
    it('are rolled back if the body throws', async () => {
      const failing = store.transaction(function* (tx) {
        yield* query(insertMailbox(tx, mailbox('mbx_3', 'third')));
        throw new AppError('plan_limit', 'no');
      });
      const error = await rejection(failing);
      expect(error).to.be.instanceOf(AppError);
      expect(await selectMailboxes(store.db, reach('wsp_1', NOW))).to.have.length(2);
    });

    it('enforce a limit under concurrent creations', async () => {
      const create = (n: number) =>
        store.transaction(function* (tx) {
          const live = yield* query(selectMailboxes(tx, reach('wsp_1', NOW)));
          if (live.length >= 5) return false;
          yield* query(insertMailbox(tx, mailbox(`mbx_r${n}`, `race-${n}`)));
          return true;
        });
      const made = await Promise.all(Array.from({ length: 24 }, (_, n) => create(n)));
      expect(made.filter(Boolean)).to.have.length(3);
      expect(await selectMailboxes(store.db, reach('wsp_1', NOW))).to.have.length(5);
    });
  });

  describe('workspaces and tokens', () => {
    it('reject a duplicate domain without an error', async () => {
      const rows = await write((tx) => insertWorkspace(tx, workspace('wsp_3', 'one.test')));
      expect(rows).to.deep.equal([]);
    });

    const addToken = (
      id: string,
      createdAt: Date,
      workspaceId = 'wsp_1',
      more: Partial<Parameters<typeof insertToken>[1]> = {},
    ) =>
      write((tx) =>
        insertToken(tx, {
          id,
          workspaceId,
          name: id,
          prefix: 'mf_',
          hash: `hash of ${id}`,
          keyId: 'k',
          role: 'admin',
          createdAt,
          ...more,
        }),
      );
    const revoke = (id: string, workspaceId = 'wsp_1') =>
      write((tx) => markTokenRevoked(tx, workspaceId, id, LATER));

    it('find a live token by its hash, and no revoked one', async () => {
      await addToken('tok_1', NOW);
      await addToken('tok_2', NOW);
      await revoke('tok_2');
      const [found] = await store.execute(tokenByHash, { hash: 'hash of tok_1', now: NOW });
      expect(found?.token.createdAt).to.deep.equal(NOW);
      expect(found?.workspace.domain).to.equal('one.test');
      expect(await store.execute(tokenByHash, { hash: 'hash of tok_2', now: NOW })).to.deep.equal(
        [],
      );
    });

    const pageOf = (workspaceId: string) => ({ workspaceId, before: null, limit: 10 });

    it('are invalid from the millisecond of their expiry', async () => {
      await addToken('tok_1', NOW);
      const { tokens } = store.db.t;
      await store.db.update(tokens).set({ expiresAt: LATER });
      const before = new Date(LATER.getTime() - 1);
      for (const [now, live] of [
        [before, 1],
        [LATER, 0],
      ] as const) {
        const asked = { id: 'tok_1', now };
        expect(await store.execute(tokenByHash, { hash: 'hash of tok_1', now })).to.have.length(
          live,
        );
        expect(await store.execute(tokenById, asked)).to.have.length(live);
        expect(await store.execute(tokenLiveness, asked)).to.have.length(live);
        const inside = await write((tx) => liveToken(tx, 'tok_1', now));
        expect(inside).to.have.length(live);
        expect(await liveTokens(store.db, pageOf('wsp_1'), now)).to.have.length(live);
      }
    });

    it('revoke a token once, only in its own workspace, and no longer list it', async () => {
      await addToken('tok_1', NOW);
      await addToken('tok_2', NOW);
      await addToken('tok_3', new Date(NOW.getTime() - 1));
      await addToken('tok_4', LATER, 'wsp_2');
      const ids = async () => idsOf(await liveTokens(store.db, pageOf('wsp_1'), NOW));
      expect(await ids()).to.deep.equal(['tok_3', 'tok_2', 'tok_1']);
      expect(await revoke('tok_1', 'wsp_2')).to.have.length(0);
      expect(await revoke('tok_1')).to.have.length(1);
      expect(await revoke('tok_1')).to.have.length(0);
      expect(await ids()).to.deep.equal(['tok_3', 'tok_2']);
      for (const [id, live] of [
        ['tok_1', 0],
        ['tok_2', 1],
      ] as const) {
        expect(await store.execute(tokenLiveness, { id, now: NOW })).to.have.length(live);
        expect(await write((tx) => liveToken(tx, id, NOW))).to.have.length(live);
      }
    });

    it('find the newest token for all mailboxes that may change data, else the newest', async () => {
      const found = async () => idsOf(await liveTokenForAll(store.db, 'wsp_1', NOW));
      expect(await found()).to.deep.equal([]);
      await addToken('tok_1', NOW, 'wsp_1', { role: 'reader' });
      await addToken('tok_2', NOW, 'wsp_1', { role: 'reader' });
      await addToken('tok_7', NOW, 'wsp_1', { mailboxes: ['box'] });
      await addToken('tok_8', NOW, 'wsp_2');
      expect(await found()).to.deep.equal(['tok_2']);
      await addToken('tok_3', NOW, 'wsp_1', { role: 'member' });
      await addToken('tok_4', NOW);
      await addToken('tok_9', NOW, 'wsp_1', { role: 'reader' });
      expect(await found()).to.deep.equal(['tok_4']);
      await revoke('tok_4');
      expect(await found()).to.deep.equal(['tok_3']);
    });

    it('record the use of tokens unless a recent use is recorded', async () => {
      await addToken('tok_1', NOW);
      await addToken('tok_2', NOW);
      const use = (ids: string[], usedAt: Date, before: Date) =>
        write((tx) => markTokensUsed(tx, ids, usedAt, before));
      expect(await use(['tok_1'], NOW, NOW)).to.have.length(1);
      expect(await use(['tok_1', 'tok_2'], LATER, new Date(NOW.getTime() - 1))).to.deep.equal([
        { id: 'tok_2' },
      ]);
      expect(await use(['tok_1'], LATER, NOW)).to.have.length(1);
    });
  });

  describe('mailboxes', () => {
    it('have one live mailbox per name, released on deletion', async () => {
      const insert = (id: string) => write((tx) => insertMailbox(tx, mailbox(id, 'first')));
      expect(await insert('mbx_3')).to.deep.equal([]);
      const deleted = await write((tx) => markMailboxDeleted(tx, reach('wsp_1'), 'first'));
      expect(idsOf(deleted)).to.deep.equal(['mbx_1']);
      expect(await insert('mbx_4')).to.have.length(1);
      const found = await readMailbox(store, reach('wsp_1'), 'first');
      expect(found?.id).to.equal('mbx_4');
    });

    it('are invisible to other workspaces', async () => {
      expect(await readMailbox(store, reach('wsp_2'), 'first')).to.equal(undefined);
      expect(await selectMailboxes(store.db, reach('wsp_2', NOW))).to.deep.equal([]);
      const deleted = await write((tx) => markMailboxDeleted(tx, reach('wsp_2'), 'first'));
      expect(deleted).to.deep.equal([]);
    });

    const labeled = (id: string, name: string, labels: Record<string, string>) =>
      store.transaction(function* (tx) {
        yield* query(insertMailbox(tx, { ...mailbox(id, name), labels }));
        yield* insertIgnoring(tx.t.mailboxLabels, labelRows({ id, workspaceId: 'wsp_1', labels }));
      });

    it('do not exist from the millisecond of their expiry, before they are marked', async () => {
      const expiresAt = new Date(NOW.getTime() + 1000);
      await write((tx) => insertMailbox(tx, { ...mailbox('mbx_3', 'short'), expiresAt }));
      const at = (ms: number) => reach('wsp_1', new Date(expiresAt.getTime() + ms));
      expect((await readMailbox(store, at(-1), 'short'))?.id).to.equal('mbx_3');
      expect(await readMailbox(store, at(0), 'short')).to.equal(undefined);
      expect(await selectMailboxes(store.db, at(-1))).to.have.length(3);
      expect(await selectMailboxes(store.db, at(0))).to.have.length(2);
      const [live] = await countLiveMailboxes(store.db, 'wsp_1', expiresAt);
      expect(live?.count).to.equal(2);
      const release = { names: ['short'], clientIds: [] };
      const released = (ms: number) => write((tx) => releaseExpired(tx, at(ms), release));
      expect(await released(-1)).to.deep.equal([]);
      expect(idsOf(await released(0))).to.deep.equal(['mbx_3']);
    });

    it('drop mail that is stored after their expiry', async () => {
      await write((tx) => insertMailbox(tx, { ...mailbox('mbx_3', 'short'), expiresAt: NOW }));
      expect(await add([mail(1, ['mbx_3']), mail(2, ['mbx_3', 'mbx_1'])])).to.deep.equal([
        'gone',
        'stored',
      ]);
      expect(await total('mbx_3', new Date(0))).to.equal(0);
    });

    it('expire their messages earlier than the mail', async () => {
      await write((tx) =>
        insertMailbox(tx, { ...mailbox('mbx_3', 'brief'), messagesExpireIn: 60 }),
      );
      await add([mail(1, ['mbx_3', 'mbx_1'])]);
      const end = new Date(NOW.getTime() + 60_000);
      expect(await total('mbx_3', new Date(end.getTime() - 1))).to.equal(1);
      expect(await total('mbx_3', end)).to.equal(0);
      expect(await total('mbx_1', end)).to.equal(1);
      const expired = await expiredMessagesOf(store.db, 'mbx_3', end, 10);
      expect(idsOf(expired)).to.deep.equal(['msg_1_0']);
      const ids = idsOf(expired);
      await store.transaction((tx) => removeExpiredById(tx, ids, end));
      expect(await mailRows(['mal_1'])).to.have.length(1);
      expect(await add([mail(1, ['mbx_3'])])).to.deep.equal(['repeated']);
    });

    it('are found by all of their labels', async () => {
      await labeled('mbx_3', 'third', { run: '1', worker: 'a' });
      await labeled('mbx_4', 'fourth', { run: '1' });
      const found = async (labels: Record<string, string>) => {
        const asked = Object.entries(labels).map(([key, value]) => ({ key, value }));
        const rows = await selectMailboxes(store.db, reach('wsp_1'), asked);
        return idsOf(rows).sort();
      };
      expect(await found({ run: '1' })).to.deep.equal(['mbx_3', 'mbx_4']);
      expect(await found({ run: '1', worker: 'a' })).to.deep.equal(['mbx_3']);
      expect(await found({ run: '2' })).to.deep.equal([]);
      const rows = await selectMailboxes(store.db, reach('wsp_1'));
      const third = rows.find(({ id }) => id === 'mbx_3');
      expect(third?.labels).to.deep.equal({ run: '1', worker: 'a' });
    });

    it('are found within a scope of names and labels only', async () => {
      await labeled('mbx_3', 'third', { run: '1' });
      const scope = { names: ['first'], labels: [{ key: 'run', value: '1' }] };
      const narrow = reach('wsp_1', NOW, scope);
      expect(idsOf(await selectMailboxes(store.db, narrow)).sort()).to.deep.equal([
        'mbx_1',
        'mbx_3',
      ]);
      expect((await readMailbox(store, narrow, 'third'))?.id).to.equal('mbx_3');
      expect(await readMailbox(store, narrow, 'second')).to.equal(undefined);
      const none = reach('wsp_1', NOW, { names: [], labels: [] });
      expect(await selectMailboxes(store.db, none)).to.deep.equal([]);
      const deleted = await write((tx) => markMailboxDeleted(tx, narrow, 'second'));
      expect(deleted).to.deep.equal([]);
    });

    it('have one live mailbox per client id', async () => {
      const insert = (id: string) =>
        store.transaction((tx) =>
          insertIgnoring(tx.t.mailboxes, [{ ...mailbox(id, id), clientId: 'job-1' }]),
        );
      const made = await Promise.all([insert('mbx_3'), insert('mbx_4'), insert('mbx_5')]);
      expect(made.map((ids) => ids.size).sort()).to.deep.equal([0, 0, 1]);
    });

    it('have messages beyond a number, oldest last', async () => {
      const times = [1, 2, 3, 4].map((n) => new Date(NOW.getTime() + n));
      await add(times.map((time, n) => mail(n, ['mbx_1'], time)));
      const beyond = await messagesBeyond(store.db, 'mbx_1', { kept: 2, now: NOW, limit: 10 });
      expect(idsOf(beyond)).to.deep.equal(['msg_1_0', 'msg_0_0']);
    });

    it('are listed newest first with counts exact to the millisecond of expiry', async () => {
      await add([mail(1, ['mbx_1']), mail(2, ['mbx_1', 'mbx_2'])]);
      const counts = async (now: Date) =>
        (await selectMailboxes(store.db, reach('wsp_1', now))).map((row) => [
          row.id,
          row.messageCount,
        ]);
      expect(await counts(new Date(LATER.getTime() - 1))).to.deep.equal([
        ['mbx_2', 1],
        ['mbx_1', 2],
      ]);
      expect(await counts(LATER)).to.deep.equal([
        ['mbx_2', 0],
        ['mbx_1', 0],
      ]);
    });

    it('are read for the directory in pages and by name', async () => {
      expect(idsOf(await directoryPage(store.db, '', 1))).to.deep.equal(['mbx_1']);
      expect(idsOf(await directoryPage(store.db, 'mbx_1', 10))).to.deep.equal(['mbx_2']);
      const second = { id: 'mbx_2', name: 'second', expiresAt: null, domain: 'one.test' };
      const found = [{ ...second, workspaceId: 'wsp_1' }];
      expect(await directoryByNames(store.db, ['second', 'none'])).to.deep.equal(found);
      expect(await directoryByIds(store.db, ['mbx_2', 'mbx_none'])).to.deep.equal(found);
    });
  });

  describe('mails', () => {
    it('are read as they were stored', async () => {
      expect(await add([mail(1, ['mbx_1', 'mbx_2'])])).to.deep.equal(['stored']);
      const [found] = await store.execute(messageById, {
        mailboxId: 'mbx_2',
        id: 'msg_1_1',
        now: NOW,
      });
      expect(found?.message).to.include({ tag: 'Tag', preview: 'Grüße 1' });
      expect(found?.message.receivedAt).to.deep.equal(NOW);
      expect(found?.mail.to).to.deep.equal(['b@y.test', 'ü@y.test']);
      expect(found?.mail.html).to.equal(null);
      const [row] = await store.db.select().from(store.db.t.mails);
      expect(row?.raw && Buffer.compare(row.raw, Buffer.from([0, 255, 10]))).to.equal(0);
      expect((await attachmentsOf(store.db, ['mal_1']))[0]).to.include({
        id: 'att_1',
        blobKey: 'blob/1',
      });
    });

    it('are stored once, however often they are submitted', async () => {
      expect(await add([mail(1, ['mbx_1']), mail(2, ['mbx_1'])])).to.deep.equal([
        'stored',
        'stored',
      ]);
      expect(await add([mail(1, ['mbx_1']), mail(3, ['mbx_1'])])).to.deep.equal([
        'repeated',
        'stored',
      ]);
      expect(await total('mbx_1')).to.equal(3);
    });

    it('are stored only in live mailboxes', async () => {
      await write((tx) => markMailboxDeleted(tx, reach('wsp_1'), 'first'));
      expect(
        await add([mail(1, ['mbx_1']), mail(2, ['mbx_1', 'mbx_2']), mail(3, ['mbx_none'])]),
      ).to.deep.equal(['gone', 'stored', 'gone']);
      expect(await mailRows(['mal_1', 'mal_2', 'mal_3'])).to.have.length(1);
      expect(await total('mbx_1')).to.equal(0);
    });

    it('are not stored again after their messages were deleted', async () => {
      await add([mail(1, ['mbx_1'])]);
      await store.transaction((tx) => removeMessagesOf(tx, 'mbx_1', NOW, 10));
      expect(await add([mail(1, ['mbx_1'])])).to.deep.equal(['repeated']);
      expect(await total('mbx_1')).to.equal(0);
    });
  });

  it('takes lists of any length, and values of any text', async () => {
    const many = Array.from({ length: 70_000 }, (_, n) => `mbx_${n}`);
    const found = (ids: string[]) =>
      store.query((db) =>
        db
          .select({ id: db.t.mailboxes.id })
          .from(db.t.mailboxes)
          .where(db.among(db.t.mailboxes.id, ids)),
      );
    expect((await found(many)).map(({ id }) => id).sort()).to.include.members(['mbx_1', 'mbx_2']);
    expect(await found([])).to.deep.equal([]);
    expect(await found(['"', "'", '{', ',', '\\', '\0', '%', 'NULL'])).to.deep.equal([]);
  });

  describe('pages', () => {
    it('are returned for any number of ids', async () => {
      await add(Array.from({ length: 30 }, (_, n) => mail(n + 10, ['mbx_1'])));
      const ids = Array.from({ length: 30 }, (_, n) => `msg_${n + 10}_0`);
      for (const count of [1, 2, 10, 11, 30]) {
        const asked = [...ids.slice(0, count), ...(count < 30 ? [] : ['msg_none'])];
        const found = (await messagesById(store, asked)).map(({ message }) => message.id).sort();
        expect(found).to.deep.equal(ids.slice(0, count));
      }
      const [summary] = await messageSummariesById(store, ['msg_10_0']);
      expect(summary?.message.preview).to.equal('Grüße 10');
      expect(summary?.mail).to.include({ subject: 'Subject 10' }).and.not.have.property('text');
    });

    const page = (at: typeof FIRST_PAGE, limit: number, now = NOW) =>
      store.execute(messagePage, { mailboxId: 'mbx_1', now, limit, ...at });

    it('are paged newest first through equal times without gaps or repetitions', async () => {
      await add(Array.from({ length: 25 }, (_, n) => mail(n + 10, ['mbx_1'])));
      const seen: string[] = [];
      let at = FIRST_PAGE;
      for (;;) {
        const rows = await page(at, 10);
        seen.push(...idsOf(rows));
        const last = rows.at(-1);
        if (!last) break;
        at = { ...at, receivedAt: last.receivedAt, id: last.id };
      }
      expect(seen).to.deep.equal(Array.from({ length: 25 }, (_, n) => `msg_${34 - n}_0`));
    });

    it('include only those after `since` that have not expired', async () => {
      await add([mail(1, ['mbx_1'], new Date(NOW.getTime() - 1)), mail(2, ['mbx_1'])]);
      const since = { ...FIRST_PAGE, since: new Date(NOW.getTime() - 1) };
      expect(idsOf(await page(since, 10))).to.deep.equal(['msg_2_0']);
      expect(await page(FIRST_PAGE, 10, LATER)).to.deep.equal([]);
    });
  });

  describe('removal', () => {
    it('removes expired mails completely and returns their blobs', async () => {
      await add([mail(1, ['mbx_1', 'mbx_2']), mail(2, ['mbx_1'])], NOW);
      await add([mail(3, ['mbx_1'])]);
      const first = await store.transaction((tx) => removeExpired(tx, NOW, 1));
      expect(first.count).to.equal(1);
      const second = await store.transaction((tx) => removeExpired(tx, NOW, 10));
      expect([...first.blobKeys, ...second.blobKeys].sort()).to.deep.equal([
        'blob/1',
        'blob/2',
        'raw/1',
        'raw/2',
      ]);
      expect(await store.transaction((tx) => removeExpired(tx, NOW, 10))).to.deep.equal({
        ...{ count: 0, mails: 0, blobKeys: [], last: null },
      });
      expect(await mailRows(['mal_1', 'mal_2', 'mal_3'])).to.have.length(1);
    });

    it('of expired mails starts at a time, and leaves mails with many messages for later', async () => {
      await add([mail(1, ['mbx_1'])], NOW);
      await add([mail(2, ['mbx_1', 'mbx_2'])], LATER);
      const batch = (limit: number, from?: Date) =>
        store.transaction((tx) => removeExpired(tx, LATER, limit, from));
      expect(await batch(1, LATER)).to.deep.include({ count: 1, mails: 0, last: LATER });
      expect(await batch(1, LATER)).to.deep.include({ count: 1, mails: 1, last: LATER });
      expect(await batch(1, LATER)).to.deep.include({ count: 0, mails: 0 });
      expect(await batch(1)).to.deep.include({ count: 1, mails: 1, last: NOW });
    });

    it('of one mailbox keeps messages of the mail in other mailboxes', async () => {
      await add([mail(1, ['mbx_1', 'mbx_2']), mail(2, ['mbx_1'])]);
      const removed = await store.transaction((tx) => removeMessagesOf(tx, 'mbx_1', NOW, 10));
      expect(removed).to.deep.equal({ count: 2, blobKeys: ['raw/2', 'blob/2'] });
      expect(await total('mbx_2')).to.equal(1);
      const [kept, emptied] = await mailRows(['mal_1', 'mal_2']);
      expect(kept?.subject).to.equal('Subject 1');
      expect(emptied).to.include({ subject: '', text: null });
    });

    it('of one message removes the mail after its last message', async () => {
      await add([mail(1, ['mbx_1', 'mbx_2'])]);
      const remove = (id: string) => store.transaction((tx) => removeMessage(tx, id, NOW));
      expect(await remove('msg_1_0')).to.deep.equal({ count: 1, blobKeys: [] });
      expect(await remove('msg_1_0')).to.deep.equal({ count: 0, blobKeys: [] });
      expect(await remove('msg_1_1')).to.deep.equal({ count: 1, blobKeys: ['raw/1', 'blob/1'] });
    });

    it('of a mail from one mailbox removes all its messages there', async () => {
      await add([mail(1, ['mbx_1', 'mbx_2', 'mbx_1']), mail(2, ['mbx_1'])]);
      const removed = await store.transaction((tx) => removeMailFrom(tx, 'mbx_1', 'mal_1', NOW));
      expect(removed).to.deep.equal({ count: 2, blobKeys: [] });
      expect([await total('mbx_1'), await total('mbx_2')]).to.deep.equal([1, 1]);
    });
  });

  describe('caught recipients', () => {
    const place = { mailboxId: 'mbx_1', now: NOW, ...FIRST_PAGE, limit: 10 };
    const recipients = (now = NOW, after = '') =>
      store.query(caughtAddressPage, {
        ...{ mailboxId: 'mbx_1', ownAddress: 'first@one.test', after, now, limit: 10 },
      });
    const caughtMail = (n: number, addresses: string[], receivedAt = NOW): MailRows => {
      const rows = mail(n, ['mbx_1'], receivedAt);
      const messageId = `msg_${n}_0`;
      const caught = addresses.map((address, index) => ({
        ...{ id: `${messageId}/${index}`, messageId, mailboxId: 'mbx_1', address, receivedAt },
      }));
      const messages = rows.messages.map((message) => ({ ...message, envelopeTo: addresses }));
      return { ...rows, messages, caught };
    };
    const idsTo = async (address: string, now = NOW) =>
      idsOf(await store.execute(caughtMessagePage, { ...place, address, now }));

    it('select their messages, newest first, until these expire', async () => {
      const later = new Date(NOW.getTime() + 1);
      await add([caughtMail(1, ['a@x.test', 'b@x.test']), caughtMail(2, ['a@x.test'], later)]);
      expect(await idsTo('a@x.test')).to.deep.equal(['msg_2_0', 'msg_1_0']);
      expect(await idsTo('b@x.test')).to.deep.equal(['msg_1_0']);
      expect(await idsTo('a@x.test', LATER)).to.deep.equal([]);
      const [found] = await store.execute(messageById, { ...place, id: 'msg_1_0' });
      expect(found?.message.envelopeTo).to.deep.equal(['a@x.test', 'b@x.test']);
    });

    it('are counted by address, without that of the mailbox', async () => {
      await add([
        caughtMail(1, ['b@x.test', 'first@one.test']),
        caughtMail(2, ['a@x.test', 'b@x.test']),
      ]);
      expect(await recipients()).to.deep.equal([
        { address: 'a@x.test', messageCount: 1, lastAt: NOW },
        { address: 'b@x.test', messageCount: 2, lastAt: NOW },
      ]);
      expect(await recipients(NOW, 'a@x.test')).to.have.length(1);
      expect(await recipients(LATER)).to.deep.equal([]);
    });

    it('are removed with their messages, and not stored without them', async () => {
      await add([caughtMail(1, ['a@x.test']), caughtMail(2, ['a@x.test'])]);
      await store.transaction((tx) => removeMessagesById(tx, ['msg_1_0'], NOW));
      expect(await idsTo('a@x.test')).to.deep.equal(['msg_2_0']);
      await store.transaction((tx) => removeExpired(tx, LATER, 10));
      expect(await store.db.select().from(store.db.t.caughtRecipients)).to.deep.equal([]);
      expect(await add([caughtMail(1, ['a@x.test'])])).to.deep.equal(['stored']);
      expect(await add([caughtMail(1, ['a@x.test'])])).to.deep.equal(['repeated']);
      expect(await idsTo('a@x.test')).to.deep.equal(['msg_1_0']);
    });

    it('do not include messages addressed to the mailbox, which are found by tag', async () => {
      await add([caughtMail(1, ['a@x.test']), mail(2, ['mbx_2', 'mbx_1'])]);
      const tagged = (tag: string) =>
        store.execute(addressedMessagePage, { ...place, tag, foldedTag: tag.toLowerCase() });
      expect(idsOf(await tagged('TAG'))).to.deep.equal(['msg_2_1']);
      expect(await tagged('')).to.deep.equal([]);
    });
  });

  describe('numbers of messages', () => {
    const shownOf = (mails: MailRows[]) =>
      store
        .transaction((tx) => storeMails(tx, mails, { now: NOW, expiresAt: LATER }, fanOut), {
          inTurn: true,
        })
        .then((results) => results.map(({ shown }) => shown.map(({ number }) => number)));
    const last = async (id = 'wsp_1') => (await store.execute(lastNumber, { id }))[0]?.last ?? 0;
    const numbers = async () => {
      const { id, number } = store.db.t.messages;
      return store.db.select({ id, number }).from(store.db.t.messages).orderBy(number, id);
    };

    beforeEach(async () => {
      await write((tx) => insertMailbox(tx, mailbox('mbx_3', 'third', 'wsp_2')));
    });

    it('count those of a workspace, and stay when a mail is stored again', async () => {
      const mails = [mail(1, ['mbx_1', 'mbx_2']), mail(2, ['mbx_3']), mail(3, ['mbx_1'])];
      expect(await shownOf(mails)).to.deep.equal([[1, 2], [1], [3]]);
      expect(await shownOf([mail(4, ['mbx_3']), mail(1, ['mbx_1', 'mbx_2'])])).to.deep.equal([
        [2],
        [1, 2],
      ]);
      expect([await last('wsp_1'), await last('wsp_2')]).to.deep.equal([3, 2]);
    });

    it('are visible up to the last one while many transactions store mail', async () => {
      let isOver = false;
      const read = async () => {
        while (!isOver) {
          const upTo = await last();
          const seen = await numbers();
          const visible = seen.filter(({ id, number }) => number <= upTo && !id.endsWith('_2'));
          expect(visible.length).to.equal(upTo);
          await nextTurn();
        }
      };
      const reading = read();
      const order = (n: number) =>
        n % 2 ? ['mbx_1', 'mbx_2', 'mbx_3'] : ['mbx_2', 'mbx_1', 'mbx_3'];
      await Promise.all(Array.from({ length: 30 }, (_, n) => shownOf([mail(n, order(n))])));
      isOver = true;
      await reading;
      expect([await last('wsp_1'), await last('wsp_2')]).to.deep.equal([60, 30]);
      const ofFirst = (await numbers()).filter(({ id }) => !id.endsWith('_2'));
      expect(ofFirst.map(({ number }) => number)).to.deep.equal(
        Array.from({ length: 60 }, (_, n) => n + 1),
      );
    });

    it('are set by the database for a writer that knows none, but not in a copy', async () => {
      await shownOf([mail(1, ['mbx_1'])]);
      const insert = (id: string) =>
        write((tx) =>
          tx
            .insert(tx.t.messages)
            .values({ ...mail(1, ['mbx_1']).messages[0]!, id, expiresAt: LATER, number: 0 })
            .returning({ id: tx.t.messages.id }),
        );
      await insert('msg_2');
      await shownOf([mail(3, ['mbx_2'])]);
      await store.query(assignInstance, 'ins_1', 'copying');
      await insert('msg_0');
      expect(await numbers()).to.deep.equal([
        { id: 'msg_0', number: 0 },
        { id: 'msg_1_0', number: 1 },
        { id: 'msg_2', number: 2 },
        { id: 'msg_3_0', number: 3 },
      ]);
      expect(await last()).to.equal(3);
    });
  });

  describe('claims', () => {
    const claim = (messageId: string, id: string) => ({
      ...{ messageId, mailboxId: 'mbx_1', now: NOW, id, owner: 'w' },
    });
    const forGood = (messageId: string, id: string) =>
      store.transaction(() => execute(claimForGood, claim(messageId, id)));
    const lease = (messageId: string, id: string, leaseMs: number) =>
      store.transaction(() => execute(claimForTime, { ...claim(messageId, id), leaseMs }));
    const free = async (now = NOW) => {
      const place = { mailboxId: 'mbx_1', now, number: 0, id: '', limit: 10 };
      const rows = await store.execute(freeMessages, place);
      return idsOf(rows);
    };
    const live = async () =>
      (await store.query(liveClaimsAmong, ['msg_1_0', 'msg_2_0'])).map(
        ({ messageId }) => messageId,
      );
    const released = async (now = NOW) =>
      idsOf(await store.execute(releasedMessages, { mailboxId: 'mbx_1', now, limit: 10 }));
    const rows = () => store.db.select().from(store.db.t.claims);

    beforeEach(async () => {
      await add([mail(1, ['mbx_1']), mail(2, ['mbx_1'], new Date(NOW.getTime() - 1000))]);
    });

    it('are given once for each message, and list the others as free, in the order of commits', async () => {
      expect(await free()).to.deep.equal(['msg_1_0', 'msg_2_0']);
      const [taken] = await forGood('msg_1_0', 'clm_1');
      expect(taken).to.deep.include({ ...{ id: 'clm_1', owner: 'w', expiresAt: null } });
      expect(taken?.claimedAt.getTime()).to.be.closeTo(Date.now(), 60_000);
      expect(await forGood('msg_1_0', 'clm_2')).to.deep.equal([]);
      expect(await lease('msg_1_0', 'clm_2', 5000)).to.deep.equal([]);
      expect([await free(), await live()]).to.deep.equal([['msg_2_0'], ['msg_1_0']]);
    });

    it('are leases that others take over after their end', async () => {
      const [taken] = await lease('msg_1_0', 'clm_1', 60_000);
      const until = (taken?.expiresAt?.getTime() ?? 0) - (taken?.claimedAt.getTime() ?? 0);
      expect(until).to.be.within(59_990, 60_010);
      expect(await forGood('msg_1_0', 'clm_2')).to.deep.equal([]);
      expect(await store.query(endedClaims, ['mbx_1'], 10_000)).to.deep.equal([]);
      expect(await released()).to.deep.equal([]);
      await store.query(extendClaim, 'clm_1', -1000);
      expect([await released(), await released(LATER)]).to.deep.equal([['msg_1_0'], []]);
      expect([await free(), await live()]).to.deep.equal([['msg_1_0', 'msg_2_0'], []]);
      const [ended] = await store.query(endedClaims, ['mbx_1', 'mbx_2'], 10_000);
      expect(ended).to.include({ messageId: 'msg_1_0', placeId: 'mbx_1' });
      const [inWorkspace, ...more] = await store.query(endedClaimsOfWorkspaces, ['wsp_1'], 10_000);
      expect(inWorkspace).to.include({ messageId: 'msg_1_0', placeId: 'wsp_1' });
      expect(more).to.deep.equal([]);
      expect(await store.query(claimOf, 'msg_1_0')).to.have.nested.property('[0].isLive', false);
      expect(await forGood('msg_1_0', 'clm_2')).to.have.length(1);
      const [next] = await store.query(claimOf, 'msg_1_0');
      expect([next?.claim.id, next?.isLive]).to.deep.equal(['clm_2', true]);
      expect(await store.query(claimsBetween, 'mbx_1', 'clm_1', 'clm_3')).to.have.length(1);
      expect(await store.query(extendClaim, 'clm_2', null)).to.have.nested.property(
        '[0].expiresAt',
        null,
      );
    });

    it('are not given for a message that is deleted, expired or in another mailbox', async () => {
      await store.transaction((tx) => removeMessage(tx, 'msg_1_0', NOW));
      expect(await forGood('msg_1_0', 'clm_1')).to.deep.equal([]);
      const other = { ...claim('msg_2_0', 'clm_1'), mailboxId: 'mbx_2' };
      expect(await store.transaction(() => execute(claimForGood, other))).to.deep.equal([]);
      const late = { ...claim('msg_2_0', 'clm_1'), now: LATER };
      expect(await store.transaction(() => execute(claimForGood, late))).to.deep.equal([]);
      expect(await free(LATER)).to.deep.equal([]);
      expect(await rows()).to.deep.equal([]);
    });

    it('are removed with their messages', async () => {
      for (const n of [1, 2]) await forGood(`msg_${n}_0`, `clm_${n}`);
      await store.transaction((tx) => removeMessage(tx, 'msg_1_0', NOW));
      expect(await rows()).to.have.length(1);
      await store.transaction((tx) => removeExpired(tx, LATER, 10));
      expect(await rows()).to.deep.equal([]);
    });

    it('are given once among many transactions at the same time', async () => {
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, n) => forGood('msg_1_0', `clm_${n}`)),
      );
      expect(taken.flat()).to.have.length(1);
    });
  });

  describe('SMTP credentials', () => {
    const credential = (id: string, username: string, mailboxId = 'mbx_1') => ({
      ...{ id, username, mailboxId, name: id, passwordHash: 'h', lastUsedAt: null },
      passwordSetAt: NOW,
      createdAt: NOW,
    });
    const insert = (row: ReturnType<typeof credential>) => write((tx) => insertCredential(tx, row));

    it('have unique user names, and are found while their mailbox exists', async () => {
      await insert(credential('smc_1', 'one'));
      expect(await insert(credential('smc_2', 'one', 'mbx_2'))).to.deep.equal([]);
      await insert(credential('smc_2', 'two', 'mbx_2'));
      const [found] = await store.query(credentialsByUsername, ['one', 'none']);
      expect(found).to.deep.include({ mailboxName: 'first', domain: 'one.test' });
      expect(await store.query(credentialPage, 'smc_1', 10)).to.have.length(1);
      await write((tx) => markMailboxDeleted(tx, reach('wsp_1'), 'first'));
      expect(await store.query(credentialsByUsername, ['one'])).to.deep.equal([]);
    });

    it('record a use unless one within the interval is recorded', async () => {
      await insert(credential('smc_1', 'one'));
      const use = async (at: Date) => {
        await store.transaction((tx) => recordCredentialUses(tx, new Map([['smc_1', at]]), 60_000));
        return (await store.query(selectCredentials, 'mbx_1'))[0]?.lastUsedAt;
      };
      expect(await use(NOW)).to.deep.equal(NOW);
      expect(await use(new Date(NOW.getTime() + 60_000))).to.deep.equal(NOW);
      expect(await use(LATER)).to.deep.equal(LATER);
    });
  });

  describe('deliveries', () => {
    const webhook = (id: string, mailboxId: string, active = true) => ({
      ...{ id, mailboxId, active, url: 'https://a.test/', secret: 'sealed', createdAt: NOW },
    });
    const all = () =>
      store.db.select().from(store.db.t.deliveries).orderBy(store.db.t.deliveries.id);
    const states = async () => (await all()).map(({ state }) => state);
    const settle = (id: string, change: Partial<DeliveryChange>) =>
      store.transaction(() =>
        execute(changeDelivery, {
          ...{ id, state: 'abandoned', reason: null, failures: 0, interruptions: 0 },
          ...{ nextAttemptAt: null, finishedAt: NOW, ...change },
        }),
      );

    beforeEach(() =>
      store.transaction(function* (tx) {
        yield* query(insertWebhook(tx, webhook('whk_1', 'mbx_1')));
        yield* query(insertWebhook(tx, webhook('whk_2', 'mbx_1', false)));
        yield* query(insertWebhook(tx, webhook('whk_3', 'mbx_2')));
      }),
    );

    it('are created for each message and webhook of its mailbox, and held if it is paused', async () => {
      await add([mail(1, ['mbx_1', 'mbx_2']), mail(2, ['mbx_2'])]);
      const rows = (await all()).map(({ webhookId, messageId, state, nextAttemptAt }) => ({
        ...{ webhookId, messageId, state, nextAttemptAt },
      }));
      expect(rows).to.have.deep.members([
        { webhookId: 'whk_1', messageId: 'msg_1_0', state: 'pending', nextAttemptAt: NOW },
        { webhookId: 'whk_2', messageId: 'msg_1_0', state: 'held', nextAttemptAt: null },
        { webhookId: 'whk_3', messageId: 'msg_1_1', state: 'pending', nextAttemptAt: NOW },
        { webhookId: 'whk_3', messageId: 'msg_2_0', state: 'pending', nextAttemptAt: NOW },
      ]);
      await add([mail(1, ['mbx_1', 'mbx_2'])]);
      expect(await all()).to.have.length(4);
      expect(await pendingOf(store.db, ['msg_1_0', 'msg_1_1'])).to.have.length(2);
    });

    it('are closed with their message, as cancelled or expired, unless they are final', async () => {
      await add([mail(1, ['mbx_1', 'mbx_2']), mail(2, ['mbx_2'])]);
      const [first] = await all();
      await settle(first!.id, { state: 'delivered' });
      await store.transaction((tx) => removeMessage(tx, 'msg_1_0', NOW));
      expect(await states()).to.have.members(['cancelled', 'delivered', 'pending', 'pending']);
      await store.transaction((tx) => removeExpired(tx, LATER, 10));
      expect(await states()).to.have.members(['cancelled', 'delivered', 'expired', 'expired']);
    });

    it('reflect the state of their webhook, mailbox and message', async () => {
      await add([mail(1, ['mbx_1'])]);
      const { id } = (await all()).find(({ webhookId }) => webhookId === 'whk_1')!;
      const stands = async () => (await store.execute(deliveryDetails, { id }))[0]!;
      const mailbox = {
        ...{ name: 'first', workspaceId: 'wsp_1', labels: null },
        ...{ deletedAt: null, expiresAt: null },
      };
      expect((await stands()).mailbox).to.deep.equal(mailbox);
      expect((await stands()).message).to.deep.equal({
        ...{ mailId: 'mal_1', expiresAt: LATER, bodyBytes: 4 },
      });
      expect((await stands()).webhook).to.include({ id: 'whk_1', active: true });
      await store.transaction((tx) => removeMessage(tx, 'msg_1_0', NOW));
      await write((tx) => removeWebhook(tx, 'mbx_1', 'whk_1'));
      expect(await stands()).to.deep.include({ webhook: null, mailbox: null, message: null });
    });

    it('are overdue in the order of their due times, page by page', async () => {
      await add([mail(1, ['mbx_2']), mail(2, ['mbx_2']), mail(3, ['mbx_2'])]);
      const [first, second, third] = idsOf(await all());
      const due = (ms: number) => new Date(NOW.getTime() + ms);
      await settle(first!, { state: 'pending', nextAttemptAt: due(2) });
      await settle(third!, { state: 'pending', nextAttemptAt: due(9) });
      const page = (after: DuePosition) =>
        overdue(store.db, { dueBefore: due(5), now: due(10), after, limit: 1 });
      const [one] = await page({ nextAttemptAt: new Date(0), id: '' });
      expect(one).to.deep.include({ workspaceId: 'wsp_1' });
      expect(one!.delivery.id).to.equal(second);
      const [two] = await page({ nextAttemptAt: NOW, id: second! });
      expect(two!.delivery.id).to.equal(first);
      expect(await page({ nextAttemptAt: due(2), id: first! })).to.deep.equal([]);
      const lease = { leaseToken: 't', leaseUntil: due(10), interruptions: 0 };
      await store.transaction(() =>
        execute(leaseDelivery, { id: third!, state: 'pending', attempts: 0, ...lease }),
      );
      const [last] = await page({ nextAttemptAt: due(2), id: first! });
      expect(last!.delivery.id).to.equal(third);
    });

    it('are listed newest first, optionally by state', async () => {
      await add([mail(1, ['mbx_2']), mail(2, ['mbx_2']), mail(3, ['mbx_2'])]);
      const newestFirst = idsOf(await all()).reverse();
      await settle(newestFirst[1]!, { state: 'abandoned' });
      const page = (state: 'abandoned' | null, before: string) =>
        deliveryPage(store.db, 'whk_3', { before, state, limit: 2 });
      expect(idsOf(await page(null, 'dlv_~'))).to.deep.equal(newestFirst.slice(0, 2));
      expect(idsOf(await page(null, newestFirst[1]!))).to.deep.equal(newestFirst.slice(2));
      expect(idsOf(await page('abandoned', 'dlv_~'))).to.deep.equal([newestFirst[1]]);
    });

    it('are recovered if held or abandoned and their message exists', async () => {
      await add([mail(1, ['mbx_1', 'mbx_2']), mail(2, ['mbx_1'])]);
      await store.transaction((tx) => removeMessage(tx, 'msg_2_0', NOW));
      const held = (await all()).find(({ state }) => state === 'held')!;
      const recovery = { webhookId: 'whk_2', since: NOW, askedAt: LATER };
      const find = (now: Date, what: Partial<Recovery> = {}) =>
        recoverable(store.db, { ...recovery, ...what }, { now, after: '', limit: 10 });
      expect(await find(NOW)).to.deep.equal([{ id: held.id }]);
      expect(await find(LATER)).to.deep.equal([]);
      const before = new Date(NOW.getTime() - 1);
      expect(await find(NOW, { since: before, askedAt: before })).to.deep.equal([]);
      const counted = (limit: number) =>
        countRecoverable(store.db, { ...recovery, askedAt: NOW }, limit);
      expect(await counted(10)).to.deep.equal([{ count: 1 }]);
      expect(await counted(0)).to.deep.equal([{ count: 0 }]);
      await settle(held.id, { state: 'abandoned', finishedAt: LATER });
      expect(await find(NOW, { askedAt: NOW }), 'abandoned later').to.deep.equal([]);
      expect(await find(NOW), 'abandoned by then').to.deep.equal([{ id: held.id }]);
      const [released] = await write((tx) => makeDeliveriesPending(tx, [held.id], NOW));
      expect(released).to.include({ state: 'pending', failures: 0, reason: null });
      expect(released!.nextAttemptAt).to.deep.equal(NOW);
    });

    it('are removed with their attempts once they are final', async () => {
      await add([mail(1, ['mbx_2']), mail(2, ['mbx_2']), mail(3, ['mbx_2'])]);
      const [first, second, third] = idsOf(await all());
      await settle(first!, { state: 'abandoned' });
      await settle(third!, { state: 'delivered' });
      const attempt = { id: 'atm_1', number: 1, startedAt: NOW, queueDelayMs: 0, url: '/' };
      await store.transaction((tx) =>
        insertIgnoring(tx.t.deliveryAttempts, [{ ...attempt, deliveryId: first! }]),
      );
      const remove = (after: string) =>
        store.transaction((tx) => removeDeliveries(tx, { after, before: third! }, 10));
      expect(await remove(first!)).to.deep.equal({ count: 0, last: null });
      expect(await remove('')).to.deep.equal({ count: 1, last: first });
      expect(idsOf(await all())).to.deep.equal([second, third]);
      expect(await attemptsOf(store.db, [first!])).to.deep.equal([]);
    });
  });

  describe('files', () => {
    const linked = (id: string, now = NOW) => linkedAttachment(store.db, id, 'att_1', now);

    beforeEach(() => add([mail(1, ['mbx_1', 'mbx_2', 'mbx_2'])]));

    it('are found by their mail', async () => {
      const [attachment] = await attachmentContent(store.db, 'mal_1', 'att_1');
      expect(attachment).to.include({ size: 2, content: null, blobKey: 'blob/1' });
      expect(await attachmentContent(store.db, 'mal_2', 'att_1')).to.deep.equal([]);
      const [source] = await mailSource(store.db, 'mal_1');
      expect(source?.raw?.equals(Buffer.from([0, 255, 10]))).to.equal(true);
      expect(source?.rawBlobKey).to.equal('raw/1');
    });

    it('are found by a message while it and its mailbox exist', async () => {
      expect(await linked('msg_1_0')).to.have.length(1);
      expect(await linked('msg_2_0')).to.deep.equal([]);
      expect(await linked('msg_1_0', LATER)).to.deep.equal([]);
      await write((tx) => markMailboxDeleted(tx, reach('wsp_1'), 'first'));
      expect(await linked('msg_1_0')).to.deep.equal([]);
      expect(await linked('msg_1_1')).to.have.length(1);
    });

    it('are distinguished from unreferenced ones', async () => {
      const keys = await referredBlobKeys(store, ['ing_1', 'att_1', 'ing_2', 'att_2']);
      expect([...keys]).to.have.members(['raw/1', 'blob/1']);
      expect([...(await referredBlobKeys(store, []))]).to.deep.equal([]);
    });

    it('resolve to the first message of a mail in a mailbox', async () => {
      const first = (mailboxId: string, now = NOW) =>
        store.execute(messageOfMail, { mailboxId, mailId: 'mal_1', now });
      expect((await first('mbx_2')).map(({ message }) => message.id)).to.deep.equal(['msg_1_1']);
      expect(await first('mbx_2', LATER)).to.deep.equal([]);
      expect(await first('mbx_none')).to.deep.equal([]);
    });
  });
}
