import { expect } from 'chai';
import { messagesFor } from '../../../core/intake/recipient-messages.ts';
import { composeOutgoing } from '../../../core/sending/build-mail.ts';
import { newSeed, sentMailIds } from '../../../core/ids.ts';
import { service } from '../../support/service.ts';

const AT = 1_700_000_000_000;
const to = (mailboxId: string, tag: string | null, recipient: string) => ({
  mailboxId,
  tag,
  recipient,
});

describe('the messages of a mail', () => {
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

  describe('of a sent mail', () => {
    const test = service();

    it('keep the first recipient of a mailbox and tag', async () => {
      const recipients = ['first@one.test', 'second@one.test'].map((address) => ({
        mailboxId: 'mbx_1',
        address,
        tag: 't',
      }));
      const seed = newSeed(AT);
      const { accepted } = await composeOutgoing(test.context, {
        sender: { name: '', address: 'from@one.test' },
        request: { to: [], subject: '' },
        recipients: { to: recipients, cc: [], all: recipients },
        attachments: [],
        seed,
      });
      expect(accepted.messages).to.deep.equal([
        { ...to('mbx_1', 't', 'first@one.test'), id: sentMailIds(seed).messageId },
      ]);
    });
  });
});
