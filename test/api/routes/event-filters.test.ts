import { expect } from 'chai';
import type { EventClient } from '../../support/clients/event-stream.ts';
import { service } from '../../support/service.ts';

const BOX = '/api/mailboxes/box';

describe('filters of live events', () => {
  const test = service({ mailboxes: ['box'] });
  const { api, follow, mark, receive } = test;

  const next = async (client: EventClient, count: number) =>
    (await client.next(count)).map(({ type, data }) =>
      type === 'message.received' ? (data as { messageId: string }).messageId : type,
    );

  it('send only the messages that fit, of a mailbox and of the workspace', async () => {
    const ofMailbox = await follow(`${BOX}/events?subject=code`);
    const ofWorkspace = await follow('/api/events?header=Subject:%20Your%20code');
    for (const client of [ofMailbox, ofWorkspace]) {
      expect(await next(client, 1)).to.deep.equal(['ready']);
    }
    const other = await receive('box', { subject: 'Welcome' });
    await api.delete(`${BOX}/messages/${other}`).expect(204);
    const code = await receive('box', { subject: 'Your code' });
    // A message is read for its event, so the mailbox is there until both have arrived.
    for (const client of [ofMailbox, ofWorkspace]) {
      expect(await next(client, 1)).to.deep.equal([code]);
    }
    await api.delete(BOX).expect(204);
    expect(await next(ofMailbox, 1)).to.deep.equal(['mailbox.deleted']);
    await ofMailbox.ended;
  });

  it('begin at a mark, and send each message once', async () => {
    const at = test.context.now();
    await receive('box', { subject: 'before code' }, at);
    const before = await mark();
    const late = await receive('box', { subject: 'late code' }, at - 5000);
    const second = await receive('box', { subject: 'second code' }, at + 1);
    await receive('box', { subject: 'other' }, at + 2);
    const all = await follow(`${BOX}/events?mark=${before}`);
    expect((await next(all, 4)).at(-1)).to.equal('ready');
    const client = await follow(`${BOX}/events?mark=${before}&subject=code`);
    expect(await next(client, 3)).to.deep.equal([late, second, 'ready']);
    const third = await receive('box', { subject: 'third code' });
    expect(await next(client, 1)).to.deep.equal([third]);
    const resumed = await follow(`${BOX}/events?mark=${before}&subject=code`, {
      'Last-Event-ID': client.told.at(-1)!.id!,
    });
    expect(await next(resumed, 1)).to.deep.equal(['ready']);
  });

  it('select messages with a code, and with a kind of link', async () => {
    const codes = await follow(`${BOX}/events?hasCode=true`);
    const links = await follow('/api/events?link=verify');
    for (const client of [codes, links]) expect(await next(client, 1)).to.deep.equal(['ready']);
    await receive('box', { subject: 'Order 771204' });
    const code = await receive('box', { subject: 'Your code is 482913' });
    const verify = { text: 'https://a.test/verify?t=Zk3x9QmP7LrT2vWc8YbN' };
    const link = await receive('box', verify);
    expect(await next(codes, 1)).to.deep.equal([code]);
    expect(await next(links, 1)).to.deep.equal([link]);
  });

  it('400: a mark for the workspace, and `claimed` for events', async () => {
    await api.get(`/api/events?mark=${await mark()}`).expect(400);
    await api.get(`${BOX}/events?claimed=true`).expect(400);
  });
});

describe('DELETE .../messages?before=', () => {
  const test = service({ mailboxes: ['box', 'other'] });
  const { api, mark, messages, receive } = test;

  it('200: keeps what was not visible when the mark was made', async () => {
    const at = test.context.now();
    for (const receivedAt of [at - 60_000, at]) await receive('box', {}, receivedAt);
    const before = await mark();
    const kept = [await receive('box', {}, at + 1), await receive('box', {}, at - 5000)];
    const { body } = await api.delete(`${BOX}/messages?before=${before}`).expect(200);
    expect(body).to.deep.equal({ deleted: 2 });
    expect((await messages('box')).map(({ id }) => id)).to.deep.equal(kept);
  });

  it('400: a mark of another mailbox', async () => {
    await api.delete(`${BOX}/messages?before=${await mark('other')}`).expect(400);
  });
});
