import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { type Header, rawClient } from '../../support/clients/raw-http.ts';
import { service } from '../../support/service.ts';

describe('hostile requests', () => {
  const test = service({ once: true });
  const { api } = test;
  let client: ReturnType<typeof rawClient>;

  before(async () => {
    client = rawClient(Number(new URL((await test.listen()).url).port));
  });
  after(() => {
    client.close();
  });

  const send = (method: string, path: string, more: { token?: false; body?: string } = {}) => {
    const authorization: Header = ['Authorization', `Bearer ${test.workspace.token}`];
    const headers: Header[] = more.token === false ? [] : [authorization];
    if (more.body !== undefined) headers.push(['Content-Type', 'application/json']);
    return client.send({ method, path, headers, body: more.body ?? null, encoding: 'utf8' });
  };
  const jsonOf = (body: Buffer) => JSON.parse(body.toString()) as Record<string, unknown>;

  describe('by their path', () => {
    for (const [path, status] of [
      ['/api/../healthz', 404],
      ['/api/%2e%2e/healthz', 404],
      ['/api/mailboxes/%2e%2e/tokens', 404],
      ['/api/mailboxes/..%2f..%2fhealthz/messages', 404],
      ['//api/mailboxes', 404],
      ['/api//mailboxes', 404],
      ['/api/mailboxes;admin', 404],
      ['/api\\mailboxes', 404],
      ['/api/mailboxes%00', 404],
      ['/api/mailboxes/x%00y/messages', 404],
      ['/api/mailboxes/%0d%0aX-Injected:%20y/messages', 404],
      ['/api/mailboxes/%E0%A4%A/messages', 400],
      ['/api/mailboxes/__proto__/messages', 404],
      ['/api/mailboxes/constructor/messages', 404],
      ['http://elsewhere.test/nowhere', 404],
      ['/docs/%2e%2e/%2e%2e/package.json', 404],
      ['/docs/..%2f..%2fpackage.json', 404],
      ['/docs/..%5c..%5cpackage.json', 404],
      ['/docs//etc/passwd', 404],
      ['/docs/%00', 404],
      ['/attachments/..%2f..%2fetc%2fpasswd', 404],
      ['/.env', 404],
      ['*', 404],
    ] as const) {
      it(`get ${status} for GET ${path}`, async () => {
        const answer = await send('GET', path);
        expect(answer.status).to.equal(status);
        expect(jsonOf(answer.body)).to.include.keys('error', 'code', 'requestId');
        expect(answer.header('x-injected')).to.equal('');
      });
    }

    for (const path of [
      ...['/api/mailboxes', '/API/mailboxes', '/api/mailboxes/', '/Api/Tokens', '/api/%6dailboxes'],
      ...['http://elsewhere.test/api/mailboxes', '/api/./mailboxes', '/%61pi/mailboxes'],
    ]) {
      it(`find nothing without a token at ${path}`, async () => {
        const { status } = await send('GET', path, { token: false });
        expect(status).to.be.oneOf([401, 404]);
      });
    }
  });

  describe('by names of object properties', () => {
    for (const query of ['__proto__=1', 'constructor=1', '__proto__[x]=1', 'toString=1']) {
      it(`get 400 for the query ${query}`, async () => {
        expect((await send('GET', `/api/mailboxes?${query}`)).status).to.equal(400);
      });
    }

    for (const body of [
      '{"name":"proto-one","__proto__":{"isAdmin":true}}',
      '{"name":"proto-two","constructor":{"prototype":{"isAdmin":true}}}',
      '{"__proto__":null}',
      '{"name":{"__proto__":"x"}}',
    ]) {
      it(`get 400 for ${body}, and change no object`, async () => {
        expect((await send('POST', '/api/mailboxes', { body })).status).to.equal(400);
        expect({}).not.to.have.property('isAdmin');
      });
    }
  });

  describe('by their body', () => {
    for (const [what, body] of [
      ['nested a million times', `{"name":${'['.repeat(1_000_000)}`],
      ['a million empty lists', `{"to":[${'[],'.repeat(1_000_000)}[]],"subject":"x"}`],
      ['nested behind an escaped quote', `{"subject":"\\"","to":${'{"a":'.repeat(40)}1`],
    ] as const) {
      it(`get 400 for JSON that is ${what}, unparsed`, async () => {
        const answer = await send('POST', '/api/mailboxes/any/messages', { body });
        expect(answer.status).to.equal(400);
        expect(jsonOf(answer.body).error).to.contain('more than 10000 values');
      });
    }

    it('may have brackets and commas in strings', async () => {
      await api.post('/api/mailboxes').send({ name: 'brackets' }).expect(201);
      const mail = {
        to: ['brackets@one.test'],
        subject: '[[{{,"\\',
        text: '[{,"\\'.repeat(20_000),
      };
      await api.post('/api/mailboxes/brackets/messages').send(mail).expect(201);
    });

    for (const charset of ['utf-7', 'latin1']) {
      it(`get 415 for a body in ${charset}`, async () => {
        const answer = await api
          .post('/api/mailboxes')
          .set('Content-Type', `application/json; charset=${charset}`)
          .send('{"name":"charset"}')
          .expect(415);
        expect(answer.body.code).to.equal('unsupported_media_type');
      });
    }

    it('get 413 for a body that exceeds the limit when decompressed', async () => {
      const request = api.post('/api/mailboxes').set('Content-Encoding', 'gzip');
      request.set('Content-Type', 'application/json');
      request.write(gzipSync(Buffer.alloc(10_000_000, ' ')));
      expect((await request).status).to.equal(413);
    });
  });

  describe('by their method', () => {
    it('get 405 for PROPFIND', async () => {
      const answer = await send('PROPFIND', '/api/mailboxes');
      expect(answer.status).to.equal(405);
      expect(answer.header('allow').split(', ')).to.have.members(['GET', 'HEAD', 'POST', 'DELETE']);
    });

    it('are defined by the request line, whatever other headers say', async () => {
      await api.post('/api/mailboxes').send({ name: 'override' }).expect(201);
      await api
        .get('/api/mailboxes/override/messages?limit=1')
        .set('X-HTTP-Method-Override', 'DELETE')
        .set('X-HTTP-Method', 'DELETE')
        .expect(200);
      expect((await send('GET', '/api/mailboxes?_method=DELETE')).status).to.equal(400);
    });

    it('return with HEAD what GET returns, without a body', async () => {
      const [get, head] = [
        await send('GET', '/api/mailboxes'),
        await send('HEAD', '/api/mailboxes'),
      ];
      expect(head.status).to.equal(200);
      expect(head.body).to.have.length(0);
      expect(head.header('content-length')).to.equal(get.header('content-length'));
    });
  });

  it('get security headers with every kind of response', async () => {
    const missing = await send('GET', '/api/mailboxes/nobody/messages');
    const answers = [
      await send('GET', '/healthz', { token: false }),
      await send('GET', '/docs/', { token: false }),
      await send('GET', '/docs', { token: false }),
      await send('GET', '/openapi.json', { token: false }),
      await send('OPTIONS', '/openapi.json', { token: false }),
      await send('GET', '/api/mailboxes', { token: false }),
      await send('GET', '/api/mailboxes'),
      await send('HEAD', '/api/mailboxes'),
      await send('POST', '/api/mailboxes', { body: '{' }),
      await send('POST', '/api/mailboxes', { body: '{"name":"_"}' }),
      await send('POST', '/api/mailboxes', { body: ' '.repeat(200_000) }),
      await send('PATCH', '/api/mailboxes'),
      missing,
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([
      ...[200, 200, 308, 200, 200, 401, 200, 200, 400, 422, 413, 405, 404],
    ]);
    for (const { header } of answers) {
      expect(header('x-content-type-options')).to.equal('nosniff');
      expect(header('content-security-policy')).to.contain("default-src 'self'");
      expect(header('x-frame-options')).to.equal('SAMEORIGIN');
      expect(header('referrer-policy')).to.equal('no-referrer');
      expect(header('x-request-id')).to.match(/^req_/);
      expect(header('x-powered-by')).to.equal('');
    }
  });
});
