/**
 * What every operation refuses, derived from openapi.yaml: each refusal is documented, has the form
 * of an error, and changes nothing. With access.test.ts, where the same requests succeed.
 */
import { expect } from 'chai';
import { createToken, revokeToken, verifyToken } from '../../../core/auth/tokens.ts';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import { type RawAnswer, rawClient } from '../../support/clients/raw-http.ts';
import { makePlace, requestFor } from '../../support/contract/access.ts';
import { faultsOf } from '../../support/contract/judge.ts';
import { operations, route } from '../../support/contract/operations.ts';
import { type Ground, OWN_REASONS, refusalsOf } from '../../support/contract/refusals.ts';
import { service } from '../../support/service.ts';

const DERIVED = [400, 401, 403, 404, 413, 415, 429];
const CODES: Record<number, string> = {
  ...{ 400: 'invalid_request', 401: 'unauthorized', 403: 'forbidden', 404: 'not_found' },
  ...{ 405: 'method_not_allowed', 413: 'payload_too_large', 415: 'unsupported_media_type' },
  429: 'rate_limited',
};
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'];

describe('refused requests', () => {
  const test = service({
    once: true,
    env: { RATE_LIMIT_PRO: '0', RATE_LIMIT_AUTH_FAILURES: '0', RATE_LIMIT_FREE: '1' },
  });
  let client: ReturnType<typeof rawClient>;
  let ground: Ground;
  let unchanged: unknown;

  before(async () => {
    const { context, caller, token, stranger } = test;
    client = rawClient(Number(new URL((await test.listen()).url).port));
    const place = await makePlace(test, 'place', 'run:in');
    const other = await makePlace(test, 'other', 'run:out');
    const mint = (wanted: object) =>
      createToken(context, caller, { name: 'token', role: 'admin', ...wanted });
    const [victim, revoked] = [await mint({}), await mint({})];
    await revokeToken(context, caller, revoked.row.id);
    const expired = await mint({ expiresIn: 1 });
    test.advance(1000);
    ground = {
      ...{ place, other, tokenId: victim.row.id },
      tokens: {
        ...{ admin: test.workspace.token, revoked: revoked.value, expired: expired.value },
        ...{ member: await token('member'), reader: await token('reader') },
        narrow: (await mint({ mailboxes: [other.name] })).value,
        stranger: await stranger(),
        namesake: await namesake(),
        limited: await stranger('free'),
      },
    };
    unchanged = await state();
  });
  after(() => {
    client.close();
  });
  const namesake = async () => {
    const value = await test.stranger();
    const caller = await verifyToken(test.context, value);
    await createMailboxes(test.context, caller!, [{ name: 'place' }]);
    return value;
  };
  /** All rows, and the directory of the SMTP process. */
  const state = async () => {
    const { db } = test.context.store;
    const rows = Object.entries(db.t).map(async ([name, table]) => {
      const all = await db.select().from(table);
      const texts = all.map((row) => JSON.stringify({ ...row, lastUsedAt: null }));
      return [name, texts.sort()] as const;
    });
    const { redis } = test.context;
    const keys = (await redis.keys('{mayfly}:directory:*')).sort();
    return [await Promise.all(rows), await Promise.all(keys.map((key) => redis.dumpBuffer(key)))];
  };

  for (const path of new Set(operations.map((operation) => operation.path))) {
    const own = operations.filter((operation) => operation.path === path);

    describe(path, () => {
      // After all of a path: a look reads each table.
      after('nothing has changed', async () => {
        expect(await state()).to.deep.equal(unchanged);
      });

      for (const operation of own) {
        for (const { status, why, requests } of refusalsOf(operation)) {
          it(`${operation.method} ${status}: ${why}`, async () => {
            if (status === 429) await useUp();
            const asked = requests(ground);
            expect(asked).not.to.be.empty;
            for (const request of asked) {
              const answer = await client.send(request);
              const shown = `${JSON.stringify(request).slice(0, 500)}: ${String(answer.body)}`;
              expect(answer.status, shown).to.equal(status);
              expect(faultsOf(request, answer), shown).to.deep.equal([]);
              expect(codeOf(answer), shown).to.equal(
                why.includes('JSON') ? 'invalid_json' : CODES[status],
              );
              if (status === 401)
                expect(answer.header('www-authenticate')).to.match(
                  /^Bearer(?: error="invalid_token")?$/,
                );
            }
          });
        }
      }

      const allowed = METHODS.filter((method) => route(method, path).operation);
      if (allowed.includes('GET')) allowed.push('HEAD');
      it(`405: ${METHODS.filter((one) => !allowed.includes(one)).join(', ')}`, async () => {
        const { tokens, tokenId } = ground;
        const valid = requestFor(own[0]!, ground.place, { token: tokens.admin, tokenId });
        for (const method of METHODS.filter((one) => !allowed.includes(one))) {
          const request = { ...valid, method, body: null };
          const answer = await client.send(request);
          expect(answer.status, method).to.equal(405);
          const shown = answer.header('allow').split(', ');
          expect(shown, method).to.have.members(allowed);
          expect(faultsOf(request, answer), method).to.deep.equal([]);
          expect(codeOf(answer), method).to.equal(CODES[405]);
        }
      });
    });
  }

  const useUp = async () => {
    const { limited } = ground.tokens;
    while ((await test.api.get('/api/mailboxes', limited)).status !== 429);
  };

  it('have each of these statuses that an operation documents', () => {
    const documented = operations.flatMap(({ id, replies }) =>
      DERIVED.filter((status) => replies.has(status)).map((status) => `${id} ${status}`),
    );
    const tested = operations.flatMap((operation) =>
      refusalsOf(operation).map(({ status }) => `${operation.id} ${status}`),
    );
    expect([...new Set([...tested, ...OWN_REASONS])]).to.have.members(documented);
  });
});

function codeOf({ body }: RawAnswer): unknown {
  return (JSON.parse(String(body)) as { code: string }).code;
}
