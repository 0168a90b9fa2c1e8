import { expect } from 'chai';
import { operations } from '../../support/contract/operations.ts';
import { service } from '../../support/service.ts';

const BOX = '/api/mailboxes/box';
const BATCH = '/api/mailboxes/batch';
const MESSAGES = `${BOX}/messages`;

/** Requests to a literal path, which another path with a parameter matches as well. */
const REQUESTS: [method: string, path: string, send: object | string, status: number][] = [
  ['GET', BATCH, '', 200],
  ['PATCH', BATCH, { maxMessages: 5 }, 200],
  ['POST', BATCH, { count: 1 }, 201],
  ['DELETE', BATCH, '', 204],
  ['GET', `${MESSAGES}/wait?timeout=0`, '', 200],
  ['DELETE', `${MESSAGES}/wait`, '', 204],
  ['POST', `${MESSAGES}/claim`, { timeout: 0 }, 200],
  ['GET', `${MESSAGES}/claim`, '', 404],
  ['DELETE', `${MESSAGES}/claim`, '', 204],
  ['POST', `${MESSAGES}/raw`, 'Subject: s\r\n\r\n', 201],
  ['GET', `${MESSAGES}/raw`, '', 404],
  ['DELETE', `${MESSAGES}/raw`, '', 204],
];

describe('literal paths beside paths with a parameter', () => {
  const test = service({ once: true, env: { RATE_LIMIT_PRO: '0' }, mailboxes: ['box', 'batch'] });
  const { api } = test;

  it('are all tested, with each method of both paths', () => {
    const paths = [...new Set(operations.map(({ path }) => path))];
    const pairs = paths.flatMap((literal) =>
      paths
        .filter((other) => other !== literal && covers(other, literal))
        .map((other) => [literal, other]),
    );
    const wanted = pairs.flatMap(([literal = '', other]) =>
      operations
        .filter(({ path }) => path === literal || path === other)
        .map(({ method }) => `${method} ${literal.replace('{name}', 'box')}`),
    );
    const tested = REQUESTS.map(([method, path]) => `${method} ${path.replace(/\?.*/, '')}`);
    expect(tested).to.have.members([...new Set(wanted)]);
  });

  for (const [method, path, send, status] of REQUESTS) {
    it(`${method} ${path} is validated as the operation that has it`, async () => {
      const request = api[method.toLowerCase() as 'get'](path);
      if (typeof send === 'string' && send !== '') request.set('Content-Type', 'message/rfc822');
      await (send === '' ? request : request.send(send)).expect(status);
    });
  }

  it('GET .../messages/{id} does not take the parameters of .../wait', async () => {
    await api.get(`${MESSAGES}/msg_none?timeout=0`).expect(400);
  });

  it('GET .../messages/wait/text has the id "wait"', async () => {
    await api.get(`${MESSAGES}/wait/text`).expect(404);
  });
});

/** Whether the path with a parameter matches the other one, which has a literal in its place. */
function covers(path: string, literal: string): boolean {
  const [parts, others] = [path.split('/'), literal.split('/')];
  return (
    parts.length === others.length &&
    parts.every(
      (part, n) => part === others[n] || (part.startsWith('{') && !others[n]?.startsWith('{')),
    )
  );
}
