import { expect } from 'chai';
import { waitParts } from '../../../api/routes/waits.js';
import { type Claimer, openClaimQueue } from '../../../core/claims/claim-queue.js';
import { newSeed } from '../../../core/ids.js';
import { createMailbox, findMailbox } from '../../../core/mailboxes/mailboxes.js';
import { freeMessages } from '../../../db/statements/claims.js';
import type { Store } from '../../../db/store.js';
import { type TestContext, openTestContext } from '../../support/context/context.js';
import { deliverMail } from '../../support/context/deliver.js';

describe('claims of one mailbox', () => {
  let test: TestContext;

  beforeEach(async () => {
    test = await openTestContext();
    await createMailbox(test.context, test.caller, 'box');
  });
  afterEach(() => test.close());

  it('share one reading of the free messages if they arrive in one turn of the event loop', async () => {
    let readings = 0;
    const store: Store = {
      ...test.context.store,
      read: (statement, parameters) => {
        if (Object.is(statement, freeMessages)) readings += 1;
        return test.context.store.read(statement, parameters);
      },
    };
    const mailbox = await findMailbox(test.context, test.caller, 'box');
    const { contents } = waitParts(test.context);
    const queue = openClaimQueue({ ...test.context, store }, contents, mailbox);
    const claimed: string[] = [];
    const claimer = (): Claimer => ({
      ...{
        criteria: [],
        limit: 1,
        owner: null,
        leaseMs: null,
        seed: newSeed(Date.now()),
        isKeyed: false,
      },
      tokenId: test.caller.token.id,
      isGone: () => false,
      taken: ({ claims }) => claimed.push(...claims.map(({ messageId }) => messageId)),
      failed: (error) => {
        throw error;
      },
    });

    for (let n = 0; n < 10; n += 1) await deliverMail(test.context, ['box@one.test'], '\r\n');
    const passes: Promise<unknown>[] = [];
    for (let n = 0; n < 10; n += 1) {
      queue.enter(claimer());
      passes.push(queue.pass());
      await Promise.resolve(); // requests that were read together differ by microtasks
    }
    await Promise.all(passes);

    expect(readings).to.equal(1);
    expect(new Set(claimed).size).to.equal(10);
  });
});
