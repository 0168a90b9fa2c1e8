import { expect } from 'chai';
import supertest from 'supertest';
import { service } from '../../support/service.ts';

const LIST = '/compat/mailpit/api/v1/messages';

describe('access to the interfaces of other tools', () => {
  const test = service({ mailboxes: ['box'] });
  const ask = (method: 'get' | 'delete' | 'put', user: string, token: string) =>
    supertest(test.api.app)[method](LIST).auth(user, token);

  it('401 with a challenge, without credentials, with another scheme or a wrong token', async () => {
    const app = supertest(test.api.app);
    for (const request of [
      app.get(LIST).set('Host', 'mayfly.example'),
      app.get(LIST).auth(test.workspace.token, { type: 'bearer' }),
      ask('get', 'box', `mf_${'x'.repeat(43)}`),
    ]) {
      const { headers, body } = await request.expect(401);
      expect(headers['www-authenticate']).to.match(/^Basic realm=/);
      expect(body).to.include({ code: 'unauthorized' });
    }
  });

  it('404 for an unknown mailbox, and for one of another workspace', async () => {
    await ask('get', 'unknown', test.workspace.token).expect(404);
    await ask('get', 'box', await test.stranger()).expect(404);
    await ask('get', 'box', await test.token('member', ['other'])).expect(404);
  });

  it('403 for the deletion by a reader', async () => {
    const reader = await test.token('reader');
    await ask('get', 'box', reader).expect(200);
    await ask('put', 'box', reader).send({}).expect(200);
    await ask('delete', 'box', reader).expect(403);
  });

  it('403 for a change by a page of another origin', async () => {
    const deletion = () => ask('delete', 'box', test.workspace.token);
    await deletion().set('Origin', 'https://evil.example').expect(403);
    await deletion().set('Sec-Fetch-Site', 'cross-site').expect(403);
    await deletion().set('Sec-Fetch-Site', 'same-origin').expect(200);
  });

  it('429 counts against the workspace', async () => {
    await test.reopen({ RATE_LIMIT_PRO: '2' });
    await ask('get', 'box', test.workspace.token).expect(200);
    await ask('get', 'box', test.workspace.token).expect(429);
  });
});
