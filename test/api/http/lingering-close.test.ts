import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createApp } from '../../../api/app.ts';
import { installMessageClasses } from '../../../api/http/express-prototypes.ts';
import { createHttpServer } from '../../../api/http/server.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { speak, statusesIn } from '../../support/clients/speak.ts';
import { service } from '../../support/service.ts';

const JSON_BODY = 'Content-Type: application/json\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const MEGABYTE = 2 ** 20;

describe('API: bodies that are not read', () => {
  const test = service({ once: true, env: { HTTP_MAX_RECEIVING_BYTES: '50000000' } });
  let server: Server;
  let port: number;
  let served = 0;

  before(async () => {
    const app = createApp(test.context);
    const serve: RequestListener = (req, res) => {
      served += 1;
      app(req, res);
    };
    const classes = installMessageClasses(app);
    server = createHttpServer(serve, classes, test.context.log, test.config.http);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
  });

  const head = (headers: string, { path = '/api/mailboxes', token = test.workspace.token } = {}) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n`;
  /** A client that keeps sending after the last response. */
  const open = (bytes: string) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const seen = { socket, answer: '', closed: new Promise((end) => socket.once('close', end)) };
    socket.on('error', () => undefined);
    socket.on('data', (part: Buffer) => (seen.answer += part.toString('latin1')));
    socket.write(bytes);
    return seen;
  };
  /** Sends chunks while the connection is open; the result is in bytes. */
  const flood = async (socket: Socket) => {
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    let sent = 0;
    while (!socket.destroyed && sent < 64 * MEGABYTE) {
      sent += chunk.length;
      await new Promise((resolve) => socket.write(chunk, resolve));
    }
    return sent;
  };

  for (const [what, headers] of [
    ['a length above the limit', 'Content-Length: 9999999\r\n'],
    ['the same from a client that waits', 'Content-Length: 9999999\r\nExpect: 100-continue\r\n'],
    ['a packed length above it', 'Content-Length: 9999999\r\nContent-Encoding: gzip\r\n'],
  ] as const) {
    it(`responds with 413 to ${what} before it arrives`, async () => {
      const answer = await speak(port, head(JSON_BODY + headers));
      expect(statusesIn(answer)).to.deep.equal([413]);
      expect(answer)
        .to.match(/^connection: close/im)
        .and.to.contain('"payload_too_large"');
    });
  }

  it('responds with 413 to a body just above the limit that is sent completely', async () => {
    const body = ' '.repeat(200_000);
    const answer = await speak(port, `${head(`${JSON_BODY}Content-Length: 200000\r\n`)}${body}`);
    expect(statusesIn(answer)).to.deep.equal([413]);
  });

  for (const [what, status, line, headers, options] of [
    ['beyond the limit', 413, 'POST', JSON_BODY, {}],
    ['of a stranger', 401, 'POST', JSON_BODY, { token: 'no' }],
    ['of another type', 415, 'POST', 'Content-Type: text/plain\r\n', {}],
    ['for what does not exist', 404, 'POST', 'Content-Type: text/plain\r\n', { path: '/no' }],
    ['of a GET', 200, 'GET', JSON_BODY, {}],
  ] as const) {
    it(`ends an endless body ${what} soon, with status ${status}`, async () => {
      const seen = open(head(headers + CHUNKED, options).replace('POST', line));
      const sent = await flood(seen.socket);
      expect(statusesIn(seen.answer)).to.deep.equal([status]);

      expect(sent).to.be.below(16 * MEGABYTE); // most of it only in kernel buffers
    });
  }

  it('responds with 413 to one chunk too many, even if nothing follows', async () => {
    const chunk = `20000\r\n${' '.repeat(0x20000)}\r\n`;
    const answer = await speak(port, head(JSON_BODY + CHUNKED) + chunk);
    expect(statusesIn(answer)).to.deep.equal([413]);
  });

  it('responds with 413 to a body that decompresses beyond the limit, even if more could follow', async () => {
    const bomb = gzipSync(Buffer.alloc(MEGABYTE, ' ')).toString('latin1');
    const headers = `${JSON_BODY}Content-Encoding: gzip\r\n${CHUNKED}`;
    const chunk = `${bomb.length.toString(16)}\r\n${bomb}\r\n`;
    expect(statusesIn(await speak(port, head(headers) + chunk))).to.deep.equal([413]);
  });

  it('ignores requests behind a body that it does not read', async () => {
    const rest = `0\r\n\r\n${head(`${JSON_BODY}Content-Length: 2\r\n`)}{}`;
    const before = served;
    const seen = open(head(CHUNKED, { token: 'mf_live_no' }));
    await eventually('an answer', () => seen.answer !== '');
    seen.socket.end(rest);
    await seen.closed;
    expect(statusesIn(seen.answer)).to.deep.equal([401]);
    expect(served - before).to.equal(1);
  });

  it('keeps the connection of a client whose rejected body came with its header', async () => {
    const refused = `${head(`${JSON_BODY}Content-Length: 2\r\n`, { token: 'mf_live_no' })}{}`;
    const last = head(`${JSON_BODY}Content-Length: 2\r\nConnection: close\r\n`);
    expect(statusesIn(await speak(port, `${refused}${last}{}`))).to.deep.equal([401, 201]);
  });

  it('returns the budget of a rejected body', async () => {
    const path = '/api/mailboxes/box/messages';
    const seen = open(head(JSON_BODY + CHUNKED, { path }));
    const other = async () => {
      const expecting = `${JSON_BODY}${CHUNKED}Expect: 100-continue\r\nConnection: close\r\n`;
      return statusesIn(await speak(port, `${head(expecting, { path })}2\r\n{}\r\n0\r\n\r\n`));
    };
    const lines: { level: string; status?: number; error?: unknown }[] = [];
    const note = (line: (typeof lines)[number]) => lines.push(line);
    test.context.log.on('data', note);
    await eventually('a body to be refused for room', async () => (await other())[0] === 503);
    test.context.log.off('data', note);
    const refusal = lines.find(({ status }) => status === 503);
    expect(refusal).to.include({ level: 'warn' }).and.not.to.have.property('error');
    await flood(seen.socket);
    expect(statusesIn(seen.answer)).to.deep.equal([413]);
    expect(await other()).to.deep.equal([100, 400]);
  });
});
