/**
 * Generated scenarios of store, delete, expire, mark, wait and claim, over two processes and with
 * lost events. A failure prints the smallest failing scenario and the seed. WAIT_SEED and
 * WAIT_SCENARIOS change the search.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { eq } from 'drizzle-orm';
import { waitParts } from '../../../api/routes/waits.ts';
import { claimMessages, openClaimQueues } from '../../../core/claims/claim.ts';
import type { Context } from '../../../core/context.ts';
import { newSeed } from '../../../core/ids.ts';
import { type MailboxRow, createMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { currentMark, readMark } from '../../../core/messages/mark.ts';
import { deleteMessage } from '../../../core/messages/delete.ts';
import { compileCriteria } from '../../../core/matching/criteria.ts';
import { waitForMessages } from '../../../core/waits/wait.ts';
import { service } from '../../support/service.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { isLongForm } from '../../support/mocha/long-form.ts';

const FIXED_SEED = 20_261_122;
const SEED = Number(process.env.WAIT_SEED ?? (isLongForm ? randomInt(2 ** 31) : FIXED_SEED));
const SCENARIOS = Number(process.env.WAIT_SCENARIOS ?? (isLongForm ? 500 : 25));

/** Clocks differ by up to this much, so that messages become visible in any order. */
const LATEST_BY_MS = 600_000;

/** Within this time a claim without a timeout is not late. */
const PROMPT_MS = 500;

