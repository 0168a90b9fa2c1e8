import { expect } from 'chai';
import { decodeMark, isAfterMark } from '../../../core/messages/mark.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

const MARK = '/api/mailboxes/box/mark';

describe('GET /api/mailboxes/{name}/mark', () => {
  const test = service();
  const { api } = test;
  let mailbox: { id: string };

  beforeEach(async () => {
    mailbox = await test.mailbox();
  });

  const markAt = async (path: string) => {
    const { body } = await api.get(path).expect(200);
    return decodeMark(mailbox, (body as { mark: string }).mark);
  };

  it('200: covers what is visible, also in the pages of the list', async () => {
    const receivedAt = test.context.now();
    const old = { id: await storeDirectly(test.context, mailbox.id, receivedAt), receivedAt };
    const marks = await Promise.all(
      [MARK, '/api/mailboxes/box/messages', '/api/mailboxes/box/messages?limit=1'].map(markAt),
    );
    const late = {
      id: await storeDirectly(test.context, mailbox.id, receivedAt - 9000),
      receivedAt: receivedAt - 9000,
    };
    const isNew = ({ id, receivedAt: at }: typeof old) =>
      marks.map((mark) => isAfterMark(mark, { id, receivedAt: new Date(at) }));
    expect(isNew(old)).to.deep.equal([false, false, false]);
    expect(isNew(late)).to.deep.equal([true, true, true]);
  });
});
