import { expect } from 'chai';
import { waitParts } from '../../../api/routes/waits.ts';
import type { Claimer } from '../../../core/claims/claim-queue.ts';
import { type ClaimQueues, openClaimQueues } from '../../../core/claims/claim.ts';
import { newId, newSeed } from '../../../core/ids.ts';
import { createMailbox, findMailbox } from '../../../core/mailboxes/mailboxes.ts';
import {
  type ClaimRow,
  endClaim,
  freeMessages,
  prolongClaim,
} from '../../../db/statements/claims.ts';
import type { MailboxRow } from '../../../db/statements/mailboxes.ts';
import type { Store } from '../../../db/store.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import { deliverMail } from '../../support/context/deliver.ts';

describe('claims of one mailbox', () => {
  let test: TestContext;
  let mailbox: MailboxRow;
  let queues: ClaimQueues;
  /** Where each reading of the free messages began. */
  let readings: Date[];
  let began: number;

  beforeEach(async () => {
    test = await openTestContext();
    await createMailbox(test.context, test.caller, 'box');
    readings = [];
    began = test.context.now();
    const store: Store = {
      ...test.context.store,
      read: (statement, parameters) => {
        if (Object.is(statement, freeMessages)) readings.push(parameters['receivedAt'] as Date);
        return test.context.store.read(statement, parameters);
      },
    };
    mailbox = await findMailbox(test.context, test.caller, 'box');
    queues = openClaimQueues({ ...test.context, store }, waitParts(test.context));
  });
  afterEach(() => test.close());

  const claimer = (taken: (claims: ClaimRow[]) => void): Claimer => ({
    ...{ criteria: [], limit: 1, owner: null, leaseMs: null, isKeyed: false },
    seed: newSeed(Date.now()),
    caller: test.caller,
    isGone: () => false,
    taken: ({ claims }) => {
      taken(claims);
    },
    failed: (error) => {
      throw error;
    },
  });
  /** Claims a message of the pass, or none. */
  const claim = async ({ isWhole = false, offered = [] as string[] } = {}): Promise<
    ClaimRow | undefined
  > => {
    let claimed: ClaimRow | undefined;
    const one = claimer(([first]) => (claimed = first));
    await queues.with(mailbox, async (queue) => {
      for (const id of offered) queue.offer(id);
      queue.enter(one);
      await queue.pass(isWhole);
      await queue.leave(one);
    });
    return claimed;
  };
  /** @param at milliseconds before or after the beginning of the test */
  const receive = async (at: number): Promise<string> => {
    const time = began + at;
    const { messages } = await deliverMail(test.context, ['box@one.test'], '\r\n', time);
    return messages[0]!.id;
  };

  it('share one reading of the free messages if they arrive in one turn of the event loop', async () => {
    for (let n = 0; n < 10; n += 1) await receive(n);
    const claimed: string[] = [];
    const passes: Promise<unknown>[] = [];
    await queues.with(mailbox, async (queue) => {
      for (let n = 0; n < 10; n += 1) {
        queue.enter(claimer((claims) => claimed.push(...claims.map(({ messageId }) => messageId))));
        passes.push(queue.pass());
        await Promise.resolve(); // requests that were read together differ by microtasks
      }
      await Promise.all(passes);
    });

    expect(readings).to.have.length(1);
    expect(new Set(claimed).size).to.equal(10);
  });

  it('do not read again what is claimed for good', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await receive(n));
    await queues.with(mailbox, async () => {
      for (const id of ids.slice(0, 3)) expect((await claim())?.messageId).to.equal(id);
    });
    const [first = NaN, second = NaN, third = NaN] = readings.map((at) => at.getTime());
    expect([second, third]).to.deep.equal([first + 1, first + 2]);
  });

  describe('take older messages first', () => {
    let oldest: ClaimRow;

    beforeEach(async () => {
      for (let n = 0; n < 5; n += 1) await receive(n);
      oldest = (await claim())!;
      await claim();
    });

    it('that were released', async () => {
      await endClaim(test.context.store.db, oldest.id, newId('claim'));
      expect((await claim())?.messageId).to.equal(oldest.messageId);
    });

    it('whose lease has ended', async () => {
      await prolongClaim(test.context.store.db, oldest.id, -1);
      expect((await claim())?.messageId).to.equal(oldest.messageId);
    });

    it('that arrived late', async () => {
      const late = await receive(-1000);
      expect((await claim({ offered: [late] }))?.messageId).to.equal(late);
    });

    it('of which no event has told, in a whole pass', async () => {
      const late = await receive(-1000);
      expect((await claim({ isWhole: true }))?.messageId).to.equal(late);
    });
  });
});