const mails = fc.array(
  fc.record({
    pauseMs: fc.nat({ max: 4 }),
    offsetMs: fc.nat({ max: LATEST_BY_MS }),
    subject: fc.constantFrom('a', 'b'),
    hasEvent: fc.boolean(),
    fate: fc.constantFrom('kept', 'kept', 'kept', 'deleted', 'expired'),
  }),
  { minLength: 1, maxLength: 25 },
);
const scenario = fc.record({
  mails,
  count: fc.integer({ min: 1, max: 3 }),
  claimers: fc.array(
    fc.record({
      process: fc.nat({ max: 1 }),
      limit: fc.integer({ min: 1, max: 3 }),
      isLease: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

describe('waits and claims in generated scenarios', function () {
  this.timeout(Math.max(120_000, SCENARIOS * 2000));
  const test = service({ env: { PLAN_PRO_MAILBOXES: '1000000' }, once: true });
  let processes: {
    context: Context;
    waits: ReturnType<typeof waitParts>;
    queues: ReturnType<typeof openClaimQueues>;
  }[];
  let scenarios = 0;
  let stored = 0;
  let missed = 0;
  let claimedTwice = 0;

  before(async () => {
    processes = [test.context, await test.another()].map(slow).map((context) => {
      const waits = waitParts(context);
      return { context, waits, queues: openClaimQueues(context, waits) };
    });
  });

  /** Others get in between the reading of free messages and the transaction that claims them. */
  const slow = (context: Context): Context => ({
    ...context,
    store: {
      ...context.store,
      transaction: async (body) => {
        await delay(1);
        return context.store.transaction(body);
      },
    },
  });

  const open = new AbortController().signal;

  /** Stores the mails, and resolves to the ids of those that stay. */
  const storeAll = async (mailbox: MailboxRow, all: Scenario['mails']): Promise<string[]> => {
    const { context, caller } = test;
    const { messages } = context.store.db.t;
    const base = context.now() - LATEST_BY_MS;
    const kept: string[] = [];
    for (const { pauseMs, offsetMs, subject, hasEvent, fate } of all) {
      await delay(pauseMs);
      const messageId = await storeDirectly(context, mailbox.id, base + offsetMs, '', subject);
      stored += 1;
      if (hasEvent) {
        const { id: mailboxId, name } = mailbox;
        context.events.publisher.publish(caller.workspace.id, {
          ...{ type: 'message.received', mailbox: name, mailboxId, messageId },
        });
      }
      if (fate === 'kept') kept.push(messageId);
      if (fate === 'deleted') await deleteMessage(context, caller, mailbox.name, messageId);
      if (fate === 'expired') {
        await context.store.query((db) =>
          db
            .update(messages)
            .set({ expiresAt: new Date(0) })
            .where(eq(messages.id, messageId)),
        );
      }
    }
    return kept;
  };

  /** Reads by waits and their marks until nothing is left after the stores. */
  const readAll = async (
    { mailbox, start }: { mailbox: MailboxRow; start: string },
    subject: string,
    count: number,
    isDone: () => boolean,
  ) => {
    const [{ context, waits } = expect.fail()] = processes;
    const seen: string[] = [];
    let mark = start;
    for (;;) {
      const isLast = isDone();
      const request = {
        criteria: compileCriteria({ subject }),
        after: await readMark(context, mailbox, mark),
        count: isLast ? 1 : count,
        order: 'oldest' as const,
        timeout: isLast ? 0 : 0.03,
      };
      const who = { caller: test.caller, mailbox, gone: open };
      const result = await waitForMessages(context, waits, who, request, (rows) =>
        Promise.resolve(rows.map(({ id }) => id)),
      );
      if (!result) return seen;
      seen.push(...result.messages);
      ({ mark } = result);
      // On a loaded machine a wait can end before it has read everything.
      if (isLast && result.outcome === 'timeout' && result.settled) return seen;
    }
  };

  const claimAll = async (
    mailbox: MailboxRow,
    { process: n, limit, isLease }: Scenario['claimers'][number],
    isDone: () => boolean,
  ) => {
    const { context, waits, queues } = processes[n] ?? expect.fail();
    const claimed: string[] = [];
    for (;;) {
      const isLast = isDone();
      const request = {
        ...{ criteria: [], limit, owner: null, isKeyed: false },
        leaseMs: isLease ? 3_600_000 : null,
        timeout: isLast ? 0 : 0.03,
        seed: newSeed(context.now()),
      };
      const who = { caller: test.caller, mailbox, gone: open };
      const began = performance.now();
      const result = await claimMessages(context, waits, queues, who, request);
      claimed.push(...(result?.claims ?? []).map(({ messageId }) => messageId));
      // A claim that took long can have ended before it has read everything.
      const isComplete = performance.now() - began < PROMPT_MS;
      if (isLast && result?.outcome === 'timeout' && isComplete) return claimed;
    }
  };

  const check = async (given: Scenario) => {
    scenarios += 1;
    const mailbox = await createMailbox(test.context, test.caller, undefined);
    // Before the stores: on a loaded machine, a mark taken beside them covers the first.
    const place = { mailbox, start: await currentMark(test.context, mailbox) };
    let isStored = false;
    const isDone = () => isStored;
    const storing = storeAll(mailbox, given.mails).finally(() => {
      isStored = true;
    });
    const [kept, seenA, seenB, ...claimed] = await Promise.all([
      storing,
      readAll(place, 'a', given.count, isDone),
      readAll(place, 'b', given.count, isDone),
      ...given.claimers.map((claimer) => claimAll(mailbox, claimer, isDone)),
    ]);
    const all = claimed.flat();
    const seen = [...seenA, ...seenB];
    const isMissing = (ids: string[]) => kept.filter((id) => !ids.includes(id)).length;
    missed += isMissing(seen) + isMissing(all);
    claimedTwice += all.length - new Set(all).size;
    expect(isMissing(seen), 'messages that no wait returned').to.equal(0);
    expect(seen.length, 'messages that waits returned twice').to.equal(new Set(seen).size);
    expect(isMissing(all), 'messages that were not claimed').to.equal(0);
    expect(all.length, 'messages claimed twice').to.equal(new Set(all).size);
  };

  it('miss nothing, and claim nothing twice', async () => {
    try {
      await fc.assert(fc.asyncProperty(scenario, check), { seed: SEED, numRuns: SCENARIOS });
    } finally {
      const figures = `${scenarios} scenarios, ${stored} messages`;
      console.log(
        `      ${figures}: ${missed} missed, ${claimedTwice} claimed twice (WAIT_SEED=${SEED})`,
      );
    }
  });
});
