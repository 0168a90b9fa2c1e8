/** Connections of webhooks: the address that was checked is the one that is used. */
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, type Server, Socket, createServer } from 'node:net';
import { expect } from 'chai';
import { type Egress, EgressError, openConnection } from '../../../core/egress/connect.ts';
import { parseCidr } from '../../../core/config/cidr.ts';
import { parseWebhookUrl } from '../../../core/webhooks/url-policy.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { call, lookedUp, notFound } from '../../support/context/webhook-call.ts';

const SIGNAL = new AbortController().signal;

/** The outcome of a connection attempt; an open connection is closed. */
async function dial(egress: Partial<Egress>, url: string, signal = SIGNAL): Promise<string> {
  const never = () => Promise.reject(new Error('nothing should be looked up'));
  const full = { resolve: never, allowedCidrs: [], ...egress };
  try {
    const socket = await openConnection(full, new URL(url), signal);
    const { remoteAddress } = socket;
    socket.destroy();
    return `connected to ${remoteAddress ?? 'nobody'}`;
  } catch (error) {
    if (error instanceof EgressError) return error.outcome;
    throw error;
  }
}

const resolving =
  (...addresses: string[]): Egress['resolve'] =>
  async () =>
    addresses.map(lookedUp);
const allowing = (...networks: string[]) => networks.map(parseCidr);

