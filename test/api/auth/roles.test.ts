import { expect } from 'chai';
import { service } from '../../support/service.ts';

/** The statuses of each role: access.test.ts and statuses.test.ts. */
describe('roles over HTTP', () => {
  const { api, token } = service();

  it('200 for reads of a reader, by GET and HEAD', async () => {
    const reader = await token('reader');
    await api.get('/api/mailboxes', reader).expect(200);
    await api.head('/api/mailboxes', reader).expect(200);
  });

  it('403 for changes of a reader, with the roles that may', async () => {
    const { body } = await api.post('/api/mailboxes', await token('reader')).expect(403);
    expect(body.error).to.equal(
      'The role "reader" does not allow changes. Use a token with the role "member" or "admin".',
    );
  });

  for (const role of ['reader', 'member'] as const) {
    it(`403 for token management by a ${role}, in any spelling of its path`, async () => {
      const value = await token(role);
      const refused = [
        api.get('/API/Tokens/', value),
        api.post('/api/tokens', value).send({ name: 'x', role }),
      ];
      for (const request of refused) {
        expect((await request.expect(403)).body.error).to.contain(`The role "${role}"`);
      }
    });
  }
});
