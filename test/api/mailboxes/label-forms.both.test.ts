import { expect } from 'chai';
import { createToken } from '../../../core/auth/tokens.ts';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import { service } from '../../support/service.ts';

/** Values of labels, and the same in other normal forms of Unicode. */
const FORMS: [stored: string, asked: string[]][] = [
  ['M\u00fcller', ['Mu\u0308ller']],
  ['Mu\u0308ller', ['M\u00fcller']],
  [
    'Tie\u0302\u0323n Mu\u0308ller \u00fc',
    ['Ti\u1ec7n M\u00fcller u\u0308', 'Tie\u0323\u0302n M\u00fcller \u00fc'],
  ],
  ['\ud55c\uad6d', ['\u1112\u1161\u11ab\u1100\u116e\u11a8']],
  ['\uff26\uff29\uff32\uff33\uff34', ['FIRST']],
];

describe('a label in another normal form', () => {
  const test = service();
  const { api } = test;

  const boxes = async (labels: Record<string, string>) =>
    createMailboxes(test.context, test.caller, [
      { name: 'box', labels },
      { name: 'other', labels: { team: 'Muller' } },
    ]);
  const query = (value: string) => encodeURIComponent(`team:${value}`);

  for (const [stored, forms] of FORMS) {
    for (const asked of [stored, ...forms]) {
      it(`${escape(asked)} is found as ${escape(stored)}`, async () => {
        await boxes({ team: stored });
        const { body: list } = await api.get(`/api/mailboxes?label=${query(asked)}`).expect(200);
        expect((list as { name: string }[]).map(({ name }) => name)).to.deep.equal(['box']);
        await test.receive('box', 'Subject: x\r\n\r\nHello');
        const q = encodeURIComponent(`label:"team:${asked}"`);
        const { body: found } = await api.get(`/api/messages?q=${q}`).expect(200);
        expect((found as { messages: unknown[] }).messages, q).to.have.length(1);
        const { value } = await createToken(test.context, test.caller, {
          ...{ name: 'narrow', role: 'member' as const, mailboxes: [`team:${asked}`] },
        });
        await api.get('/api/mailboxes/box/messages', value).expect(200);
        await api.get('/api/mailboxes/other/messages', value).expect(404);
        await api
          .post('/api/mailboxes', value)
          .send({ labels: { team: asked } })
          .expect(201);
        const { body } = await api.delete(`/api/mailboxes?label=${query(asked)}`).expect(200);
        expect(body).to.deep.equal({ deleted: 2 });
      });
    }
  }

  it('is shown as it was sent, and differs by case', async () => {
    await boxes({ team: 'Mu\u0308ller' });
    const { body } = await api.get('/api/mailboxes/box').expect(200);
    expect(body.labels).to.deep.equal({ team: 'Mu\u0308ller' });
    const { body: list } = await api
      .get(`/api/mailboxes?label=${query('m\u00fcller')}`)
      .expect(200);
    expect(list).to.deep.equal([]);
  });

  it('is found in a row of an earlier version, as it was sent', async () => {
    await boxes({ team: 'x' });
    const sent = 'Mu\u0308ller';
    await test.context.store.query((db) =>
      db.update(db.t.mailboxLabels).set({ value: sent }).returning(),
    );
    const { body } = await api.delete(`/api/mailboxes?label=${query('M\u00fcller')}`).expect(200);
    expect(body).to.deep.equal({ deleted: 2 });
  });
});

function escape(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
  );
}
