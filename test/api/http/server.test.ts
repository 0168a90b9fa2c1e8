import { expect } from 'chai';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { createApp } from '../../../api/app.ts';
import { installMessageClasses } from '../../../api/http/express-prototypes.ts';
import { type HttpLimits, createHttpServer } from '../../../api/http/server.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { speak, statusesIn } from '../../support/clients/speak.ts';
import { service } from '../../support/service.ts';

const SECURITY = [
  'X-Content-Type-Options: nosniff',
  'Content-Security-Policy: ',
  'X-Request-Id: ',
  'Mayfly-Version: ',
];

describe('the HTTP server', () => {
  const test = service({ once: true });
  let server: Server;
  let port: number;
  let bearer: string;

  const start = async (limits: Partial<HttpLimits> = {}, keepAliveTimeout = 65_000) => {
    const { app, log } = { app: createApp(test.context), log: test.context.log };
    server = createHttpServer(
      app,
      installMessageClasses(app),
      log,
      { ...test.config.http, ...limits },
      {
        timeout: 120_000,
        keepAliveTimeout,
        connectionsCheckingInterval: 50,
        maxHeaderSize: 16_384,
      },
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const request = (line: string, headers: string, rest = '') =>
    speak(port, `${line}\r\nHost: x\r\n${bearer}${headers}\r\n${rest}`);

  before(() => {
    bearer = `Authorization: Bearer ${test.workspace.token}\r\n`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  describe('rejects, with the common error format and security headers,', () => {
    beforeEach(() => start());
    const POST = 'POST /api/mailboxes HTTP/1.1';
    const GET = 'GET /api/mailboxes HTTP/1.1';
    const HIDDEN = `0\r\n\r\n${GET}\r\nHost: x\r\n\r\n`;

    for (const [what, status, line, headers, rest] of [
      [
        'two lengths of a body',
        400,
        POST,
        'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
        HIDDEN,
      ],
      ['two Content-Length', 400, POST, 'Content-Length: 2\r\nContent-Length: 3\r\n', '{} '],
      ['a list of lengths', 400, POST, 'Content-Length: 2, 2\r\n', '{}'],
      ['a signed length', 400, POST, 'Content-Length: +2\r\n', '{}'],
      ['an unknown coding', 400, POST, 'Transfer-Encoding: xchunked\r\n', HIDDEN],
      ['a coding after chunked', 400, POST, 'Transfer-Encoding: chunked, identity\r\n', HIDDEN],
      ['a space before the colon', 400, POST, 'Transfer-Encoding : chunked\r\n', HIDDEN],
      ['a folded header', 400, POST, 'Transfer-Encoding:\r\n chunked\r\n', HIDDEN],
      ['a bare LF in the header', 400, GET, 'X-A: b\nX-B: c\r\n', ''],
      ['a bare CR in the header', 400, GET, 'X-A: b\rX-B: c\r\n', ''],
      ['NUL in the header', 400, GET, 'X-A: \0\r\n', ''],
      ['a bare LF in a chunk', 400, POST, 'Transfer-Encoding: chunked\r\n', '2\n{}\r\n0\r\n\r\n'],
      ['a negative chunk', 400, POST, 'Transfer-Encoding: chunked\r\n', '-2\r\n{}\r\n0\r\n\r\n'],
      [
        'chunk extensions of 20 KB',
        413,
        POST,
        'Transfer-Encoding: chunked\r\n',
        `2;${'x'.repeat(20_000)}\r\n`,
      ],
      ['a header of 20 KB', 431, GET, `X-A: ${'x'.repeat(20_000)}\r\n`, ''],
      ['a second Host', 400, GET, 'Host: y\r\nConnection: close\r\n', ''],
      ['CONNECT', 405, 'CONNECT x:80 HTTP/1.1', '', ''],
      ['a method that does not exist', 400, 'MAKE /api/mailboxes HTTP/1.1', '', ''],
      ['a path with NUL', 400, 'GET /api/mailboxes\0 HTTP/1.1', '', ''],
      ['HTTP/2 without being asked', 400, 'PRI * HTTP/2.0', '', ''],
    ] as const) {
      it(what, async () => {
        const json = headers.includes('Transfer') ? 'Content-Type: application/json\r\n' : '';
        const answer = await request(line, json + headers, rest);
        expect(statusesIn(answer), 'one response, then the end').to.deep.equal([status]);
        for (const header of SECURITY) expect(answer).to.contain(`\r\n${header}`);
        const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as object;
        expect(body).to.have.all.keys('error', 'code', 'requestId');
      });
    }

    it('an HTTP/1.1 request without Host', async () => {
      const answer = await speak(port, `${GET}\r\n${bearer}Connection: close\r\n\r\n`);
      expect(statusesIn(answer)).to.deep.equal([400]);
      expect(answer).to.contain('"invalid_request"');
    });
  });

  for (const [what, rest, status] of [
    ['garbage', 'GARBAGE\r\n\r\n', 400],
    ['a request to a proxy', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['half a header', 'GET /healthz HTTP/1.1\r\nX-A', 408],
  ] as const) {
    it(`responds to a request before it rejects ${what} behind it`, async () => {
      await start({ headersTimeoutMs: 300 });
      const json = 'Content-Type: application/json\r\nContent-Length: 2\r\n';
      const answer = await request('POST /api/mailboxes HTTP/1.1', json, `{}${rest}`);
      expect(statusesIn(answer)).to.deep.equal([201, status]);
    });
  }

  it('refuses connections above its limit, and ends idle ones to make room', async () => {
    await start({ maxConnections: 3 });
    const open = async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const healthy = await open();
    healthy.write(
      `POST /api/mailboxes HTTP/1.1\r\nHost: x\r\n${bearer}Content-Type: application/json\r\n`,
    );
    const idle = [await open(), await open()];
    for (const socket of idle) {
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
    }
    const tooMany = await open();
    await once(tooMany.resume(), 'close');
    const next = await request('GET /api/mailboxes HTTP/1.1', 'Connection: close\r\n');
    expect(statusesIn(next)).to.deep.equal([200]);
    healthy.write('Content-Length: 2\r\nConnection: close\r\n\r\n{}');
    const [answer] = (await once(healthy, 'data')) as [Buffer];
    expect(statusesIn(answer.toString('latin1'))).to.deep.equal([201]);
    for (const socket of [healthy, ...idle]) socket.destroy();
  });

  it('sends 100 Continue only after authentication', async () => {
    await start();
    const expecting =
      'Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\n';
    const close = 'Connection: close\r\n';
    const line = 'POST /api/mailboxes HTTP/1.1';
    expect(statusesIn(await request(line, expecting + close, '{}'))).to.deep.equal([100, 201]);
    const unknown = await speak(port, `${line}\r\nHost: x\r\n${expecting}\r\n`);
    expect(statusesIn(unknown)).to.deep.equal([401]);
    const odd = await request(line, 'Expect: wonders\r\nContent-Length: 2\r\n');
    expect(statusesIn(odd)).to.deep.equal([417]);
    expect(odd).to.contain('"expectation_failed"');
  });

  it('responds with 408 to silence, an endless header and an endless body, and to others meanwhile', async () => {
    await start({ headersTimeoutMs: 300, requestTimeoutMs: 600 });
    const silent = speak(port, '');
    const inHeader = speak(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ');
    const inBody = request(
      'POST /api/mailboxes HTTP/1.1',
      'Content-Type: application/json\r\nContent-Length: 100\r\n',
      '{"name": ',
    );
    const quick = await request('GET /api/mailboxes HTTP/1.1', 'Connection: close\r\n');
    expect(statusesIn(quick)).to.deep.equal([200]);
    for (const answer of [await silent, await inHeader, await inBody]) {
      expect(statusesIn(answer)).to.deep.equal([408]);
      expect(answer).to.contain('"request_timeout"');
    }
  });

  it('ends idle connections, with and without an earlier request', async () => {
    await start({ headersTimeoutMs: 1_000 }, 300);
    let closed = 0;
    const sockets: Socket[] = [];
    for (let i = 0; i < 1_000; i += 1) {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket.resume().on('error', () => undefined));
      socket.once('close', () => (closed += 1));
      await once(socket, 'connect');
      if (i % 2 === 1) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    }
    const quick = await request('GET /api/mailboxes HTTP/1.1', 'Connection: close\r\n');
    expect(statusesIn(quick)).to.deep.equal([200]);
    await eventually('the end of all of them', () => closed === sockets.length);
  });
});
