/** Outcomes of webhook calls without a response or with a late one. */
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { WebhookCall } from '../../../core/egress/post.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { rawServer, saying, wholeRequest } from '../../support/servers/raw-server.ts';
import { call, localEgress, notFound } from '../../support/context/webhook-call.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const NO_ANSWER = { statusCode: null, excerpt: null, retryAfterMs: null };

describe('a webhook call without a response', () => {
  const server = rawServer();
  const { serve } = server;

  describe('times out', () => {
    const expectTimeout = async (url: string, given: Partial<WebhookCall> = {}) => {
      const answer = await call(url, { timeoutMs: 150, ...given });
      expect(answer).to.include({ ...NO_ANSWER, outcome: 'timeout' });
      // Timers of Node can fire up to a millisecond early.
      expect(answer.durationMs).to.be.at.least(148);
    };

    it('if the server accepts and sends nothing', async () => {
      await expectTimeout(await serve((socket) => socket.resume()));
    });

    it('when the headers stall', async () => {
      await expectTimeout(await serve(saying('HTTP/1.1 200 OK\r\ncontent-len')));
    });

    it('when the headers drip', async () => {
      await expectTimeout(
        await serve(
          saying('HTTP/1.1 200 OK\r\nx: ', (socket) => {
            const drip = setInterval(() => socket.write('.'), 10);
            socket.once('close', () => {
              clearInterval(drip);
            });
          }),
        ),
      );
    });

    it('if the body is not read', async () => {
      const url = await serve((socket) => {
        socket.pause();
        // Only a reading socket notices the end of the connection.
        socket.once('pause', () => undefined);
        setTimeout(() => socket.resume(), 400);
      });
      await expectTimeout(url, { body: randomBytes(32 * 1024 * 1024) });
    });

    it('if the name is not resolved in time', async () => {
      const resolve = () => new Promise<never>(() => undefined);
      const egress = { ...localEgress(), resolve };
      const answer = await call('https://hooks.test/', { timeoutMs: 150 }, egress);
      expect(answer).to.include({ ...NO_ANSWER, outcome: 'timeout' });
    });

    it('if no server accepts, and closes the connection', async () => {
      // A thread that listens and then blocks: the kernel accepts connections up to the length of
      // its queue.
      const code = `
        const { parentPort } = require('node:worker_threads');
        const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 });
        server.once('listening', () => {
          parentPort.postMessage(server.address().port);
          setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
        });`;
      const worker = new Worker(code, { eval: true });
      const [port] = (await once(worker, 'message')) as [number];
      const queued: Socket[] = [];
      for (;;) {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        queued.push(socket);
        const isIn = await Promise.race([once(socket, 'connect'), delay(500, null)]);
        if (!isIn) break;
      }
      const answer = await call(`http://127.0.0.1:${port}/`, { timeoutMs: 150 });
      expect(answer).to.include({ ...NO_ANSWER, outcome: 'timeout' });
      for (const socket of queued) socket.destroy();
      await worker.terminate();
    });
  });

  it('does not time out if the response is slow but in time', async () => {
    const url = await serve((socket) => {
      void wholeRequest(socket)
        .then(() => delay(300))
        .then(() => socket.write(OK.slice(0, 20)))
        .then(() => delay(300))
        .then(() => socket.write(OK.slice(20)));
    });
    const answer = await call(url);
    expect(answer).to.include({ outcome: 'delivered', statusCode: 200 });
    expect(answer.durationMs).to.be.at.least(590);
  });

  describe('delayed by Mayfly', () => {
    const after = (ms: number) => async () => {
      await delay(ms);
      return true;
    };

    it('for the whole timeout is not sent and blames no receiver', async () => {
      const url = await serve(saying(OK));
      const answer = await call(url, { timeoutMs: 1000, mayStill: after(1500) });
      expect(answer).to.include({ ...NO_ANSWER, outcome: 'withdrawn', retryAfterMs: 5000 });
      await server.idle();
      expect(server.sockets.map(({ bytesRead }) => bytesRead)).to.deep.equal([0]);
    });

    it('has its full timeout after that', async () => {
      const url = await serve((socket) => {
        void wholeRequest(socket)
          .then(() => delay(3000))
          .then(() => socket.write(OK));
      });
      const answer = await call(url, { timeoutMs: 5000, mayStill: after(3000) });
      expect(answer).to.include({ outcome: 'delivered' });
      expect(answer.durationMs).to.be.within(2990, 5000);
    });

    it('while connecting also has its full timeout after that', async () => {
      const url = await serve((socket) => {
        void wholeRequest(socket)
          .then(() => delay(3000))
          .then(() => socket.write(OK));
      });
      const { resolve, ...rest } = localEgress({ 'hooks.test': ['127.0.0.1'] });
      const answer = await call(
        `http://hooks.test:${new URL(url).port}/`,
        { timeoutMs: 5000 },
        {
          ...rest,
          resolve: async (hostname) => {
            await delay(3000);
            return resolve(hostname);
          },
        },
      );
      expect(answer).to.include({ outcome: 'delivered' });
      expect(answer.durationMs, 'of both').to.be.at.least(5990);
    });
  });

  describe('loses its connection', () => {
    for (const [when, serving] of [
      ['as soon as it stands', (socket) => socket.resetAndDestroy()],
      [
        'before the headers',
        (socket) => void wholeRequest(socket).then(() => socket.resetAndDestroy()),
      ],
      [
        'in the middle of the headers',
        saying('HTTP/1.1 200 OK\r\nx: y', (s) => s.resetAndDestroy()),
      ],
      ['in the middle of the headers, politely', saying('HTTP/1.1 200 OK\r\nx: y', (s) => s.end())],
      ['before the headers, politely', saying('', (socket) => socket.end())],
      ['after informational headers', saying('HTTP/1.1 103 Soon\r\n\r\n', (s) => s.destroy())],
    ] as [string, (socket: Socket) => void][]) {
      it(when, async () => {
        const url = await serve(serving);
        for (let round = 1; round <= 50; round++) {
          const answer = await call(url);
          expect(answer, `round ${round}`).to.include({
            ...NO_ANSWER,
            outcome: 'connection_failed',
          });
        }
      });
    }

    for (const how of ['destroy', 'end', 'resetAndDestroy'] as const) {
      it(`while mayStill is pending (${how})`, async () => {
        const url = await serve((socket) => socket[how]());
        const mayStill = async () => {
          await server.idle();
          await delay(20);
          return true;
        };
        const answer = await call(url, { mayStill });
        expect(answer).to.include({ ...NO_ANSWER, outcome: 'connection_failed' });
        expect(answer.durationMs).to.be.below(10_000);
      });
    }
  });

  describe('receives invalid HTTP', () => {
    for (const [what, said] of [
      ['nonsense', 'NONSENSE\r\n\r\n'],
      ['HTTP/0.9', '<html>hello</html>'],
      ['a TLS alert', Buffer.from([0x15, 3, 1, 0, 2, 2, 22])],
      ['only an informational response', 'HTTP/1.1 103 Soon\r\nx : y\r\n\r\n'],
    ] as const) {
      it(what, async () => {
        const answer = await call(await serve(saying(said)));
        expect(answer).to.include({ ...NO_ANSWER, outcome: 'connection_failed' });
        expect(answer.fault).to.match(/^Parse Error/);
      });
    }
  });

  describe('is rejected', () => {
    it('by the address', async () => {
      const answer = await call(`http://127.0.0.1:${await freePort()}/`);
      expect(answer).to.include({ ...NO_ANSWER, outcome: 'connection_refused' });
      expect(answer.fault).to.include('ECONNREFUSED');
    });

    it('by all of several addresses, each of which is logged', async () => {
      const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
      const egress = localEgress({ 'hooks.test': addresses });
      const answer = await call(`https://hooks.test:${await freePort()}/`, {}, egress);
      expect(answer).to.include({ ...NO_ANSWER, outcome: 'connection_refused' });
      for (const address of addresses) expect(answer.fault).to.include(address);
    });
  });

  it('tries only a few of many addresses', async () => {
    const addresses = Array.from({ length: 200 }, (_, index) => `127.0.1.${index + 1}`);
    const egress = localEgress({ 'hooks.test': addresses });
    const answer = await call(`http://hooks.test:${await freePort()}/`, {}, egress);
    expect(answer).to.include({ outcome: 'connection_refused' });
    expect(answer.fault?.match(/127\.0\.1\.\d+/g)).to.have.length(16);
  });

  it('reaches the only responding one of several addresses', async () => {
    await serve(saying(OK));
    const egress = localEgress({ 'hooks.test': ['127.0.0.3', '127.0.0.2', '127.0.0.1'] });
    const answer = await call(`http://hooks.test:${server.port}/`, {}, egress);
    expect(answer).to.include({ outcome: 'delivered' });
  });

  describe('names an unknown host', () => {
    it('as reported by the system', async () => {
      // A label too long for a DNS query.
      const answer = await call(`http://${'a'.repeat(64)}.test/`);
      expect(answer).to.include({ ...NO_ANSWER, outcome: 'dns_error' });
      expect(answer.fault).to.include('ENOTFOUND');
    });

    for (const [what, found] of [
      ['as the resolver says', notFound('hooks.test')],
      ['as the resolver cannot say', Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' })],
      ['by having no address', []],
    ] as const) {
      it(what, async () => {
        const egress = localEgress({ 'hooks.test': found as string[] | Error });
        const answer = await call('https://hooks.test/', {}, egress);
        expect(answer).to.include({ ...NO_ANSWER, outcome: 'dns_error' });
      });
    }
  });
});
