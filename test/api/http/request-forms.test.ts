/** Forms of requests that clients, proxies and shells send, over connections of their own. */
import { expect } from 'chai';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createApp } from '../../../api/app.ts';
import { installMessageClasses } from '../../../api/http/express-prototypes.ts';
import { createHttpServer } from '../../../api/http/server.ts';
import { ROOT } from '../../../core/root.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

describe('the HTTP server', () => {
  const test = service({ once: true, mailboxes: ['box'], env: { RATE_LIMIT_PRO: '0' } });
  const { api } = test;
  let server: Server;
  let port: number;

  before(async () => {
    const app = createApp(test.context);
    const classes = installMessageClasses(app);
    server = createHttpServer(app, classes, test.context.log, test.config.http);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Sends a request, and closes the sending side at once. */
  const open = (line: string, body = '', fields: string[] = []) => {
    const socket = connect(port, '127.0.0.1');
    const lines = [
      line,
      'Host: mayfly.example',
      `Authorization: Bearer ${test.workspace.token}`,
      'Accept: application/json, text/event-stream',
      ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
      ...fields,
    ];
    let answer = '';
    socket.on('data', (part: Buffer) => (answer += part.toString()));
    socket.on('error', () => undefined);
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
    const closed = once(socket, 'close');
    return { socket, text: () => answer, closed };
  };
  const exchange = async (...request: Parameters<typeof open>) => {
    const { text, closed } = open(...request);
    await closed;
    return text();
  };

  describe('reads a target in absolute form', () => {
    for (const [line, status, body = ''] of [
      ['GET http://127.0.0.1:3000/api/mailboxes/box HTTP/1.1', 200],
      ['GET http://any.host/api/mailboxes/box/messages?limit=1&view=summary HTTP/1.1', 200],
      ['GET http://any.host/api/mailboxes?limit=x HTTP/1.1', 400],
      ['POST http://any.host/api/mailboxes HTTP/1.1', 201, '{"name":"made"}'],
      ['DELETE http://any.host/api/mailboxes/made HTTP/1.1', 204],
      ['GET http://any.host/healthz HTTP/1.1', 200],
      ['GET HTTP://ANY.HOST/readyz HTTP/1.1', 200],
      ['GET https://user@any.host:8443/healthz HTTP/1.0', 200],
      ['HEAD http://[::1]:3000/api/mailboxes/box/events HTTP/1.1', 200],
      ['GET http://any.host HTTP/1.1', 200],
      ['GET http://any.host?a=/b HTTP/1.1', 200],
      ['GET http://any.host/docs/ HTTP/1.1', 200],
      ['GET http://any.host/api/nowhere HTTP/1.1', 404],
      ['GET ftp://any.host/healthz HTTP/1.1', 404],
      ['POST http://any.host/mcp HTTP/1.1', 200, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    ] as const) {
      it(`${status}: ${line}`, async () => {
        expect(await exchange(line, body)).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      });
    }
  });

  describe('answers a client that has closed its sending side', () => {
    for (const [line, status, body = ''] of [
      ['GET /healthz HTTP/1.0', 200],
      ['GET /healthz HTTP/1.1', 200],
      ['GET / HTTP/1.1', 200],
      ['GET /api/mailboxes HTTP/1.1', 200],
      ['GET /api/mailboxes/box/messages?q=word HTTP/1.1', 200],
      ['GET /api/mailboxes/box/messages/wait?timeout=0 HTTP/1.1', 200],
      ['POST /api/mailboxes HTTP/1.1', 201, '{"name":"made"}'],
      ['POST /api/mailboxes/box/messages HTTP/1.1', 201, '{"to":["box@one.test"],"subject":"a"}'],
      ['DELETE /api/mailboxes/made HTTP/1.1', 204],
      ['POST /mcp HTTP/1.1', 200, '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ] as const) {
      it(`${status}: ${line}`, async () => {
        expect(await exchange(line, body)).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      });
    }

    it('200: a wait that matches later', async () => {
      const wait = open('GET /api/mailboxes/box/messages/wait?timeout=20&subject=late HTTP/1.1');
      await eventually('the wait', async () => (await openWaits()) === 1);
      await test.receive('box', { subject: 'late' });
      await wait.closed;
      expect(wait.text())
        .to.match(/^HTTP\/1.1 200 /)
        .and.include('"subject":"late"');
    });

    it('503: a claim, which claims nothing', async () => {
      await test.mailbox('claimed');
      await test.receive('claimed');
      const answer = await exchange('POST /api/mailboxes/claimed/messages/claim HTTP/1.1', '{}');
      expect(answer)
        .to.match(/^HTTP\/1.1 503 /)
        .and.include('Nothing was claimed');
      expect(await test.messages('claimed', '?claimed=false')).to.have.length(1);
    });

    it('sends it events', async () => {
      const stream = open('GET /api/mailboxes/box/events HTTP/1.1');
      await eventually('the stream', () => stream.text().includes('event: ready'));
      await test.receive('box');
      await eventually('the event', () => stream.text().includes('event: message.received'));
      stream.socket.destroy();
    });
  });

  for (const path of ['/api/events', '/api/mailboxes/box/events']) {
    it(`ends the stream of a client that has closed the connection: ${path}`, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${test.workspace.token}\r\n\r\n`,
      );
      let text = '';
      socket.on('data', (part: Buffer) => (text += part.toString()));
      const count = async () =>
        (await test.context.metrics.http.eventStreams.get()).values[0]?.value;
      await eventually(
        'the stream',
        async () => text.includes('event: ready') && (await count()) === 1,
      );
      socket.destroy();
      await eventually('its end', async () => (await count()) === 0);
    });
  }

  it('listens to a response without a warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const id = await test.receive('box', { subject: 'large', text: 'x'.repeat(2 * 1024 * 1024) });
    const call = { name: 'wait_for_message', arguments: { mailbox: 'box', timeout: 0 } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    await exchange('POST /mcp HTTP/1.1', JSON.stringify(body));
    const raw = await exchange(`GET /api/mailboxes/box/messages/${id}/raw HTTP/1.1`);
    expect(raw.length).to.be.above(2 * 1024 * 1024);
    process.off('warning', note);
    expect(warnings).to.deep.equal([]);
  });

  const openWaits = async () => {
    const { values } = await test.context.metrics.http.waits.get();
    return values[0]?.value ?? 0;
  };

  describe('rejects a condition or range of a file', () => {
    const files = readdirSync(join(ROOT, 'dist/dashboard/assets'));
    const assets = ['.js', '.css'].map((end) => files.find((name) => name.endsWith(end)) ?? end);
    for (const path of [
      '/',
      ...assets.map((name) => `/assets/${name}`),
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
    ]) {
      for (const range of ['bytes=999999999-', 'bytes=-0', 'bytes=5-1,999999999-']) {
        it(`416: ${path}, ${range}`, async () => {
          const { body, headers } = await api.get(path, null).set('Range', range).expect(416);
          expect(body).to.include({ code: 'range_not_satisfiable' });
          expect(headers['content-range']).to.match(/^bytes \*\/\d+$/);
          expect(headers['content-type']).to.match(/^application\/json/);
          expect(headers).not.to.have.property('etag');
          expect(headers['cache-control']).to.equal('no-store');
        });
      }
      for (const [name, value] of [
        ['If-Match', '"x"'],
        ['If-Unmodified-Since', 'Sat, 01 Jan 2000 00:00:00 GMT'],
      ] as const) {
        it(`412: ${path}, ${name}`, async () => {
          const { body } = await api.get(path, null).set(name, value).expect(412);
          expect(body).to.include({ code: 'precondition_failed' });
        });
      }
      it(`206: ${path}`, async () => {
        await api.get(path, null).set('Range', 'bytes=0-9').expect(206);
      });
    }
  });

  describe('400: a body that is not UTF-8', () => {
    const bytes = (text: string) => Buffer.from(text, 'latin1');
    const send = '/api/mailboxes/box/messages';
    const mail = (rest: string) => `{"to":["box@one.test"],"subject":${rest}}`;
    const utf8 = 'application/json; charset=utf-8';
    for (const [what, path, body, type = 'application/json', method = 'post'] of [
      ['labels', '/api/mailboxes', '{"labels":{"team":"M\xfcnchen"}}'],
      ['changed labels', '/api/mailboxes/box', '{"labels":{"team":"\xfc"}}', undefined, 'patch'],
      ['a subject', send, mail('"\x80"')],
      ['a text', send, mail('"","text":"caf\xe9"')],
      ['a sender of CP1252', send, mail('"","from":"\x93Ann\x94"')],
      ['a URL', '/api/mailboxes/box/webhooks', '{"url":"http://127.0.0.1/\xfc"}'],
      ['half of a surrogate pair', '/api/mailboxes', '{"clientId":"\xed\xa0\x80"}'],
      ['an overlong form', '/api/mailboxes', '{"clientId":"\xc0\xaf"}'],
      ['a cut character', '/api/mailboxes', '{"clientId":"\xc3"}'],
      ['UTF-16', '/api/mailboxes', '\xff\xfe{\0}\0'],
      ['a stated charset', '/api/mailboxes', '{"clientId":"\xfc"}', utf8],
      ['a call of a tool', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"\xfc"}'],
    ] satisfies [string, string, string, string?, ('post' | 'patch')?][]) {
      it(what, async () => {
        const request = api[method](path)
          .set('Content-Type', type)
          .set('Accept', 'application/json, text/event-stream');
        // A string is sent as it is, other bodies would be converted to JSON.
        request.serialize((sent: unknown) => sent as string);
        const { body: answer } = await request.send(bytes(body) as unknown as object).expect(400);
        expect(JSON.stringify(answer)).to.include('not valid UTF-8');
      });
    }

    it('compressed', async () => {
      const answer = await api
        .post('/api/mailboxes')
        .set('Content-Type', 'application/json')
        .set('Content-Encoding', 'gzip')
        .serialize((sent: unknown) => sent as string)
        .send(gzipSync(bytes('{"clientId":"\xfc"}')) as unknown as object)
        .expect(400);
      expect(answer.body).to.include({ code: 'invalid_json' });
    });

    it('201: UTF-8 beyond the basic plane', async () => {
      const labels = { team: 'München 𝄞' };
      const { body } = await api.post('/api/mailboxes').send({ labels }).expect(201);
      expect(body.labels).to.deep.equal(labels);
    });
  });
});
