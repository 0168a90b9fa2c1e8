import { expect } from 'chai';
import supertest from 'supertest';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';

describe('roles over HTTP', () => {
  let test: TestContext;
  let api: TestApi;
  let reader: string;
  let member: string;

  beforeEach(async () => {
    test = await openTestContext();
    api = openTestApi(test);
    const create = async (role: string) =>
      (await api.post('/api/tokens').send({ name: role, role }).expect(201)).body.token as string;
    [reader, member] = [await create('reader'), await create('member')];
  });
  afterEach(() => test.close());

  it('200 for reads of a reader, by GET and HEAD', async () => {
    await api.get('/api/mailboxes', reader).expect(200);
    await supertest(api.app).head('/api/mailboxes').auth(reader, { type: 'bearer' }).expect(200);
  });

  it('403 for changes of a reader, before the body is read', async () => {
    const refused = [
      api.post('/api/mailboxes', reader).set('Content-Type', 'application/json').send('{'),
      api.delete('/api/mailboxes/any', reader),
    ];
    for (const request of refused) {
      const answer = await request.expect(403);
      expect(answer.body).to.include({
        code: 'forbidden',
        error:
          'The role "reader" does not allow changes. Use a token with the role "member" or "admin".',
      });
    }
    expect((await api.get('/api/mailboxes').expect(200)).body).to.deep.equal([]);
  });

  it('201 and 204 for changes of mailboxes by a member', async () => {
    await api.post('/api/mailboxes', member).send({ name: 'box' }).expect(201);
    await api.delete('/api/mailboxes/box', member).expect(204);
  });

  it('403 for token management by any role except admin', async () => {
    const before = (await api.get('/api/tokens').expect(200)).body as { id: string }[];
    for (const [role, token] of [
      ['reader', reader],
      ['member', member],
    ] as const) {
      const refused = [
        api.get('/api/tokens', token),
        api.get('/API/Tokens/', token),
        api.post('/api/tokens', token).send({ name: 'x', role: 'admin' }),
        api.post('/api/tokens', token).send({ name: 'x', role }),
        api.delete(`/api/tokens/${before[0]!.id}`, token),
      ];
      for (const request of refused) {
        const answer = await request.expect(403);
        expect(answer.body).to.include({ code: 'forbidden' });
        expect(answer.body.error).to.contain(`The role "${role}"`);
      }
    }
    expect((await api.get('/api/tokens').expect(200)).body).to.have.length(before.length);
  });
});
