import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, type Server, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createApp } from '../../../api/app.ts';
import type { Context } from '../../../core/context.ts';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { service } from '../../support/service.ts';

/** A point at which a request can be held. */
class Gate {
  private arrived = () => {};
  private leave = () => {};
  readonly reached = new Promise<void>((resolve) => (this.arrived = resolve));
  private readonly opened = new Promise<void>((resolve) => (this.leave = resolve));

  async pass(): Promise<void> {
    this.arrived();
    await this.opened;
  }

  open(): void {
    this.leave();
  }
}

describe('requests in progress while their token is revoked', () => {
  const test = service({ mailboxes: ['kept'] });
  const { api } = test;
  let token: string;
  let id: string;

  beforeEach(async () => {
    const { body } = await api.post('/api/tokens').send({ name: 'x' }).expect(201);
    ({ token, id } = body as { token: string; id: string });
  });

  const revoke = () => api.delete(`/api/tokens/${id}`).expect(204);
  const state = async () => ({
    mailboxes: ((await api.get('/api/mailboxes').expect(200)).body as { name: string }[]).map(
      ({ name }) => name,
    ),
    tokens: ((await api.get('/api/tokens').expect(200)).body as { name: string }[]).map(
      ({ name }) => name,
    ),
  });
  const unchanged = { mailboxes: ['kept'], tokens: ['first token'] };
  const expectUnauthorized = (answer: { status: number; body: unknown; text: string }) => {
    expect(answer.status, answer.text).to.equal(401);
    expect(answer.body).to.include({ code: 'unauthorized' });
  };

  describe('held before a change', () => {
    /** Every transaction waits at the gate. */
    const held = (gate: Gate): Context => ({
      ...test.context,
      store: {
        ...test.context.store,
        transaction: async (body) => {
          await gate.pass();
          return test.context.store.transaction(body);
        },
      },
    });

    for (const [what, send] of [
      ['POST /api/mailboxes', (on: TestApi) => on.post('/api/mailboxes', token)],
      ['DELETE /api/mailboxes/:name', (on: TestApi) => on.delete('/api/mailboxes/kept', token)],
      [
        'POST /api/tokens',
        (on: TestApi) => on.post('/api/tokens', token).send({ name: 'never made' }),
      ],
      [
        'DELETE /api/tokens/:id',
        (on: TestApi) => on.delete(`/api/tokens/${test.caller.token.id}`, token),
      ],
    ] as const) {
      it(`401: ${what} changes nothing`, async () => {
        const gate = new Gate();
        const answering = send(openTestApi({ ...test, context: held(gate) })).then();
        await gate.reached;
        await revoke();
        gate.open();
        expectUnauthorized(await answering);
        expect(await state()).to.deep.equal(unchanged);
      });
    }
  });

  describe('held during a read', () => {
    for (const path of [
      '/api/mailboxes',
      '/api/tokens',
      '/api/mailboxes/kept/messages',
      '/api/mailboxes/kept/messages/msg_none',
    ]) {
      it(`401: GET ${path}`, async () => {
        const gate = new Gate();
        const context = {
          ...test.context,
          rateLimits: {
            ...test.context.rateLimits,
            countRequest: async () => {
              await gate.pass();
              return null;
            },
          },
        };
        const answering = openTestApi({ ...test, context })
          .get(path, token)
          .then();
        await gate.reached;
        await revoke();
        gate.open();
        expectUnauthorized(await answering);
      });
    }
  });

  describe('held by a slow body', () => {
    let server: Server;

    beforeEach(async () => {
      server = createApp(test.context).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    afterEach(() => server.close());

    /** A request that was authenticated, and whose body is not sent yet. */
    const begin = async (
      path: string,
      length: number,
      { method = 'POST', ...fields }: Record<string, string> = {},
    ): Promise<ClientRequest> => {
      const sending = request({
        port: (server.address() as AddressInfo).port,
        host: '127.0.0.1',
        agent: false,
        method,
        path,
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          'Content-Length': length,
          ...fields,
        },
      });
      const looked = once(server, 'request');
      sending.write('{');
      await looked;
      await test.context.auth.tokenUse.flush();
      return sending;
    };
    const finish = async (sending: ClientRequest, rest: string) => {
      const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
      sending.end(rest);
      const [answer] = await answered;
      const { statusCode: status = 0, headers } = answer;
      const body = await text(answer);
      return { status, headers, body: body.startsWith('{') ? JSON.parse(body) : {}, text: body };
    };

    for (const [what, body] of [
      ['POST /api/mailboxes changes nothing', '{"name":"never"}'],
      ['a body that would have been refused is not looked at', '{"nam":"never"}'],
    ] as const) {
      it(`401: ${what}`, async () => {
        const sending = await begin('/api/mailboxes', body.length);
        await revoke();
        expectUnauthorized(await finish(sending, body.slice(1)));
        expect(await state()).to.deep.equal(unchanged);
      });
    }

    for (const [what, path, body] of [
      ['a send', '/api/mailboxes/kept/messages', { to: ['kept@one.test'], subject: 'again' }],
      ['a claim', '/api/mailboxes/kept/messages/claim', { timeout: 0 }],
      ['a new mailbox', '/api/mailboxes', {}],
    ] as const) {
      it(`401: the repeat of ${what}`, async () => {
        await test.receive('kept');
        const sent = JSON.stringify(body);
        const key = { 'Idempotency-Key': 'k' };
        const first = await finish(await begin(path, sent.length, key), sent.slice(1));
        expect(first.status).to.be.oneOf([200, 201]);
        const sending = await begin(path, sent.length, key);
        await revoke();
        expectUnauthorized(await finish(sending, sent.slice(1)));
      });
    }

    it('401: POST /api/session, without a cookie', async () => {
      const sending = await begin('/api/session', 2);
      await revoke();
      const answer = await finish(sending, '}');
      expectUnauthorized(answer);
      expect(answer.headers).not.to.have.property('set-cookie');
    });

    it('401: a PATCH that changes nothing', async () => {
      const sending = await begin('/api/mailboxes/kept', 2, { method: 'PATCH' });
      await revoke();
      expectUnauthorized(await finish(sending, '}'));
    });

    const call = (name: string) => ({ method: 'tools/call', params: { name, arguments: {} } });
    const accept = { Accept: 'application/json, text/event-stream' };
    const capabilities = { protocolVersion: '2025-06-18', capabilities: {} };
    for (const message of [
      {
        method: 'initialize',
        params: { ...capabilities, clientInfo: { name: 'a', version: '1' } },
      },
      { method: 'tools/list' },
      { method: 'ping' },
      call('list_mailboxes'),
      call('create_mailbox'),
      {
        ...call('wait_for_message'),
        params: { name: 'wait_for_message', arguments: { mailbox: 'kept', timeout: 1 } },
      },
    ]) {
      it(`401: /mcp ${message.method} ${'name' in (message.params ?? {}) ? JSON.stringify(message.params) : ''}`, async () => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
        const first = await finish(await begin('/mcp', body.length, accept), body.slice(1));
        expect(first.status, first.text).to.equal(200);
        const before = await state();
        const sending = await begin('/mcp', body.length, accept);
        await revoke();
        expectUnauthorized(await finish(sending, body.slice(1)));
        expect((await state()).mailboxes).to.deep.equal(before.mailboxes);
      });
    }

    it('401: /mcp notifications/initialized', async () => {
      const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
      const sending = await begin('/mcp', body.length, accept);
      await revoke();
      expectUnauthorized(await finish(sending, body.slice(1)));
    });
  });

  it('201: a change made before the revocation succeeds', async () => {
    const gate = new Gate();
    const context = {
      ...test.context,
      directory: {
        ...test.context.directory,
        add: async (entry: { address: string; mailboxId: string }) => {
          await gate.pass();
          await test.context.directory.add(entry);
        },
      },
    };
    const answering = openTestApi({ ...test, context })
      .post('/api/mailboxes', token)
      .send({ name: 'made' })
      .then();
    await gate.reached;
    await revoke();
    gate.open();
    expect((await answering).status).to.equal(201);
    expect((await state()).mailboxes).to.deep.equal(['made', 'kept']);
  });
});
