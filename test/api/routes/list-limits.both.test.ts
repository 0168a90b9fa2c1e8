import { expect } from 'chai';
import { catchMail } from '../../support/context/catch.ts';
import { operations } from '../../support/contract/operations.ts';
import { service } from '../../support/service.ts';

const MOST = 100;

/** The operations that return up to a number of items, with the path of a request. */
const LISTS: Record<string, { path: string; parameter: string; items: string | null }> = {
  listMailboxes: { path: '/api/mailboxes', parameter: 'limit', items: null },
  searchMessages: { path: '/api/messages?q=words', parameter: 'limit', items: 'messages' },
  listMessages: { path: '/api/mailboxes/box/messages', parameter: 'limit', items: 'messages' },
  listCaughtRecipients: {
    path: '/api/mailboxes/box/recipients',
    parameter: 'limit',
    items: 'recipients',
  },
  listDeliveries: { path: 'deliveries', parameter: 'limit', items: 'deliveries' },
  waitInWorkspace: {
    path: '/api/messages/wait?timeout=0',
    parameter: 'count',
    items: 'messages',
  },
  waitForMessages: {
    path: '/api/mailboxes/box/messages/wait?timeout=0',
    parameter: 'count',
    items: 'messages',
  },
};

/** Each list has one item more than a response can have. */
describe('the limits of lists', () => {
  const test = service({ mailboxes: ['box'], once: true, env: { RATE_LIMIT_PRO: '0' } });
  let deliveries: string;

  before(async () => {
    const { api, context } = test;
    const names = Array.from({ length: MOST }, (_, n) => ({ name: `box${n}` }));
    await api.post('/api/mailboxes/batch').send({ mailboxes: names }).expect(201);
    const { body: hook } = await api
      .post('/api/mailboxes/box/webhooks')
      .send({ url: 'https://receiver.example/hook' })
      .expect(201);
    deliveries = `/api/mailboxes/box/webhooks/${hook.id}/deliveries`;
    const { body: box } = await api.get('/api/mailboxes/box').expect(200);
    const text = 'Subject: s\r\n\r\nsome words';
    for (let n = 0; n <= MOST; n += 1) {
      await catchMail(context, box.id, { caught: [`to${n}@else.test`] }, text);
    }
  });

  it('are those of all operations with a limit', () => {
    const limited = operations.filter(({ method, parameters }) => {
      const numbers = parameters.filter(({ name }) => name === 'limit' || name === 'count');
      expect(numbers.every(({ schema }) => schema.maximum === MOST)).to.equal(true);
      return method === 'GET' && numbers.length > 0;
    });
    expect(limited.map(({ id }) => id)).to.have.members(Object.keys(LISTS));
  });

  for (const [operation, { path, parameter, items }] of Object.entries(LISTS)) {
    it(`${operation} returns ${MOST}`, async () => {
      const whole = path === 'deliveries' ? deliveries : path;
      const query = `${whole.includes('?') ? '&' : '?'}${parameter}=${MOST}`;
      const { body } = await test.api.get(whole + query).expect(200);
      expect(items === null ? body : body[items]).to.have.length(MOST);
    });
  }

  it('claimMessages claims 100', async () => {
    const asked = { limit: MOST, timeout: 0 };
    const path = '/api/mailboxes/box/messages/claim';
    const { body } = await test.api.post(path).send(asked).expect(200);
    expect(body.claims).to.have.length(MOST);
  });

  it('createMailboxes creates 100, and refuses more', async () => {
    const post = (mailboxes: object[]) => test.api.post('/api/mailboxes/batch').send({ mailboxes });
    const wanted = Array.from({ length: MOST }, (_, n) => ({ name: `most${n}` }));
    await post([...wanted, {}]).expect(400);
    const { body } = await post(wanted).expect(201);
    expect(body.mailboxes).to.have.length(MOST);
  });
});
