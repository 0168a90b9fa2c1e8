import { expect } from 'chai';
import { messagesFor } from '../../../core/intake/accepted-mail.ts';
import { service } from '../../support/service.ts';

const AT = 1_700_000_000_000;
const to = (mailboxId: string, tag: string | null, recipient: string) => ({
  mailboxId,
  tag,
  recipient,
});

describe('the messages of a mail', () => {
  const test = service({ once: true });

  it('are one per mailbox and tag, the first recipient kept, in order', () => {
    const messages = messagesFor(
      [
        to('mbx_1', 'a', 'One+a@x.test'),
        to('mbx_2', null, 'two@x.test'),
        to('mbx_1', 'a', 'one+a@X.test'),
        to('mbx_1', 'A', 'one+A@x.test'),
        to('mbx_1', null, 'one@x.test'),
        to('mbx_2', null, 'TWO@x.test'),
      ],
      AT,
    );
    expect(messages.map(({ mailboxId, tag, recipient }) => [mailboxId, tag, recipient])).to.eql([
      ['mbx_1', 'a', 'One+a@x.test'],
      ['mbx_2', null, 'two@x.test'],
      ['mbx_1', 'A', 'one+A@x.test'],
      ['mbx_1', null, 'one@x.test'],
    ]);
    expect(new Set(messages.map(({ id }) => id)).size).to.equal(4);
  });

  it('start with the given id', () => {
    const [first, second] = messagesFor(
      [to('mbx_1', null, 'a'), to('mbx_2', null, 'b')],
      AT,
      'msg_1',
    );
    expect(first?.id).to.equal('msg_1');
    expect(second?.id).to.match(/^msg_[0-9a-z]{26}$/);
  });

  it('of a sent mail are one per mailbox and tag', async () => {
    await test.mailbox();
    const to = ['Box+t@one.test', 'box+t@ONE.test', 'box+u@one.test'];
    const first = await test.send('box', { to, subject: '' });
    const { messages } = test.context.store.db.t;
    const rows = await test.context.store.db.select().from(messages);
    expect(rows.map(({ recipient, tag }) => [recipient, tag])).to.have.deep.members([
      ['box+t@one.test', 't'],
      ['box+u@one.test', 'u'],
    ]);
    expect(rows.map(({ id }) => id)).to.include(first);
  });
});
