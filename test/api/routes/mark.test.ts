import { expect } from 'chai';
import { createToken } from '../../../core/auth/tokens.ts';
import { createMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { decodeMark, isAfterMark } from '../../../core/messages/mark.ts';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';

const MARK = '/api/mailboxes/box/mark';

describe('GET /api/mailboxes/{name}/mark', () => {
  let test: TestContext;
  let api: TestApi;
  let mailbox: { id: string };

  beforeEach(async () => {
    test = await openTestContext();
    api = openTestApi(test);
    mailbox = await createMailbox(test.context, test.caller, 'box');
  });
  afterEach(() => test.close());

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

  it('200: for a reader', async () => {
    const reader = await createToken(test.context, test.caller, { name: 'r', role: 'reader' });
    await api.get(MARK, reader.value).expect(200);
  });

  it('400, 401, 404', async () => {
    await api.get(`${MARK}?limit=1`).expect(400);
    await api.get(MARK, null).expect(401);
    await api.get('/api/mailboxes/none/mark').expect(404);
  });
});
