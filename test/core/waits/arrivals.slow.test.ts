import { expect } from 'chai';
import { findMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { openArrivals } from '../../../core/waits/arrivals.ts';
import { service } from '../../support/service.ts';
import { eventually } from '../../support/mocha/eventually.ts';

const MAILBOXES = ['box-a', 'box-b', 'box-c', 'box-d'];
const FOLLOWERS = 200;
const MAILS = 3;
/** As many as are told in one turn, and the rest of one mailbox. */
const MOST_IN_A_TURN = 500 + FOLLOWERS - 1;

describe('arrivals', () => {
  const test = service({ mailboxes: MAILBOXES });

  it('tells many followers of recent mail in several turns of the event loop', async () => {
    const mailboxes = [];
    for (const name of MAILBOXES) {
      mailboxes.push(await findMailbox(test.context, test.caller, name));
      for (let n = 0; n < MAILS; n += 1) await test.receive(name);
    }
    const arrivals = openArrivals(test.context);
    const toldInTurn: number[] = [];
    let isNewTurn = true;
    const received = () => {
      if (isNewTurn) {
        toldInTurn.push(0);
        isNewTurn = false;
        setImmediate(() => (isNewTurn = true));
      }
      toldInTurn.push((toldInTurn.pop() ?? 0) + 1);
    };
    const ends = mailboxes.flatMap((mailbox) =>
      Array.from({ length: FOLLOWERS }, () =>
        arrivals.follow({ mailbox, received, missed: () => undefined, end: () => undefined }),
      ),
    );
    const total = () => toldInTurn.reduce((sum, told) => sum + told, 0);
    const expected = MAILBOXES.length * MAILS * FOLLOWERS;
    await eventually('all to be told', () => total() >= expected);
    for (const end of ends) end();
    expect(total(), 'each follower of each message once').to.equal(expected);
    expect(Math.max(...toldInTurn)).to.be.at.most(MOST_IN_A_TURN);
  });
});
