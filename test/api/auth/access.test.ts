/** Every operation of the contract with every role and scope, and the table in docs/access.md. */
import { expect } from 'chai';
import { createToken } from '../../../core/auth/tokens.ts';
import type { Role } from '../../../core/auth/roles.ts';
import { rawClient } from '../../support/clients/raw-http.ts';
import { type Place, makePlace, requestFor } from '../../support/contract/access.ts';
import { type Operation, isStream, operations } from '../../support/contract/operations.ts';
import { page } from '../../support/docs/pages.ts';
import { service } from '../../support/service.ts';

const ROLES: Role[] = ['reader', 'member', 'admin'];
const SCOPES = ['all', 'name', 'label'] as const;
type Scope = (typeof SCOPES)[number];

const INSIDE = 'run:in';
/** Operations that take the place away from later requests. */
const REMOVES = new Set(['DELETE', 'PATCH']);
const PLACES = 90;

describe('access of tokens', () => {
  const test = service({
    once: true,
    // contract-property.test.ts validates the responses.
    env: { RATE_LIMIT_PRO: '0', PLAN_PRO_MAILBOXES: '0', VALIDATE_RESPONSES: 'false' },
  });
  const { api } = test;
  let client: ReturnType<typeof rawClient>;
  let outside: Place;
  let places = 0;
  let inside: Place;
  const tokens = new Map<string, string>();

  const insideName = (n: number) => `within-${n}`;
  const nextPlace = async () => {
    inside = await makePlace(test, insideName(places), INSIDE);
    places += 1;
  };

  before(async () => {
    client = rawClient(Number(new URL((await test.listen()).url).port));
    outside = await makePlace(test, 'outside', 'run:out');
    await nextPlace();
    const mailboxesOf = {
      all: null,
      name: Array.from({ length: PLACES }, (_, n) => insideName(n)),
      label: [INSIDE],
    };
    for (const role of ROLES) {
      for (const scope of SCOPES) {
        const wanted = { name: 'scoped', role, mailboxes: mailboxesOf[scope] };
        const { value } = await createToken(test.context, test.caller, wanted);
        tokens.set(`${role} ${scope}`, value);
      }
    }
  });
  after(() => {
    client.close();
  });

  const victim = async () => {
    const wanted = { name: 'victim', role: 'reader' } as const;
    return (await createToken(test.context, test.caller, wanted)).row.id;
  };
  const ask = async (operation: Operation, place: Place, role: Role, scope: Scope) => {
    const token = tokens.get(`${role} ${scope}`) ?? '';
    const tokenId = operation.path.includes('/tokens/') ? await victim() : '';
    const request = requestFor(operation, place, { token, tokenId });
    // HEAD of an event stream ends at once.
    if (isStream(operation) && request.method === 'GET') request.method = 'HEAD';
    const { status, body } = await client.send(request);
    if (status < 300 && REMOVES.has(operation.method) && place === inside) await nextPlace();
    return { status, text: body.toString() };
  };

  /** The answer without what differs between two requests for mailboxes that do not exist. */
  const plain = (text: string, { name, messageId, webhookId, deliveryId, credentialId }: Place) =>
    [name, messageId, webhookId, deliveryId, credentialId]
      .reduce((rest, word) => rest.replaceAll(word, 'X'), text)
      .replace(/"requestId":"\w+"/, '');

  const nowhere = (): Place => ({ ...outside, name: 'nowhere', label: 'run:none' });
  const isInMailbox = ({ path }: Operation) => path.includes('{name}');

  /** `INSIDE / OUTSIDE`, or one status for an operation without a mailbox. */
  const narrow = async (operation: Operation, role: Role, scope: Scope): Promise<string> => {
    const within = await ask(operation, inside, role, scope);
    for (const secret of [outside.name, outside.messageId, outside.webhookId, 'run:out']) {
      expect(within.text, operation.id).to.not.contain(secret);
    }
    if (!isInMailbox(operation)) return `${within.status}`;
    const beyond = await ask(operation, outside, role, scope);
    const missing = await ask(operation, nowhere(), role, scope);
    expect(beyond.status, `${operation.id} ${role} ${scope}`).to.equal(missing.status);
    expect(plain(beyond.text, outside)).to.equal(plain(missing.text, nowhere()));
    return `${within.status} / ${beyond.status}`;
  };

  it('of each operation is as documented, and equal outside to that of nothing', async () => {
    const rows: string[][] = [];
    for (const operation of operations.filter(({ needsToken }) => needsToken)) {
      const row = [`\`${operation.id}\``];
      for (const role of ROLES) row.push(`${(await ask(operation, inside, role, 'all')).status}`);
      for (const role of ROLES) {
        const byLabel = await narrow(operation, role, 'label');
        const byName = await narrow(operation, role, 'name');
        row.push(byLabel === byName ? byLabel : `${byLabel}, by name ${byName}`);
      }
      rows.push(row);
    }
    const made = rows.map((row) => row.join(' | ')).join('\n');
    const shown = [...page('docs/access.md').text.matchAll(/^\| (`\w+` .*?) \|$/gm)]
      .map(([, cells = '']) =>
        cells
          .split('|')
          .map((cell) => cell.trim())
          .join(' | '),
      )
      .join('\n');
    expect(shown).to.equal(made);
    // What is outside is untouched.
    await api.get(`/api/mailboxes/outside/messages/${outside.messageId}`).expect(200);
    const path = `/api/mailboxes/outside/webhooks/${outside.webhookId}/deliveries`;
    await api.get(`${path}/${outside.deliveryId}`).expect(200);
    expect((await api.get('/api/mailboxes/outside/smtp-credentials')).body).to.have.length(1);
  });
});
