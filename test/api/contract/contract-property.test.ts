/**
 * Generated requests against the responses in openapi.yaml. A failure prints the smallest failing
 * request and the seed. CONTRACT_SEED and CONTRACT_RUNS change the search, CONTRACT_TABLE prints
 * the statuses reached.
 */
import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import fc, { type Arbitrary } from 'fast-check';
import { faultsOf } from '../../support/contract/judge.ts';
import { type Operation, isStream, operations, route } from '../../support/contract/operations.ts';
import { requestsAnywhere, requestsFor } from '../../support/contract/requests.ts';
import { isLongForm } from '../../support/mocha/long-form.ts';
import { type World, openWorld } from '../../support/contract/world.ts';
import { type RawRequest, rawClient } from '../../support/clients/raw-http.ts';
import { service } from '../../support/service.ts';

const FIXED_SEED = 20_260_731;
const SEED = Number(process.env.CONTRACT_SEED ?? (isLongForm ? randomInt(2 ** 31) : FIXED_SEED));
/** Streams do not end; the tests of live events cover them. */
const answering = operations.filter((operation) => !isStream(operation));
/** Per operation, and for arbitrary paths. */
const RUNS = Number(process.env.CONTRACT_RUNS ?? (isLongForm ? 200 : 10));

describe('the contract under generated requests', function () {
  this.timeout(Math.max(120_000, RUNS * 500));
  const test = service({
    once: true,
    env: {
      RATE_LIMIT_PRO: '0',
      RATE_LIMIT_FREE: '0',
      RATE_LIMIT_AUTH_FAILURES: '0',
      PLAN_PRO_MAILBOXES: '1000000',
      WEBHOOKS_PER_MAILBOX: '0',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
    },
  });
  let world: World;
  let client: ReturnType<typeof rawClient>;
  /** Requests by operation (if any) and status. */
  const reached = new Map<string, Map<number, number>>();

  before(async () => {
    world = await openWorld(test);
    if (SEED !== FIXED_SEED) console.log(`CONTRACT_SEED=${SEED}`);
    client = rawClient(Number(new URL((await test.listen()).url).port));
  });
  after(() => {
    client.close();
  });

  const ask = async (generated: RawRequest) => {
    const request = world.fill(generated);
    const answer = await client.send(request);
    note(request, answer.status);
    if (answer.status < 300 && !['GET', 'HEAD'].includes(request.method)) await world.renew();
    const faults = faultsOf(request, answer);
    if (faults.length > 0) {
      const shown = { ...request, body: request.body?.slice(0, 500) };
      throw new Error(
        `${faults.join('; ')}\n  asked: ${JSON.stringify(shown)}\n` +
          `  answer: ${answer.status} ${answer.body.toString().slice(0, 500)}`,
      );
    }
  };

  const note = ({ method, path }: RawRequest, status: number) => {
    const id = route(method, path).operation?.id ?? '(none)';
    const counts = reached.get(id) ?? new Map<number, number>();
    reached.set(id, counts.set(status, (counts.get(status) ?? 0) + 1));
  };

  const holdsFor = (requests: Arbitrary<RawRequest>, seed = SEED) =>
    fc.assert(fc.asyncProperty(requests, ask), { seed, numRuns: RUNS, endOnFailure: false });
  /** What the generated requests of an operation have not reached. */
  const missing = ({ id, needsToken, body }: Operation) => {
    const statuses = [...(reached.get(id)?.keys() ?? [])];
    const wanted = [...(needsToken ? [401] : []), ...(body ? [400, 415] : [])];
    return [
      ...(statuses.some((status) => status < 300) ? [] : ['success']),
      ...wanted.filter((status) => !statuses.includes(status)),
    ];
  };

  for (const operation of answering) {
    it(`holds for ${operation.id}`, () => holdsFor(requestsFor(operation)));
  }

  it('holds for any path', () => holdsFor(requestsAnywhere));

  it('reached all operations, with successes and errors', async () => {
    for (const operation of answering) {
      for (let more = 1; more <= 9 && missing(operation).length > 0; more += 1) {
        await holdsFor(requestsFor(operation), SEED + more);
      }
    }
    const table = [...reached].map(([id, counts]) => ({ id, ...Object.fromEntries(counts) }));
    if (process.env.CONTRACT_TABLE) console.table(table);
    const total = [...reached.values()].flatMap((counts) => [...counts.values()]);
    expect(total.reduce((sum, count) => sum + count, 0)).to.be.at.least(RUNS * answering.length);
    for (const operation of answering) expect(missing(operation), operation.id).to.deep.equal([]);
  });
});
