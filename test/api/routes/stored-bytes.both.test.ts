import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Test } from 'supertest';
import { attachmentContent } from '../../../db/statements/attachments.ts';
import { service } from '../../support/service.ts';

const BOX = '/api/mailboxes/box/messages';
const MINUTE = 60_000;

describe('bytes that a workspace stores a minute', () => {
  const test = service({
    mailboxes: ['box'],
    env: { STORED_BYTES_PER_MINUTE: '1000000' },
  });
  const { api, receive } = test;

  const isRefused = async (request: Test) => {
    const { status, headers, body } = await request;
    const { code, error } = body as { code: string; error: string };
    expect([status, code]).to.deep.equal([429, 'rate_limited']);
    expect(error).to.contain('STORED_BYTES_PER_MINUTE');
    expect(Number(headers['retry-after'])).to.be.within(1, 60);
    return error;
  };
  const send = (bytes: number, to = 'box@one.test') =>
    api.post(BOX).send({ to: [to], subject: 'x', text: 'x'.repeat(bytes) });
  const upload = (bytes: number) =>
    api
      .post(`${BOX}/raw`)
      .type('message/rfc822')
      .send(`From: a@b.test\r\n\r\n${'x'.repeat(bytes)}`);
  const answer = (id: string, request: object) => api.post(`${BOX}/${id}/reply`).send(request);
  const forward = (id: string) => answer(id, { kind: 'forward', to: ['box@one.test'] });
  const withFile = (bytes: number) => {
    const file = randomBytes(bytes).toString('base64').replace(/.{76}/g, '$&\r\n');
    return [
      'From: box@one.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhi\r\n',
      '--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n',
      `Content-Disposition: attachment; filename=x\r\n\r\n${file}\r\n--b--\r\n`,
    ].join('');
  };
  const nextMinute = () => {
    test.advance(MINUTE - (test.context.now() % MINUTE));
  };

  it('429: a forward, a reply, a send and an upload above the limit; 201 a minute later', async () => {
    const id = await receive('box', withFile(200_000));
    nextMinute();
    await forward(id).expect(201);
    const { length } = await test.messages('box');
    await isRefused(forward(id));
    await isRefused(answer(id, { kind: 'reply', text: 'x'.repeat(300_000) }));
    await isRefused(send(300_000));
    await isRefused(upload(300_000));
    expect(await test.messages('box')).to.have.length(length);
    await send(1000).expect(201); // what is refused does not count
    nextMinute();
    await forward(id).expect(201);
  });

  it('429: a mail that is larger than the limit alone, with what helps', async () => {
    nextMinute();
    expect(await isRefused(upload(600_000))).to.contain('Send a smaller mail');
    await upload(400_000).expect(201);
  });

  it('429 and 201: a forward reads its attachments in its turn, and none above the limit', async () => {
    const steps: string[] = [];
    const { store, ingest } = test.context;
    const { query } = store;
    const { inTurn } = ingest.reading;
    const seenQuery: typeof query = (statement, ...args) => {
      if (Object.is(statement, attachmentContent)) steps.push('read');
      return query(statement, ...args);
    };
    const seenTurn: typeof inTurn = (reader, work) => {
      steps.push('waits');
      return inTurn(reader, (run) => {
        steps.push('turn');
        return work(run);
      });
    };
    Object.assign(store, { query: seenQuery });
    Object.assign(ingest.reading, { inTurn: seenTurn });
    ingest.parsePool.run = async (task, input) => task.run(input); // without a child
    const id = await receive('box', withFile(600_000));
    nextMinute();
    expect(await isRefused(forward(id))).to.contain('ask the operator');
    expect(steps.splice(0)).to.deep.equal([]);
    Object.assign(test.context.rateLimits, { countStoredBytes: () => Promise.resolve(null) });
    await forward(id).expect(201);
    expect(steps).to.deep.equal(['waits', 'turn', 'read']);
  });

  it('201: a repeat that stores nothing and a request that fails do not count', async () => {
    nextMinute();
    for (let n = 0; n < 4; n += 1) {
      await send(40_000).set('Idempotency-Key', 'once').expect(201);
      await send(40_000, 'nobody@one.test').expect(422);
    }
    await send(45_000).expect(201);
    await upload(400_000).expect(201);
    await isRefused(upload(20_000));
  });

  it('201: without a limit on a private instance', async () => {
    await test.reopen({ BIND_HOST: '127.0.0.1', STORED_BYTES_PER_MINUTE: '' });
    expect(test.config.rateLimits.storedBytes).to.equal(0);
    await upload(600_000).expect(201);
  });
});
