import { expect } from 'chai';
import { createMailbox, deleteMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import { deliverMail } from '../../support/context/deliver.ts';
import {
  type EventClient,
  type EventServer,
  openEventServer,
} from '../../support/clients/event-stream.ts';

const BOX = '/api/mailboxes/box';

describe('filters of live events', () => {
  let test: TestContext;
  let api: TestApi;
  let server: EventServer;
  let clients: EventClient[];

  beforeEach(async () => {
    test = await openTestContext();
    api = openTestApi(test);
    server = await openEventServer(api.app);
    clients = [];
    await createMailbox(test.context, test.caller, 'box');
  });
  afterEach(async () => {
    for (const client of clients) client.hangUp();
    await server.close();
    await test.close();
  });

  const follow = async (path: string, headers: Record<string, string> = {}) => {
    const bearer = { Authorization: `Bearer ${test.workspace.token}` };
    const client = await server.follow(path, { ...bearer, ...headers });
    clients.push(client);
    return client;
  };
  const receive = async (subject: string, receivedAt?: number) => {
    const raw = `Subject: ${subject}\r\n\r\n`;
    const mail = await deliverMail(test.context, ['box@one.test'], raw, receivedAt);
    return mail.messages[0]!.id;
  };
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
    const other = await receive('Welcome');
    await api.delete(`${BOX}/messages/${other}`).expect(204);
    const code = await receive('Your code');
    // A message is read for its event, so the mailbox is there until both have arrived.
    for (const client of [ofMailbox, ofWorkspace]) {
      expect(await next(client, 1)).to.deep.equal([code]);
    }
    await deleteMailbox(test.context, test.caller, 'box');
    expect(await next(ofMailbox, 1)).to.deep.equal(['mailbox.deleted']);
    await ofMailbox.ended;
  });

  it('begin at a mark, and send each message once', async () => {
    const at = test.context.now();
    await receive('before code', at);
    const { mark } = (await api.get(`${BOX}/mark`).expect(200)).body as { mark: string };
    const late = await receive('late code', at - 5000);
    const second = await receive('second code', at + 1);
    await receive('other', at + 2);
    const all = await follow(`${BOX}/events?mark=${mark}`);
    expect((await next(all, 4)).at(-1)).to.equal('ready');
    const client = await follow(`${BOX}/events?mark=${mark}&subject=code`);
    expect(await next(client, 3)).to.deep.equal([late, second, 'ready']);
    const third = await receive('third code');
    expect(await next(client, 1)).to.deep.equal([third]);
    const resumed = await follow(`${BOX}/events?mark=${mark}&subject=code`, {
      'Last-Event-ID': client.told.at(-1)!.id!,
    });
    expect(await next(resumed, 1)).to.deep.equal(['ready']);
  });

  it('select messages with a code, and with a kind of link', async () => {
    const codes = await follow(`${BOX}/events?hasCode=true`);
    const links = await follow('/api/events?link=verify');
    for (const client of [codes, links]) expect(await next(client, 1)).to.deep.equal(['ready']);
    await receive('Order 771204');
    const code = await receive('Your code is 482913');
    const raw = 'Subject: s\r\n\r\nhttps://a.test/verify?t=Zk3x9QmP7LrT2vWc8YbN';
    const { messages } = await deliverMail(test.context, ['box@one.test'], raw);
    expect(await next(codes, 1)).to.deep.equal([code]);
    expect(await next(links, 1)).to.deep.equal([messages[0]!.id]);
  });

  it('400: a mark for the workspace, an invalid mark, an invalid criterion', async () => {
    const { mark } = (await api.get(`${BOX}/mark`).expect(200)).body as { mark: string };
    await api.get(`/api/events?mark=${mark}`).expect(400);
    await api.get(`${BOX}/events?mark=x`).expect(400);
    await api.get(`${BOX}/events?header=42`).expect(400);
    await api.get(`${BOX}/events?claimed=true`).expect(400);
  });
});

describe('DELETE .../messages?before=', () => {
  let test: TestContext;
  let api: TestApi;

  beforeEach(async () => {
    test = await openTestContext();
    api = openTestApi(test);
    await createMailbox(test.context, test.caller, 'box');
  });
  afterEach(() => test.close());

  it('200: keeps what was not visible when the mark was made', async () => {
    const at = test.context.now();
    const receive = async (receivedAt: number) =>
      (await deliverMail(test.context, ['box@one.test'], 'Subject: s\r\n\r\n', receivedAt))
        .messages[0]!.id;
    await receive(at - 60_000);
    await receive(at);
    const { mark } = (await api.get(`${BOX}/mark`).expect(200)).body as { mark: string };
    const kept = [await receive(at + 1), await receive(at - 5000)];
    const { body } = await api.delete(`${BOX}/messages?before=${mark}`).expect(200);
    expect(body).to.deep.equal({ deleted: 2 });
    const listed = (await api.get(`${BOX}/messages`).expect(200)).body as {
      messages: { id: string }[];
    };
    expect(listed.messages.map(({ id }) => id)).to.deep.equal(kept);
  });

  it('400: a mark of another mailbox', async () => {
    await createMailbox(test.context, test.caller, 'other');
    const { mark } = (await api.get('/api/mailboxes/other/mark').expect(200)).body as {
      mark: string;
    };
    for (const before of [mark, 'x']) {
      await api.delete(`${BOX}/messages?before=${before}`).expect(400);
    }
  });
});
