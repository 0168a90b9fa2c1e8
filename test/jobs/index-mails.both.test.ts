import { expect } from 'chai';
import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { ingestJob } from '../../core/intake/ingest-job.ts';
import { clearMailbox } from '../../core/messages/delete.ts';
import { purgeExpired } from '../../core/retention/purge.ts';
import { indexMails } from '../../core/search/index-mails.ts';
import { parseQuery } from '../../core/search/parse-query.ts';
import { countUnindexed } from '../../db/statements/search.ts';
import { indexStoredMails } from '../../jobs/index-mails.ts';
import { compare, find, prepare, scan, store } from '../search/compare.ts';
import { type CorpusMail, makeCorpus } from '../search/corpus.ts';
import { queries } from '../search/queries.ts';
import { acceptMail } from '../support/context/accept.ts';
import { service } from '../support/service.ts';
import { isLongForm } from '../support/mocha/long-form.ts';

const SEED = 20260131;
const MAILS = isLongForm ? 300 : 120;
const MOST = (MAILS * 2) / 3;
const QUERIES = isLongForm ? 30 : 12;

describe('search with the index', () => {
  const test = service({ env: { WORKER_CONCURRENCY: '1' } });
  const filled = [{ name: 'database', test }];
  let mails: CorpusMail[];
  let now: number;

  const unindexed = async () => {
    const [row] = await test.context.store.query(countUnindexed, MAILS + 1);
    return row?.count;
  };
  const index = () => test.run(indexStoredMails);

  beforeEach(async () => {
    now = test.context.now();
    mails = makeCorpus(SEED, MAILS, now);
    mails.sort((a, b) => (a.rows.mail.id < b.rows.mail.id ? -1 : 1)); // as they arrive
    await prepare(test);
  });

  it('finds the same as a scan, with a part of the mail indexed and with all', async () => {
    await store(test, mails.slice(0, MOST));
    await index();
    await store(test, mails.slice(MOST));
    const some = fc.sample(queries, { seed: SEED, numRuns: QUERIES });
    const partly = await compare(filled, mails, some, now);
    expect(partly.differences).to.deep.equal([]);
    expect(partly.found).to.be.at.least(QUERIES / 3);
    expect(await unindexed()).to.equal(MAILS - MOST);
    await index();
    expect(await unindexed()).to.equal(0);
    const others = fc.sample(queries, { seed: SEED + 1, numRuns: QUERIES });
    expect((await compare(filled, mails, others, now)).differences).to.deep.equal([]);
  });

  it('finds the same by facts of the header', async () => {
    await store(test, mails);
    await index();
    const [hit] = mails.flatMap(({ messages }) => messages.map(({ message }) => message.facts));
    const addresses = mails.flatMap(({ messages }) =>
      messages.flatMap(({ message }) => message.facts?.replyTo.map(({ address }) => address) ?? []),
    );
    const some = [
      ...[...new Set(addresses)].slice(0, 5).map((address) => `reply-to:${address}`),
      ...['reply-to:@shop.example', 'reply-to:anna', 'list:Blue.lists.example', 'date:3h -date:1h'],
      ...[`thread:${hit?.threadId ?? 'thr_16'}`, 'thr_16', '-list:blue.lists.example date:9h'],
    ];
    const { differences, found } = await compare(filled, mails, some, now);
    expect(differences).to.deep.equal([]);
    expect(found).to.be.at.least(6);
  });

  it('finds the same after the indexing process ended with a batch stored', async () => {
    await store(test, mails);
    const other = await test.another();
    const { search } = other.store;
    await new Promise<void>((resolve) => {
      const add: typeof search.add = async (entries) => {
        await search.add(entries);
        resolve();
        await new Promise(() => undefined); // its process is gone
      };
      void indexMails({ ...other, store: { ...other.store, search: { ...search, add } } });
    });
    expect(await unindexed()).to.be.within(1, MAILS - 1);
    const some = fc.sample(queries, { seed: SEED, numRuns: isLongForm ? 10 : 5 });
    expect((await compare(filled, mails, some, now)).differences).to.deep.equal([]);
    await indexMails(test.context);
    expect(await unindexed()).to.equal(0);
    expect((await compare(filled, mails, some, now)).differences).to.deep.equal([]);
  });

  it('finds no mail that is cleared or expired, indexed or not', async () => {
    const query = parseQuery('order', { now, domain: 'one.test' });
    const search = (withIndex = true) => find(test, query, { withIndex, limit: 100 });
    await store(test, mails.slice(0, MOST));
    await index();
    await store(test, mails.slice(MOST));
    await clearMailbox(test.context, test.caller, 'red', {});
    const isRed = (id: string) =>
      mails.some(({ messages }) =>
        messages.some((one) => one.message.id === id && one.mailbox === 0),
      );
    const left = scan(mails, query).filter((id) => !isRed(id));
    expect(left).to.not.have.length(0);
    expect(await search()).to.deep.equal(left);
    expect(await search(false)).to.deep.equal(left);
    test.advance(86_400_001);
    expect(await search()).to.deep.equal([]);
    await purgeExpired(test.context);
    expect(await unindexed()).to.equal(0);
    const { store: database } = test.context;
    expect(await database.db.select().from(database.db.t.searchEntries)).to.deep.equal([]);
  });

  it('ends before a batch if there is more urgent work', async () => {
    await store(test, mails.slice(0, 100));
    const paces = [0, 1, null];
    const asked: number[] = [];
    const indexed = await indexMails(test.context, (oldest) => {
      asked.push(oldest);
      return paces[asked.length - 1] ?? null;
    });
    expect(asked).to.have.length(3);
    expect(asked).to.deep.equal([...asked].sort((a, b) => a - b));
    expect(indexed).to.be.within(2, 20);
    expect(await unindexed()).to.equal(100 - indexed);
  });

  const subjects = async (q: string) => {
    const path = `/api/messages?q=${encodeURIComponent(q)}`;
    const { body } = await test.api.get(path).expect(200);
    return (body as { messages: { subject: string }[] }).messages.map(({ subject }) => subject);
  };

  it('takes a long text without spaces', async () => {
    await test.mailbox();
    await test.receive('box', { subject: 'long', text: '確認コード'.repeat(12_000) });
    await test.receive('box', { subject: 'short', text: '漢字' });
    expect(await subjects('確')).to.deep.equal(['long']);
    await index();
    expect(await unindexed()).to.equal(0);
    expect(await subjects('確')).to.deep.equal(['long']);
    expect(await subjects('漢')).to.deep.equal(['short']);
  });

  it('skips a mail that cannot be read, and takes the others', async () => {
    await test.mailbox();
    for (const subject of ['first', 'broken', 'last']) await test.receive('box', { subject });
    const { db } = test.context.store;
    const { mails, searchPending } = db.t;
    const noList = sql`'5'`;
    await db.update(mails).set({ to: noList }).where(eq(mails.subject, 'broken'));
    await index();
    const left = await db.select({ isSkipped: searchPending.isSkipped }).from(searchPending);
    expect(left).to.deep.equal([{ isSkipped: true }]);
    expect(await subjects('last')).to.deep.equal(['last']);
    expect(await subjects('broken')).to.deep.equal([]);
  });

  it('leaves mail of the last 20 seconds for later while mail arrives', async () => {
    await test.mailbox();
    await test.receive('box');
    const next = await acceptMail(test.context, ['box@one.test'], 'Subject: next\r\n\r\n2');
    const queue = await test.context.queues.open(ingestJob);
    await queue.add(ingestJob.name, next, { jobId: next.ingestId });
    await index();
    expect(await unindexed()).to.equal(1);
    test.advance(20_000);
    await index();
    expect(await unindexed()).to.equal(0);
  });
});
