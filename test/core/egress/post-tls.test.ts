/** Webhook calls over TLS: verification of certificates and errors. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { TlsOptions, TLSSocket } from 'node:tls';
import { expect } from 'chai';
import type { Calls } from '../../support/context/call-process.ts';
import type { WebhookResponse } from '../../../core/egress/post.ts';
import { type Certificates, makeCertificates } from '../../support/servers/certificates.ts';
import {
  type RawServer,
  openRawServer,
  saying,
  wholeRequest,
} from '../../support/servers/raw-server.ts';
import { call, localEgress } from '../../support/context/webhook-call.ts';

const CALL_PROCESS = new URL('../../support/context/call-process.ts', import.meta.url);
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('a webhook call over TLS', () => {
  let certificates: Certificates;
  let servers: RawServer[];

  before(async () => {
    certificates = await makeCertificates();
  });
  after(() => certificates.remove());
  beforeEach(() => {
    servers = [];
  });
  afterEach(async () => {
    for (const server of servers) await server.close();
  });

  const open = async (tls: TlsOptions | undefined, serve = saying(OK)) => {
    const server = await openRawServer(serve, tls);
    servers.push(server);
    return server.port;
  };
  const egress = localEgress({ 'hooks.test': ['127.0.0.1'] });

  /** The results of calls in a process with a separate environment. */
  const callIn = async (env: NodeJS.ProcessEnv, calls: Calls): Promise<WebhookResponse[]> => {
    const child = fork(CALL_PROCESS, { env });
    child.send(calls);
    const [answers] = (await once(child, 'message')) as [WebhookResponse[]];
    await once(child, 'exit');
    return answers;
  };
  /** The results in a process that trusts the test CA. */
  const trusting = (urls: string[], httpsPort?: number) =>
    callIn({ NODE_EXTRA_CA_CERTS: certificates.caFile }, { urls, httpsPort });

  it('trusts additional authorities of the operator, with host name and validity checked', async () => {
    const good = await open(certificates.good);
    const [byName, byAddress, expired, wrongName, wrongAddress, selfSigned] = await trusting([
      `https://hooks.test:${good}/`,
      `https://127.0.0.1:${good}/`,
      `https://hooks.test:${await open(certificates.expired)}/`,
      `https://hooks.test:${await open(certificates.wrongName)}/`,
      `https://127.0.0.1:${await open(certificates.wrongName)}/`,
      `https://hooks.test:${await open(certificates.selfSigned)}/`,
    ]);
    expect(byName).to.include({ outcome: 'delivered', statusCode: 200, excerpt: 'ok' });
    expect(byAddress).to.include({ outcome: 'delivered', statusCode: 200 });
    for (const [answer, fault] of [
      [expired, 'expired'],
      [wrongName, 'does not match'],
      [wrongAddress, 'does not match'],
      [selfSigned, 'self-signed'],
    ] as const) {
      expect(answer).to.include({ outcome: 'tls_error', statusCode: null, excerpt: null });
      expect(answer?.fault).to.include(fault);
    }
    for (const server of servers) await server.idle();
  });

  for (const kind of ['good', 'selfSigned'] as const) {
    it(`does not trust a certificate without a known issuer (${kind})`, async () => {
      let asked = false;
      const port = await open(certificates[kind], (socket) => {
        socket.once('data', () => (asked = true));
      });
      const answer = await call(`https://hooks.test:${port}/`, {}, egress);
      expect(answer).to.include({ outcome: 'tls_error', statusCode: null });
      for (const server of servers) await server.idle();
      expect(asked).to.equal(false);
    });
  }

  it('verifies certificates even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    const port = await open(certificates.selfSigned);
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };
    const [answer] = await callIn(env, { urls: [`https://hooks.test:${port}/`] });
    expect(answer).to.include({ outcome: 'tls_error' });
  });

  it('sends the host name as SNI and uses HTTP/1.1', async () => {
    const seen: object[] = [];
    const port = await open(
      { ...certificates.good, ALPNProtocols: ['h2', 'http/1.1'] },
      (socket) => {
        const { servername, alpnProtocol } = socket as TLSSocket;
        void wholeRequest(socket).then(({ head }) => {
          seen.push({ servername, alpnProtocol, host: /^host: (.*)$/im.exec(head)?.[1] });
          socket.end(OK);
        });
      },
    );
    const urls = [`https://hooks.test:${port}/`, `https://127.0.0.1:${port}/`];
    await trusting([...urls, 'https://hooks.test/'], port);
    expect(seen).to.have.deep.members([
      { servername: 'hooks.test', alpnProtocol: 'http/1.1', host: `hooks.test:${port}` },
      { servername: 'hooks.test', alpnProtocol: 'http/1.1', host: 'hooks.test' },
      { servername: false, alpnProtocol: 'http/1.1', host: `127.0.0.1:${port}` },
    ]);
  });

  it('rejects versions before TLS 1.2', async () => {
    const old = { ciphers: 'DEFAULT@SECLEVEL=0', minVersion: 'TLSv1', maxVersion: 'TLSv1.1' };
    const port = await open({ ...certificates.good, ...(old as TlsOptions) });
    expect(await call(`https://hooks.test:${port}/`, {}, egress)).to.include({
      outcome: 'tls_error',
    });
  });

  it('fails if the server uses plain HTTP', async () => {
    for (const greeting of ['', 'HTTP/1.1 400 Bad Request\r\n\r\n', '220 smtp\r\n']) {
      const port = await open(undefined, (socket) => {
        if (greeting) socket.write(greeting);
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
      });
      const answer = await call(`https://hooks.test:${port}/`, {}, egress);
      expect(answer, greeting).to.include({ outcome: 'tls_error', statusCode: null });
    }
    for (const server of servers) await server.idle();
  });

  it('fails if the connection ends during the handshake', async () => {
    for (const end of ['destroy', 'end', 'resetAndDestroy'] as const) {
      const port = await open(undefined, (socket) => {
        socket.once('data', () => socket[end]());
      });
      const answer = await call(`https://hooks.test:${port}/`, {}, egress);
      expect(answer, end).to.include({ outcome: 'tls_error', statusCode: null });
    }
  });

  it('fails if invalid TLS follows the handshake', async () => {
    const port = await open(certificates.good, (socket) => {
      // Below TLS: an unencrypted record.
      socket.once('data', () =>
        servers[0]?.sockets[0]?.write('\x17\x03\x03\0\x20'.padEnd(37, 'x')),
      );
    });
    const [answer] = await trusting([`https://hooks.test:${port}/`]);
    expect(answer).to.include({ outcome: 'tls_error', statusCode: null });
  });

  it('is limited in time if the handshake hangs', async () => {
    const port = await open(undefined, (socket) => socket.resume());
    const answer = await call(`https://hooks.test:${port}/`, { timeoutMs: 150 }, egress);
    expect(answer).to.include({ outcome: 'timeout', statusCode: null });
    for (const server of servers) await server.idle();
  });
});
