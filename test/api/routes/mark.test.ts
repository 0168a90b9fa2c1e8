import { expect } from 'chai';
import { service } from '../../support/service.ts';

const BOX = '/api/mailboxes/box';
const HOUR_MS = 3_600_000;
/** A mark of the version before messages had numbers. */
const OLD = Buffer.from('1.95b6c7d8e9.1769860790000.~.95b6c7d8e9').toString('base64url');

describe('GET /api/mailboxes/{name}/mark', () => {
  const test = service({ mailboxes: ['box', 'other'] });
  const { api, follow, mark, receive } = test;

  const after = async (text: string) => {
    const { body } = await api.get(`${BOX}/messages/wait?mark=${text}&timeout=0&count=9`);
    return (body as { messages: { id: string }[] }).messages.map(({ id }) => id);
  };

  it('200: covers what is visible, also in the pages of the list, whatever the clocks say', async () => {
    const at = test.context.now();
    await receive('box', {}, at + HOUR_MS);
    const marks = [await mark()];
    for (const query of ['', '?limit=1', '?claimed=false', '?q=hello']) {
      const { body } = await api.get(`${BOX}/messages${query}`).expect(200);
      marks.push((body as { mark: string }).mark);
    }
    for (const text of marks) expect(await after(text)).to.deep.equal([]);
    await receive('other', {}, at);
    const late = [await receive('box', {}, at - HOUR_MS), await receive('box', {}, at)];
    for (const text of marks) expect(await after(text)).to.deep.equal(late);
  });

  it('400 invalid_mark: a mark of an earlier version, which a resumed stream ignores', async () => {
    for (const path of [
      `${BOX}/messages/wait?timeout=0&mark=${OLD}`,
      `${BOX}/events?mark=${OLD}`,
    ]) {
      const { body } = await api.get(path).expect(400);
      expect(body).to.include({ code: 'invalid_mark' });
      expect((body as { error: string }).error).to.include('Take a new one');
    }
    await api.delete(`${BOX}/messages?before=${OLD}`).expect(400);
    await api.post(`${BOX}/messages/claim`).send({ mark: OLD, timeout: 0 }).expect(400);
    const stream = await follow(`${BOX}/events?mark=${OLD}`, { 'Last-Event-ID': '1-0' });
    expect((await stream.next(2)).map(({ type }) => type)).to.deep.equal(['reset', 'ready']);
  });

  it('400 invalid_mark: a mark of messages that a restored database does not have', async () => {
    await receive('box');
    const text = await mark();
    const { messageNumbers } = test.context.store.db.t;
    await test.context.store.query((db) => db.update(messageNumbers).set({ last: 0 }));
    const { body } = await api.get(`${BOX}/messages/wait?mark=${text}`).expect(400);
    expect(body).to.include({ code: 'invalid_mark' });
  });
});
