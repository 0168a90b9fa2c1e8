import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import supertest from 'supertest';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { messagesOfMailboxes } from '../../../db/statements/search.ts';
import type { Store } from '../../../db/store.ts';
import { openTestApi } from '../../support/context/api.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

/** More than a deletion reads if its time is over before each batch of 100. */
const STORED = 600;

describe('a deletion by search', () => {
  const test = service({ mailboxes: ['box'] });
  const path = '/compat/mailpit/api/v1/search?query=rep';

  const now = performance.now.bind(performance);
  let passed = 0;
  beforeEach(() => {
    const began = performance.now();
    passed = 0;
    performance.now = () => began + passed; // no time passes by itself
  });
  afterEach(() => {
    performance.now = now;
  });

  /** The API over a store that does this before each statement that lists messages to search. */
  const open = (before: () => Promise<unknown>) => {
    const ask = async (...asked: unknown[]) => {
      const of = test.context.store.query as (...given: unknown[]) => Promise<unknown>;
      if (asked[0] === messagesOfMailboxes) await before();
      return of(...asked);
    };
    const store: Store = { ...test.context.store, query: ask as Store['query'] };
    return openTestApi({ ...test, context: { ...test.context, store } });
  };
  const fill = async (count: number) => {
    const { context, caller } = test;
    const { id } = await requireMailbox(context, caller, 'box');
    const base = context.now() - count;
    const store = (n: number) => storeDirectly(context, id, base + n, 'a report');
    await Promise.all(Array.from({ length: count }, (_, n) => store(n)));
  };
  const total = async () => {
    const { body } = await test.api.get('/api/mailboxes/box/messages?limit=1').expect(200);
    return (body as { total: number }).total;
  };

  it('keeps what arrives after it began, though it matches', async () => {
    await fill(3);
    const api = open(() => test.receive('box', { subject: 'late', text: 'a report' }));
    await supertest(api.app).delete(path).auth('box', test.workspace.token).expect(200, 'ok');
    const subjects = (await test.messages('box')).map(({ subject }) => subject);
    expect(subjects).to.deep.equal(['late']);
  });

  it('503: deletes nothing if its time ends before all is read', async () => {
    await fill(STORED);
    const api = open(async () => (passed += 3000));
    const answer = await supertest(api.app).delete(path).auth('box', test.workspace.token);
    expect(answer.status).to.equal(503);
    expect(Number(answer.headers['retry-after'])).to.be.above(0);
    expect(await total()).to.equal(STORED);
    await supertest(test.api.app).delete(path).auth('box', test.workspace.token).expect(200, 'ok');
    expect(await total()).to.equal(0);
  });

  it('ends when the client closes its connection', async () => {
    await fill(STORED);
    let statements = 0;
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const api = open(() => {
      statements += 1;
      return held;
    });
    const server = createServer(api.app).listen(0, '127.0.0.1');
    let sockets = 0;
    server.on('connection', (socket) => {
      sockets += 1;
      socket.once('close', () => (sockets -= 1));
    });
    await once(server, 'listening');
    const client = request({
      ...{ port: (server.address() as AddressInfo).port, path, method: 'DELETE' },
      auth: `box:${test.workspace.token}`,
    });
    client.on('error', () => undefined);
    client.end();
    await eventually('the deletion to search', () => statements === 1);
    client.destroy();
    await eventually('the connection to end', () => sockets === 0);
    server.close();
    goOn();
    await supertest(api.app).get(path).auth('box', test.workspace.token).expect(200);
    expect(statements).to.equal(3); // two of them by the search
    expect(await total()).to.equal(STORED);
  });
});