describe('egress connections', () => {
  let port: number;
  const servers: Server[] = [];
  const reached: string[] = [];
  const open = new Set<Socket>();

  /** Two hosts on one port: an allowed one and its neighbor. */
  before(async () => {
    for (const address of ['127.0.0.1', '127.0.0.2']) {
      const server = createServer((socket) => {
        reached.push(address);
        open.add(socket);
        socket.on('error', () => undefined).on('close', () => open.delete(socket));
        socket.resume();
      });
      server.listen(servers.length === 0 ? 0 : port, address);
      await once(server, 'listening');
      servers.push(server);
      port = (server.address() as AddressInfo).port;
    }
  });
  after(() => {
    for (const server of servers) server.close();
  });
  beforeEach(() => {
    reached.length = 0;
  });

  describe('for an address in the URL', () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '0X7F.0.0.0x1',
      '017700000001',
      '0177.0.0.1',
      '127.0.0.1.',
      '１２７.０.０.１',
      '127。0。0。1',
      '①②⑦.0.0.1',
      '%31%32%37.0.0.1',
      '0.0.0.0',
      '0',
      '10.1.2.3',
      '169.254.169.254',
      '168.63.129.16',
      '100.100.100.200',
      '192.0.0.192',
      '[::]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b:1::127.0.0.1]',
      '[2002:7f00:1::]',
      '[fd00:ec2::254]',
      '[fe80::1]',
    ]) {
      it(`blocks ${host}, also at registration`, async () => {
        for (const scheme of ['http', 'https']) {
          const url = `${scheme}://${host}:8080/`;
          expect(await dial({}, url)).to.equal('blocked_address');
          const strict = { allowHttp: true, allowedCidrs: [] };
          expect(() => parseWebhookUrl(strict, url)).to.throw('host');
        }
        expect(reached).to.deep.equal([]);
      });
    }

    it('rejects zones', () => {
      for (const host of ['[fe80::1%25eth0]', '[fe80::1%eth0]', '[::1%25lo]']) {
        expect(URL.canParse(`https://${host}/`), host).to.equal(false);
      }
    });

    it('allows the networks of the operator', async () => {
      const allowedCidrs = allowing('127.0.0.1/32');
      const urls = ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]'];
      for (const host of urls) {
        expect(await dial({ allowedCidrs }, `http://${host}:${port}/`)).to.match(/^connected to/);
      }
      expect(await dial({ allowedCidrs }, `http://127.0.0.2:${port}/`)).to.equal('blocked_address');
    });
  });

  describe('for a name', () => {
    const url = () => `http://hooks.test:${port}/`;

    it('blocks a name with private addresses only', async () => {
      for (const addresses of [
        ['127.0.0.1'],
        ['10.0.0.1', '192.168.1.1'],
        ['::1'],
        ['::ffff:127.0.0.1'],
        ['0.0.0.0'],
        ['fe80::1%lo'],
        ['169.254.169.254', 'fd00:ec2::254'],
      ]) {
        const outcome = await dial({ resolve: resolving(...addresses) }, url());
        expect(outcome, addresses.join()).to.equal('blocked_address');
      }
      expect(reached).to.deep.equal([]);
    });

    it('uses only the allowed addresses of a mixed result', async () => {
      const allowedCidrs = allowing('127.0.0.1/32');
      for (const addresses of [
        ['127.0.0.2', '127.0.0.1'],
        ['127.0.0.1', '127.0.0.2'],
        ['127.0.0.2', '::1', '127.0.0.1', '127.0.0.2'],
      ]) {
        const outcome = await dial({ resolve: resolving(...addresses), allowedCidrs }, url());
        expect(outcome, addresses.join()).to.equal('connected to 127.0.0.1');
      }
      expect(new Set(reached)).to.deep.equal(new Set(['127.0.0.1']));
    });

    it('resolves a name once per connection, and checks the address it uses', async () => {
      const allowedCidrs = allowing('127.0.0.1/32');
      const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.1', '127.0.0.2'];
      let lookups = 0;
      const resolve = async () => [lookedUp(answers[lookups++]!)];
      const outcomes: string[] = [];
      while (lookups < answers.length) {
        outcomes.push(await dial({ resolve, allowedCidrs }, url()));
      }
      expect(outcomes).to.deep.equal([
        'connected to 127.0.0.1',
        'blocked_address',
        'connected to 127.0.0.1',
        'blocked_address',
      ]);
      expect(lookups).to.equal(answers.length);
      expect(new Set(reached)).to.deep.equal(new Set(['127.0.0.1']));
    });

    it('also blocks over TLS', async () => {
      const resolve = resolving('127.0.0.1');
      expect(await dial({ resolve }, `https://hooks.test:${port}/`)).to.equal('blocked_address');
      expect(reached).to.deep.equal([]);
    });

    it('rejects an invalid result', async () => {
      const odd = (answer: unknown) => ({ resolve: async () => answer as LookupAddress[] });
      const allowedCidrs = allowing('127.0.0.0/8');
      const outcomes: Record<string, string> = {};
      for (const [what, egress] of Object.entries({
        empty: odd([]),
        nothing: odd(null),
        'no addresses': odd([{ address: 'hooks.test', family: 4 }]),
        'short addresses': odd([{ address: '127.1', family: 4 }]),
        'another family': odd([{ address: '127.0.0.1', family: 6 }]),
        rejecting: { resolve: () => Promise.reject(notFound('hooks.test')) },
        throwing: {
          resolve: () => {
            throw new Error('oh');
          },
        },
      })) {
        outcomes[what] = await dial({ ...egress, allowedCidrs }, url());
      }
      expect(outcomes).to.deep.equal({
        empty: 'dns_error',
        nothing: 'dns_error',
        'no addresses': 'blocked_address',
        'short addresses': 'blocked_address',
        'another family': 'connected to 127.0.0.1',
        rejecting: 'dns_error',
        throwing: 'dns_error',
      });
    });

    it('treats "unix" like any other name', async () => {
      const { href } = new URL(`http://unix:${port}/run/docker.sock:/x`);
      const looked: string[] = [];
      const resolve = async (hostname: string) => {
        looked.push(hostname);
        return [lookedUp('10.0.0.1')];
      };
      expect(await dial({ resolve }, href)).to.equal('blocked_address');
      expect(looked).to.deep.equal(['unix']);
    });

    it('can be aborted at any point', async () => {
      const allowedCidrs = allowing('127.0.0.0/8');
      const now = AbortSignal.abort();
      const hanging = () => new Promise<never>(() => undefined);
      expect(await dial({ resolve: hanging }, url(), now)).to.equal('timeout');
      expect(await dial({ allowedCidrs }, `http://127.0.0.1:${port}/`, now)).to.equal('timeout');
      const soon = AbortSignal.timeout(50);
      expect(await dial({ resolve: hanging }, url(), soon)).to.equal('timeout');
      const handshake = AbortSignal.timeout(50);
      const secure = `https://127.0.0.1:${port}/`;
      expect(await dial({ allowedCidrs }, secure, handshake)).to.equal('timeout');
    });
  });

  describe('once connected', () => {
    const prototype = Socket.prototype as unknown as { _getpeername: () => { address?: string } };
    const { _getpeername } = prototype;
    const allowedCidrs = allowing('127.0.0.1/32');
    afterEach(() => {
      prototype._getpeername = _getpeername;
    });

    it('closes a connection to an address that is not allowed', async () => {
      prototype._getpeername = () => ({ address: '127.0.0.2' });
      const outcome = await dial({ allowedCidrs }, `http://127.0.0.1:${port}/`);
      expect(outcome).to.equal('blocked_address');
      await eventually('it to end', () => reached.length === 1 && open.size === 0);
    });

    it('reports a reset connection as failed, not as blocked', async () => {
      // The kernel no longer knows the peer.
      prototype._getpeername = () => ({});
      const outcome = await dial({ allowedCidrs }, `http://127.0.0.1:${port}/`);
      expect(outcome).to.equal('connection_failed');
      await eventually('it to end', () => reached.length === 1 && open.size === 0);
    });
  });

  it('reports addresses to the log only, not to the caller', async () => {
    const resolve = resolving('10.1.2.3', '192.168.7.8');
    const answer = await call('https://hooks.test/', {}, { resolve, allowedCidrs: [] });
    const { fault, durationMs, ...shown } = answer;
    expect(shown).to.deep.equal({
      outcome: 'blocked_address',
      statusCode: null,
      excerpt: null,
      retryAfterMs: null,
    });
    expect(durationMs).to.be.a('number');
    expect(fault).to.include('10.1.2.3').and.include('192.168.7.8');
  });
});
