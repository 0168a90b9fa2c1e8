import { expect } from 'chai';
import type { EventClient } from '../../support/clients/event-stream.ts';
import { eventually } from '../../support/mocha/eventually.ts';
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

/** The first two pages can have fewer messages than are sent together. */
const HELD = 3;

describe('a stream from an old mark', () => {
  const test = service({ mailboxes: ['box'] });

  it('reads no further rows for a client that is gone, and counts until then', async () => {
    const first = await test.mark();
    const many = Array.from({ length: 100 }, (_, n) => `box+${n}@one.test`);
    for (let n = 0; n < 21; n += 1) await test.receive(many, { subject: `${n}` });
    const { store } = test.context;
    const execute = store.execute.bind(store);
    let pages = 0;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    Object.assign(store, {
      execute: async (...asked: Parameters<typeof execute>) => {
        if (asked[0].name === 'messages-by-number') {
          pages += 1;
          if (pages === HELD) await held;
        }
        return execute(...asked);
      },
    });
    const { eventStreams, requests } = test.context.metrics.http;
    const open = async () => (await eventStreams.get()).values[0]?.value;
    const closed = async () =>
      (await requests.get()).values.some(({ labels }) => String(labels.route).endsWith('/events'));
    try {
      const client = await test.follow(`${BOX}/events?mark=${first}`);
      await eventually('the page that is held', () => pages === HELD);
      await eventually('the events before it', () => client.told.length > 0);
      expect(client.told.length).to.be.within(1, 1000);
      client.hangUp();
      await eventually('its connection to be closed', closed);
      expect(await open()).to.equal(1);
      release();
      await eventually('the end of its loop', async () => (await open()) === 0);
      expect(pages).to.equal(HELD);
    } finally {
      release();
      Object.assign(store, { execute });
    }
  });
});
