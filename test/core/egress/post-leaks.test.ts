/** Webhook calls leak no socket, timer or listener, whatever the outcome. */
import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { Egress } from '../../../core/egress/connect.ts';
import type { WebhookCall } from '../../../core/egress/post.ts';
import { isLongForm } from '../../support/mocha/long-form.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { openRawServer, saying } from '../../support/servers/raw-server.ts';
import { call, localEgress, notFound } from '../../support/context/webhook-call.ts';

const CALLS = isLongForm ? 200 : 60;
const AT_ONCE = CALLS / 2;

interface Case {
  serve: (socket: Socket) => void;
  outcome: string;
  url?: (port: number) => string;
  given?: Partial<WebhookCall>;
  egress?: Egress;
}

const silent = (socket: Socket) => socket.resume();
const short = { timeoutMs: 100 };

const cases: Record<string, Case> = {
  delivered: { serve: saying('HTTP/1.1 204 No Content\r\n\r\n'), outcome: 'delivered' },
  'delivered, with a body': {
    serve: saying('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    outcome: 'delivered',
  },
  'delivered, with more than is read': {
    serve: saying(
      Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.alloc(100_000, 1)]),
    ),
    outcome: 'delivered',
  },
  'delivered, with a body that stalls': {
    serve: saying('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'),
    outcome: 'delivered',
  },
  'delivered, then reset': {
    serve: saying('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n', (s) => s.resetAndDestroy()),
    outcome: 'delivered',
  },
  redirected: {
    serve: saying('HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n'),
    outcome: 'http_error',
  },
  upgraded: {
    serve: saying('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    outcome: 'http_error',
  },
  'answered with an error': {
    serve: saying('HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n'),
    outcome: 'http_error',
  },
  'answered while the body is sent': {
    serve: (socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n');
      }),
    outcome: 'http_error',
    given: { body: Buffer.alloc(1024 * 1024) },
  },
  'not answered': { serve: silent, outcome: 'timeout', given: short },
  'answered in part': { serve: saying('HTTP/1.1 200'), outcome: 'timeout', given: short },
  'not resolved': {
    serve: silent,
    outcome: 'timeout',
    url: (port) => `http://hooks.test:${port}/`,
    given: short,
    egress: { ...localEgress(), resolve: () => new Promise<never>(() => undefined) },
  },
  'not answered in the handshake': {
    serve: silent,
    outcome: 'timeout',
    url: (port) => `https://127.0.0.1:${port}/`,
    given: short,
  },
  'answered in the handshake with HTTP': {
    serve: (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 No\r\n\r\n')),
    outcome: 'tls_error',
    url: (port) => `https://127.0.0.1:${port}/`,
  },
  reset: { serve: (socket) => socket.resetAndDestroy(), outcome: 'connection_failed' },
  'answered with invalid data': { serve: saying('NONSENSE\r\n\r\n'), outcome: 'connection_failed' },
  'not found': {
    serve: silent,
    outcome: 'dns_error',
    url: () => 'https://hooks.test/',
    egress: localEgress({ 'hooks.test': notFound('hooks.test') }),
  },
  blocked: {
    serve: silent,
    outcome: 'blocked_address',
    egress: { ...localEgress(), allowedCidrs: [] },
  },
  'blocked by the addresses of its name': {
    serve: silent,
    outcome: 'blocked_address',
    url: (port) => `http://hooks.test:${port}/`,
    egress: { ...localEgress({ 'hooks.test': ['127.0.0.1'] }), allowedCidrs: [] },
  },
  withdrawn: { serve: silent, outcome: 'withdrawn', given: { mayStill: async () => false } },
  'withdrawn by an internal error': {
    serve: silent,
    outcome: 'Error: away',
    given: { mayStill: () => Promise.reject(new Error('away')) },
  },
};

describe('a webhook call leaks nothing', () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  before(() => process.on('warning', note));
  after(() => process.off('warning', note));

  const check = async ({ outcome, given, egress }: Case, url: string) => {
    for (let done = 0; done < CALLS; done += AT_ONCE) {
      const outcomes = await Promise.all(
        Array.from({ length: AT_ONCE }, () =>
          call(url, given, egress).then((answer) => answer.outcome, String),
        ),
      );
      // If the machine is too busy to answer `mayStill` in time, the call is withdrawn.
      const told = outcomes.filter((one) => one === outcome || one !== 'withdrawn');
      expect(new Set(told)).to.deep.equal(new Set([outcome]));
    }
  };

  for (const [name, one] of Object.entries(cases)) {
    it(`if it is ${name}`, async () => {
      const server = await openRawServer(one.serve);
      const before = inUse();
      const url = one.url?.(server.port) ?? `http://127.0.0.1:${server.port}/`;
      await check(one, url);
      await server.idle();
      await eventually('all to be as it was', () => inUse() <= before);
      expect(warnings).to.deep.equal([]);
      await server.close();
    });
  }

  it('if it is refused, by one address or by several', async () => {
    const port = await freePort();
    const before = inUse();
    const egress = localEgress({ 'hooks.test': ['127.0.0.1', '127.0.0.2'] });
    const refused = { serve: silent, outcome: 'connection_refused', egress };
    await check(refused, `http://127.0.0.1:${port}/`);
    await check(refused, `https://hooks.test:${port}/`);
    await eventually('all to be as it was', () => inUse() <= before);
    expect(warnings).to.deep.equal([]);
  });
});

/** Number of active handles, requests and timers of this process. */
function inUse(): number {
  return process.getActiveResourcesInfo().length;
}
