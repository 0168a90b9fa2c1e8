/** Guarantees of paging while the mailbox changes. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { isLongForm } from '../../support/mocha/long-form.ts';
import { rawClient } from '../../support/clients/raw-http.ts';
import { itOnSqlite } from '../../support/context/sqlite-file.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

const MiB = 1024 * 1024;
const SEED = 20_260_801;

interface Page {
  ids: string[];
  nextCursor: string | null;
  total: number;
  bytes: number;
}

describe('pages of messages', () => {
  // As in production: validating a response takes additional memory.
  const test = service({ env: { RATE_LIMIT_PRO: '0', VALIDATE_RESPONSES: 'false' } });
  let client: ReturnType<typeof rawClient>;

  beforeEach(async () => {
    client = rawClient(Number(new URL((await test.listen()).url).port));
  });
  afterEach(() => {
    client.close();
  });

  const call = async (method: string, path: string) => {
    const answer = await client.send({
      method,
      path: `/api/mailboxes/${path}`,
      // The server could end an idle connection while this process is busy with a large page.
      headers: [
        ['Authorization', `Bearer ${test.workspace.token}`],
        ['Connection', 'close'],
      ],
      body: null,
      encoding: 'utf8',
    });
    expect(answer.status, answer.body.toString().slice(0, 200)).to.be.oneOf([200, 204]);
    return answer.body;
  };

  const page = async (name: string, limit: number, after: string | null): Promise<Page> => {
    const cursor = after === null ? '' : `&after=${after}`;
    const body = await call('GET', `${name}/messages?limit=${limit}${cursor}`);
    const { messages, nextCursor, total } = JSON.parse(body.toString());
    const ids = messages.map(({ id }: { id: string }) => id);
    return { ids, nextCursor, total, bytes: body.length };
  };

  /** All pages; `meanwhile` runs between two of them. */
  const readAll = async (name: string, limit: number, meanwhile?: () => void): Promise<Page[]> => {
    const pages = [await page(name, limit, null)];
    for (;;) {
      const { nextCursor } = pages.at(-1)!;
      if (nextCursor === null) return pages;
      meanwhile?.();
      pages.push(await page(name, limit, nextCursor));
    }
  };

  const idsOf = (pages: Page[]) => pages.flatMap(({ ids }) => ids);

  it('contain continuously existing messages once, and nothing twice, while mail changes', async () => {
    const change = fc.record({
      /** Milliseconds relative to the initial messages. */
      arriveAt: fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 4 }),
      remove: fc.array(fc.nat(), { maxLength: 3 }),
    });
    const scenario = fc.record({
      times: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 60 }),
      limit: fc.integer({ min: 1, max: 15 }),
      changes: fc.array(change, { maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ times, limit, changes }) => {
        const mailbox = await createMailbox(test.context, test.caller, undefined);
        const now = test.context.now();
        const arrive = (ms: number) => storeDirectly(test.context, mailbox.id, now + ms);
        const first = await Promise.all(times.map(arrive));
        const removed = new Set<string>();
        const under: Promise<unknown>[] = [];
        const left = [...changes];
        const seen = idsOf(
          await readAll(mailbox.name, limit, () => {
            const next = left.shift();
            for (const ms of next?.arriveAt ?? []) under.push(arrive(ms));
            for (const n of next?.remove ?? []) {
              const id = first[n % first.length]!;
              removed.add(id);
              under.push(call('DELETE', `${mailbox.name}/messages/${id}`));
            }
          }),
        );
        await Promise.all(under);
        expect(new Set(seen).size, 'shown twice').to.equal(seen.length);
        const stayed = first.filter((id) => !removed.has(id));
        expect(seen).to.include.members(stayed);
      }),
      { seed: SEED, numRuns: isLongForm ? 60 : 8 },
    );
  });

  for (const limit of [100, 7]) {
    it(`contain 1,000 messages of one moment in order, ${limit} at a time`, async () => {
      const mailbox = await createMailbox(test.context, test.caller, 'box');
      const now = test.context.now();
      const stored = await Promise.all(
        Array.from({ length: 1_000 }, () => storeDirectly(test.context, mailbox.id, now)),
      );
      const pages = await readAll('box', limit);
      expect(pages).to.have.length(Math.ceil(1_000 / limit));
      expect(idsOf(pages)).to.deep.equal(stored.sort().reverse());
      for (const { total } of pages) expect(total).to.equal(1_000);
    });
  }

  /** The peak memory growth of this process while `work` runs. */
  const growthDuring = async (work: () => Promise<void>): Promise<number> => {
    const before = process.memoryUsage.rss();
    let most = before;
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10);
    await work();
    clearInterval(timer);
    return Math.max(most, process.memoryUsage.rss()) - before;
  };

  // In the long form the bodies of all pages together exceed the limit.
  for (const { count, size, fit } of [
    { count: isLongForm ? 25 : 2, size: 20_000_000, fit: 1 },
    { count: isLongForm ? 100 : 30, size: 300_000, fit: 27 },
  ]) {
    // The memory of a page does not depend on the database.
    itOnSqlite(`stay small with ${count} bodies of ${size / 1_000_000} MB`, async () => {
      const mailbox = await createMailbox(test.context, test.caller, 'box');
      const text = 'x'.repeat(size);
      const stored: string[] = [];
      for (let n = 0; n < count; n += 1) {
        stored.push(await storeDirectly(test.context, mailbox.id, test.context.now(), text));
      }
      const pages: Page[] = [];
      const growth = await growthDuring(async () => {
        pages.push(...(await readAll('box', 100)));
      });
      expect(idsOf(pages)).to.deep.equal(stored.sort().reverse());
      expect(pages).to.have.length(Math.ceil(count / fit));
      for (const { bytes } of pages) expect(bytes).to.be.below(8 * MiB + size + MiB);
      expect(growth).to.be.below(500 * MiB);
    });
  }
});
