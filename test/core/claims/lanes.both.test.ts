/** Claims of one mailbox of which an earlier one reads long and a later one short parts. */
import { expect } from 'chai';
import { waitParts } from '../../../api/routes/waits.ts';
import { claimMessages, openClaimQueues } from '../../../core/claims/claim.ts';
import { newSeed } from '../../../core/ids.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { type CriteriaRequest, compileCriteria } from '../../../core/matching/criteria.ts';
import type { Store } from '../../../db/store.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

describe('a claim that reads long bodies', () => {
  const test = service({ mailboxes: ['box'] });

  it('does not delay a later one, and gets what that left', async () => {
    const { context, caller } = test;
    const mailbox = await requireMailbox(context, caller, 'box');
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.push(await storeDirectly(context, mailbox.id, context.now() + n, 'needle', `${n}.`));
    }
    let isReading = false;
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const execute: Store['execute'] = async (statement, parameters) => {
      if (statement.name.startsWith('messages-by-id')) {
        isReading = true;
        await held;
      }
      return context.store.execute(statement, parameters);
    };
    const slow = { ...context, store: { ...context.store, execute } };
    const waits = waitParts(slow);
    const queues = openClaimQueues(slow, waits);
    const claim = async (criteria: CriteriaRequest, timeout: number) => {
      const who = { caller, mailbox, gone: new AbortController().signal };
      const result = await claimMessages(slow, waits, queues, who, {
        ...{ criteria: compileCriteria(criteria), limit: 1, timeout, owner: null, leaseMs: null },
        ...{ seed: newSeed(context.now()), isKeyed: false },
      });
      return result?.claims[0]?.messageId;
    };
    const long = claim({ text: 'needle' }, 20);
    await eventually('the reading of bodies', () => isReading);
    expect(await claim({}, 0)).to.equal(ids[0]);
    expect(await claim({ subject: '2.' }, 0)).to.equal(ids[2]);
    goOn();
    expect(await long).to.equal(ids[1]);
  });
});
