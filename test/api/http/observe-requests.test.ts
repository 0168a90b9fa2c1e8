import { Writable } from 'node:stream';
import { expect } from 'chai';
import winston from 'winston';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { attachmentMail } from '../../support/mail/attachment-mail.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

describe('the request log', () => {
  const test = service();
  let api: TestApi;
  let written: string[];

  const open = (level = 'info') => {
    written = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written.push(chunk.toString());
        done();
      },
    });
    const log = winston.createLogger({
      level,
      transports: [new winston.transports.Stream({ stream })],
    });
    api = openTestApi({ ...test, context: { ...test.context, log } });
  };
  const served = () =>
    written
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ message }) => message === 'request served');
  /** This many lines; a line follows its response. */
  const lines = (count: number) =>
    eventually(`${count} lines`, () => served().length >= count && served());

  it('has one line per request with its route, without names in the path', async () => {
    open();
    const { headers } = await api.post('/api/mailboxes').send({ name: 'private-name' }).expect(201);
    await api.get('/api/mailboxes/private-name/messages?limit=5').expect(200);
    const [created, listed, ...others] = await lines(2);
    expect(others).to.deep.equal([]);
    const { durationMs, ...facts } = created!;
    expect(durationMs).to.be.a('number').that.is.at.least(0);
    expect(facts).to.deep.equal({
      ...{ level: 'info', message: 'request served', subsystem: 'api' },
      ...{ method: 'POST', route: '/api/mailboxes', status: 201 },
      requestId: headers['x-request-id'],
      workspaceId: test.caller.workspace.id,
    });
    expect(listed).to.include({ method: 'GET', route: '/api/mailboxes/:name/messages' });
    expect(written.join('')).not.to.contain('private-name').and.not.to.contain('limit');
  });

  it('has no token, body, query or signed parameter, also for rejected requests', async () => {
    open();
    const { token } = test.workspace;
    await api.post('/api/mailboxes').send({ name: 'box' }).expect(201);
    const bytes = Buffer.alloc(1_048_577, 'x');
    const raw = attachmentMail([{ name: 'x.bin', bytes }]);
    await test.receive('box', raw);
    const { body } = await api.get('/api/mailboxes/box/messages').expect(200);
    const link = new URL(body.messages[0].attachments[0].signedUrl as string);
    await api.get(`${link.pathname}${link.search}`, null).expect(200);
    await api.get(`/api/mailboxes?token=${token}`).expect(400);
    await api.get(`/elsewhere/${token}?secret=hidden`, null).expect(404);
    const wrong = `mf_${'0'.repeat(43)}`;
    await api.get('/api/mailboxes', wrong).expect(401);
    await api.post('/api/mailboxes').send({ name: 'hidden!' }).expect(422);

    const all = await lines(7);
    expect(all.map(({ status }) => status)).to.deep.equal([201, 200, 200, 400, 404, 401, 422]);
    expect(all[2]).to.include({ route: '/attachments/:messageId/:attachmentId' });
    expect(all[4]).to.include({ path: '/elsewhere/mf_...' }).and.not.have.property('workspaceId');
    expect(all[5]).to.include({ path: '/api/mailboxes' }).and.not.have.property('workspaceId');
    const text = JSON.stringify(all);
    const secrets = [token, wrong, 'hidden', link.searchParams.get('signature')!];
    for (const secret of secrets) expect(text).not.to.contain(secret);
  });

  it('omits health checks', async () => {
    open();
    await api.get('/healthz', null).expect(200);
    await api.get('/readyz', null).expect(200);
    await api.get('/api/mailboxes').expect(200);
    const [only, ...others] = await lines(1);
    expect(only).to.include({ method: 'GET', route: '/api/mailboxes' });
    expect(others).to.deep.equal([]);
  });

  for (const [what, env, level] of [
    ['LOG_REQUESTS is false', { LOG_REQUESTS: 'false' }, 'info'],
    ['LOG_LEVEL is warn', {}, 'warn'],
  ] as const) {
    it(`has no line if ${what}`, async () => {
      await test.reopen(env);
      open(level);
      await api.get('/api/mailboxes').expect(200);
      await new Promise((resolve) => setImmediate(resolve));
      expect(served()).to.deep.equal([]);
    });
  }
});
