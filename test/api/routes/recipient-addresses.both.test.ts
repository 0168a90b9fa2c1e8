import { expect } from 'chai';
import { simpleParser } from 'mailparser';
import { addressFaults } from '../../../core/addresses.ts';
import { loneSurrogates, spell, spellings } from '../../support/mail/addresses.ts';
import { service } from '../../support/service.ts';

describe('recipient addresses of a send', () => {
  const test = service({ once: true, mailboxes: ['alice', 'bob'] });
  const { api } = test;

  const send = (to: string[]) =>
    api.post('/api/mailboxes/bob/messages').send({ to, subject: 'x', text: 'y' });

  for (const spelling of [...spellings, ...loneSurrogates]) {
    const { means, source } = spelling;
    const address = spell(spelling, 'one.test');
    if ('fault' in means) {
      it(`422: ${JSON.stringify(address)} by ${source}, with the reason`, async () => {
        const { status, body } = await send([address]);
        expect(status, JSON.stringify(body)).to.equal(422);
        expect(body.error).to.contain(`${JSON.stringify(address)} (${addressFaults[means.fault]})`);
        expect(body.details.recipients).to.deep.equal([address]);
      });
    } else {
      it(`201: ${JSON.stringify(address)} by ${source}`, async () => {
        const { status, body } = await send([address]);
        expect(status, JSON.stringify(body)).to.equal(201);
        const path = `/api/mailboxes/alice/messages/${body.messageId}`;
        const message = (await api.get(path).expect(200)).body;
        expect(message.tag ?? null).to.equal(means.tag);
        expect(message.to).to.deep.equal(body.deliveredTo);
        await send(body.deliveredTo).expect(201);
      });
    }
  }

  it('are quoted in the mail if necessary', async () => {
    const { body } = await send(['"Alice+a@b, c"@one.test', 'bob@one.test']).expect(201);
    expect(body.deliveredTo).to.deep.equal(['"alice+a@b, c"@one.test', 'bob@one.test']);
    const raw = await api.get(`/api/mailboxes/alice/messages/${body.messageId}/raw`).buffer();
    expect((await simpleParser(raw.text)).to).to.have.nested.property('value.length', 2);
    // The message id of the first recipient also resolves in the other mailbox.
    await api.get(`/api/mailboxes/bob/messages/${body.messageId}`).expect(200);
    await api.delete(`/api/mailboxes/alice/messages/${body.messageId}`).expect(204);
    await api.get(`/api/mailboxes/alice/messages/${body.messageId}`).expect(404);
  });

  it('422: report the fault beside addresses of unknown mailboxes', async () => {
    const { body } = await send(['none@one.test', 'alice@one.test.']).expect(422);
    expect(body.error).to.equal(
      'These addresses are not mailboxes of this workspace: "none@one.test", "alice@one.test." (the domain ends in a ' +
        'dot: leave the dot out). Nothing was sent.',
    );
  });
});
