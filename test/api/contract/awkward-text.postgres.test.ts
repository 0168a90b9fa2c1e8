/**
 * Text that PostgreSQL or JSON cannot store, in every string input of every operation: responses
 * follow openapi.yaml, and none is a server error. Runs on both databases.
 */
import { expect } from 'chai';
import { awkwardRequests, awkwardTexts } from '../../support/contract/awkward-inputs.ts';
import { faultsOf } from '../../support/contract/judge.ts';
import { isStream, operations } from '../../support/contract/operations.ts';
import { type World, openWorld } from '../../support/contract/world.ts';
import { type RawRequest, rawClient } from '../../support/clients/raw-http.ts';
import { service } from '../../support/service.ts';

const UNLIMITED = {
  RATE_LIMIT_PRO: '0',
  RATE_LIMIT_AUTH_FAILURES: '0',
  PLAN_PRO_MAILBOXES: '0',
  WEBHOOKS_PER_MAILBOX: '0',
};

describe('awkward text in requests', () => {
  const test = service({ once: true, env: UNLIMITED });
  let world: World;
  let client: ReturnType<typeof rawClient>;

  before(async () => {
    world = await openWorld(test);
    client = rawClient(Number(new URL((await test.listen()).url).port));
  });
  after(() => {
    client.close();
  });

  const ask = async (generated: RawRequest) => {
    const request = world.fill(generated);
    const answer = await client.send(request);
    if (answer.status < 300 && request.method !== 'GET') await world.renew();
    return faultsOf(request, answer).map(
      (fault) => `${fault}: ${JSON.stringify(request)} ${answer.body.toString().slice(0, 500)}`,
    );
  };

  for (const operation of operations.filter((one) => !isStream(one))) {
    const requests = awkwardRequests(operation);
    if (requests.length === 0) continue;
    it(`is answered by ${operation.id} as documented`, async () => {
      const faults: string[] = [];
      for (const { title, request } of requests) {
        faults.push(...(await ask(request)).map((fault) => `${title}: ${fault}`));
      }
      expect(faults).to.deep.equal([]);
    });
  }
});

describe('awkward text that is stored', () => {
  const { api } = service({ once: true, mailboxes: ['alice', 'bob'] });

  /** As stored on each database: well-formed, and without U+0000. */
  const kept = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd');

  for (const { name, text } of awkwardTexts) {
    const awkward = `a${text}b`;

    it(`shows ${name} in a message identically on each database`, async () => {
      const line = text === '\0' ? 'a b' : awkward; // rejected where a single line is required
      const { body } = await api
        .post('/api/mailboxes/bob/messages')
        .send({
          to: ['alice@one.test'],
          subject: line,
          from: line,
          text: awkward,
          html: awkward,
          attachments: [{ filename: line, contentType: 'text/plain', data: 'YQ==' }],
        })
        .expect(201);
      const message = (await api.get(`/api/mailboxes/alice/messages/${body.messageId}`)).body;
      expect(message).to.include({
        subject: kept(line),
        fromName: kept(line),
        text: kept(awkward),
        html: kept(awkward),
      });
      expect(message.attachments[0].filename).to.equal(kept(line));
    });

    it(`stores or rejects ${name} in the name of a token identically on each database`, async () => {
      const made = await api.post('/api/tokens').send({ name: awkward });
      expect(made.status).to.equal(text === '\0' ? 400 : 201);
      const { body } = await api.get('/api/tokens').expect(200);
      const names = (body as { name: string }[]).map((token) => token.name);
      if (text === '\0') expect(names).not.to.include(kept(awkward));
      else expect(names).to.include(kept(awkward)).and.to.include(made.body.name);
    });
  }
});
