import type { Express } from 'express';
import { expect } from 'chai';
import supertest from 'supertest';
import { createApp } from '../../../api/app.ts';
import { openTestContext } from '../../support/context/context.ts';
import { service } from '../../support/service.ts';

const PASSWORD = 'pass: wörd 1';
const PAGE = '/admin/queues';

describe('the operator', () => {
  const test = service({
    once: true,
    env: {
      OPERATOR_PASSWORD: PASSWORD,
      RATE_LIMIT_AUTH_FAILURES: '3',
      TRUST_PROXY: '1',
      PUBLIC_URL: 'https://mayfly.example',
    },
  });
  let app: Express;

  before(async () => {
    app = createApp(test.context);
    // All requests of a test belong to one minute.
    test.advance(60_000 - (test.context.now() % 60_000));
  });

  let addresses = 0;
  /** A request from an unused address. */
  const from = (address = `192.0.2.${(addresses += 1)}`) => ({
    get: (path = PAGE) => supertest(app).get(path).set('X-Forwarded-For', address),
    put: (path: string) =>
      supertest(app).put(path).set('X-Forwarded-For', address).auth('operator', PASSWORD),
  });

  it('200: with user and password, for GET and HEAD', async () => {
    await from().get().auth('operator', PASSWORD).expect(200).expect('Content-Type', /html/);
    const head = await supertest(app).head(PAGE).auth('operator', PASSWORD).expect(200);
    expect(head.text).to.equal(undefined);
  });

  for (const [what, header] of Object.entries({
    'no credentials': null,
    'another password': basic('operator', `${PASSWORD}x`),
    'the beginning of the password': basic('operator', PASSWORD.slice(0, -1)),
    'an empty password': basic('operator', ''),
    'another user': basic('admin', PASSWORD),
    'invalid base64': 'Basic ***',
    'a token': `Bearer mf_${'x'.repeat(43)}`,
  })) {
    it(`401: ${what}`, async () => {
      for (const path of ['', '/', '/api/queues', '/static/favicon-32x32.png', '/nowhere']) {
        const request = from().get(`${PAGE}${path}`);
        if (header) request.set('Authorization', header);
        const answer = await request.expect(401);
        expect(answer.headers['www-authenticate']).to.equal('Basic realm="Mayfly"');
        expect(answer.body).to.include({ code: 'unauthorized' });
      }
    });
  }

  it('429: an address that keeps guessing, also for the right password', async () => {
    const guesser = from();
    const guess = () => guesser.get().auth('operator', 'wrong');
    for (let n = 0; n < 3; n += 1) await guess().expect(401);
    const refused = await guess().expect(429);
    expect(refused.body).to.include({ code: 'rate_limited' });
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
    await guesser.get().auth('operator', PASSWORD).expect(429);
    await guesser.get().expect(401);
    await from().get().auth('operator', 'wrong').expect(401);
  });

  it('compares no more guesses at once than the limit', async () => {
    const guesser = from();
    const guesses = Array.from({ length: 20 }, () => guesser.get().auth('operator', 'wrong'));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).to.have.length(3);
    expect(statuses.filter((status) => status === 429)).to.have.length(17);
  });

  it('200: the right password, however often; its requests leave all guesses', async () => {
    const operator = from();
    for (let n = 0; n < 8; n += 1) await operator.get().auth('operator', PASSWORD).expect(200);
    for (let n = 0; n < 3; n += 1) await operator.get().auth('operator', 'wrong').expect(401);
    await operator.get().auth('operator', 'wrong').expect(429);
  });

  it('200: the right password from an address that sent invalid tokens', async () => {
    const address = '198.51.100.1';
    const send = () =>
      supertest(app)
        .get('/api/mailboxes')
        .set('X-Forwarded-For', address)
        .auth(`mf_${'x'.repeat(43)}`, { type: 'bearer' });
    for (let n = 0; n < 3; n += 1) await send().expect(401);
    await send().expect(429);
    await from(address).get().auth('operator', PASSWORD).expect(200);
  });

  describe('changes something', () => {
    const JOB = `${PAGE}/api/queues/ingest-message/none/retry`;
    const asIf = (headers: Record<string, string>) => from().put(JOB).set(headers);

    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://mayfly.example' },
      { Origin: 'https://elsewhere.example' },
      { Origin: 'http://mayfly.example:8080' },
      { Origin: 'https://mayfly.example.elsewhere.example' },
      { Origin: 'null' },
      { Origin: '' },
    ]) {
      it(`403: from another site, ${JSON.stringify(headers)}`, async () => {
        const answer = await asIf(headers as Record<string, string>).expect(403);
        expect(answer.body).to.include({ code: 'forbidden' });
        expect(answer.body.error).to.contain('Cross-origin');
      });
    }

    for (const headers of [
      {},
      { 'Sec-Fetch-Site': 'same-origin' },
      { Origin: 'https://mayfly.example' },
      { Origin: 'http://10.0.0.1:3000', Host: '10.0.0.1:3000' },
    ]) {
      it(`404, because the job does not exist: from own pages or no browser, ${JSON.stringify(headers)}`, () =>
        asIf(headers as Record<string, string>).expect(404));
    }
  });
});

describe('without a password in production', () => {
  it('404: there are no operator pages', async () => {
    const test = await openTestContext({ NODE_ENV: 'production' });
    const app = createApp(test.context);
    for (const path of [PAGE, `${PAGE}/api/queues`, `${PAGE}/static/favicon-32x32.png`]) {
      const answer = await supertest(app).get(path).auth('operator', '').expect(404);
      expect(answer.body).to.include({ code: 'not_found' });
      expect(answer.headers).not.to.have.property('www-authenticate');
    }
    await test.close();
  });
});

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
