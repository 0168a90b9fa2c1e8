import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { installMessageClasses } from '../../../api/http/express-prototypes.ts';
import { createHttpServer } from '../../../api/http/server.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

const LINE = '<p>twelve</p>\n';
const BYTES = 500_000 * LINE.length;
const BUDGET = 60_000_000;

describe('responses that clients do not read', () => {
  const test = service({
    once: true,
    mailboxes: ['box', 'two', 'read', 'short'],
    env: { VALIDATE_RESPONSES: 'false', HTTP_MAX_SENDING_BYTES: String(BUDGET) },
  });
  let server: Server;
  let sockets: Socket[];
  let id: string;

  before(async () => {
    const html = 'From: a@b.test\r\nContent-Type: text/html\r\n\r\n';
    id = await test.receive(['box', 'two', 'read'], html + LINE.repeat(500_000));
  });
  beforeEach(async () => {
    const classes = installMessageClasses(test.api.app);
    server = createHttpServer(test.api.app, classes, test.context.log, test.config.http);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    sockets = [];
  });
  afterEach(async () => {
    leave();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  const leave = () => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  const port = () => (server.address() as AddressInfo).port;
  /** The first bytes of responses that are not read further. */
  const ask = async (paths: string[], auth = `Bearer ${test.workspace.token}`) => {
    const heads = paths.map(async (path) => {
      const socket = connect(port(), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${auth}\r\n\r\n`);
      await once(socket, 'readable');
      const head = String(socket.read()).toLowerCase();
      if (head.includes(' 503 ')) expect(head).to.match(/^retry-after: \d/m);
      return Number(head.slice(9, 12));
    });
    return Promise.all(heads);
  };
  const many = (path: string) => Array<string>(8).fill(path);
  const served = (statuses: number[]) => statuses.filter((status) => status === 200).length;
  const message = (rest = '') => `/api/mailboxes/box/messages/${id}${rest}`;

  it('hold no more in a list whose first message is short; those above end', async () => {
    await test.receive('two', 'Subject: short\r\n\r\nx');
    const statuses = await ask(many('/api/mailboxes/two/messages?limit=2'));
    expect(served(statuses)).to.be.at.least(1);
    const connections = promisify(server.getConnections.bind(server));
    const refused = statuses.length - served(statuses);
    await eventually('connections to end', async () => (await connections()) - refused <= 6);
  });

  it('hold a limited number of bytes; the next ones are 503, small ones and a neighbor 200', async () => {
    const token = await test.stranger();
    const forms = [message(), message('/html')];
    for (const form of [...forms, '/api/mailboxes/box/messages', message('/parts/1')]) {
      const statuses = await ask(many(form));
      expect(served(statuses), form).to.be.within(1, 6);
      expect(statuses.filter((status) => status === 503).length, form).to.equal(
        8 - served(statuses),
      );
      const small = await ask(['/api/mailboxes/box/mark', message('/headers')]);
      expect(small).to.deep.equal([200, 200]);
      expect(await ask(['/api/mailboxes'], `Bearer ${token}`)).to.deep.equal([200]);
      leave();
      await eventually(form, async () => {
        const { status } = await test.api.get(form);
        return status === 200;
      });
    }
  });

  it('hold a limited number of bytes in the form of MailHog', async () => {
    const basic = Buffer.from(`short@one.test:${test.workspace.token}`).toString('base64');
    const small = await test.receive('short', `From: a@b.test\r\n\r\n${'x\r\n'.repeat(1_200_000)}`);
    const path = `/compat/mailhog/api/v1/messages/${small}`;
    expect(served(await ask(many(path), `Basic ${basic}`))).to.be.within(1, 4);
  });

  it('are read one message after the other from a list', async () => {
    await test.receive('read', `From: a@b.test\r\n\r\n${'y\r\n'.repeat(100_000)}`);
    const { body, headers } = await test.api.get('/api/mailboxes/read/messages').expect(200);
    expect(headers).to.not.have.property('content-length');
    const { messages } = body as { messages: { text?: string; html?: string }[] };
    const sizes = messages.map(({ text = '', html = '' }) => text.length + html.length);
    expect(sizes).to.deep.equal([200_000, BYTES]);
  });

  it('end when nothing is read for a minute', async () => {
    const { setInterval } = globalThis;
    const quick = (run: () => void, ms: number) => setInterval(run, ms === 60_000 ? 200 : ms);
    Object.assign(globalThis, { setInterval: quick });
    try {
      await ask([message(), message('/raw')]);
      const connections = promisify(server.getConnections.bind(server));
      await eventually('the connections to end', async () => (await connections()) === 0);
    } finally {
      Object.assign(globalThis, { setInterval });
    }
  });
});
