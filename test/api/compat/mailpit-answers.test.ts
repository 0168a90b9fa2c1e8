import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../../core/root.ts';
import { type Answer, type Ask, MAILS, RECIPIENT, answersOf } from '../../compat/mailpit-calls.ts';
import { service } from '../../support/service.ts';

const FILE = join(ROOT, 'test/compat/mailpit-answers.json');
const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as { version: string; answers: Answer[] };

/** Fields that tell of the service: their types are compared. */
const OF_THE_SERVICE = new Set([
  ...['ID', 'PartID', 'Created', 'Version', 'LatestVersion', 'Database', 'DatabaseSize'],
  ...['Uptime', 'Memory', 'MessagesDeleted', 'SMTPAccepted', 'SMTPAcceptedSize', 'MD5', 'SHA1'],
]);
/** Mailpit adds them to mail. */
const TRACE_FIELDS = ['Received', 'Return-Path'];

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const isMail = (value: Json) => 'Subject' in value && 'Size' in value;

/** A value in the form in which it is compared. */
function comparable(value: unknown, name: string, isOfTheMail: boolean): unknown {
  if (OF_THE_SERVICE.has(name) || (name === 'Size' && isOfTheMail)) return typeof value;
  // An empty list of addresses is null in some lists of Mailpit.
  if (['Cc', 'Bcc', 'ReplyTo'].includes(name) && value === null) return [];
  if (name === 'Date' && typeof value === 'string') return new Date(value).toISOString();
  if (typeof value === 'string') return value.replaceAll('\r\n', '\n').trim();
  if (Array.isArray(value)) return value.map((each) => comparable(each, '', false));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !TRACE_FIELDS.includes(key));
  return Object.fromEntries(
    entries.map(([key, each]) => [key, comparable(each, key, isMail(value))] as const),
  );
}

/** What docs/migrating.md says is other: how an answer of Mailpit reads with it. */
const DIFFERENT: Record<string, (body: Json) => object> = {
  'GET /api/v1/info': (body) => ({ ...body, Tags: {} }),
  'GET /api/v1/messages?start=1&limit=1': (body) => ({ ...body, tags: [] }),
  'GET /api/v1/messages?start=7': (body) => ({ ...body, tags: [] }),
  'GET /api/v1/search?query=from:news@else.test': (body) => ({ ...body, tags: [] }),
  'GET /api/v1/search?query=nowhere': (body) => ({ ...body, tags: [] }),
};

describe(`the answers of Mailpit ${recorded.version}`, () => {
  const test = service({ mailboxes: ['box'], once: true });
  let own: Answer[] = [];

  before(async () => {
    for (const mail of MAILS) {
      await test.deliver(RECIPIENT, mail);
      test.advance(1);
    }
    const { url } = await test.listen();
    const basic = Buffer.from(`box:${test.workspace.token}`).toString('base64');
    const ask: Ask = (method, path, body) =>
      fetch(`${url}/compat/mailpit${path}`, {
        ...{ method, redirect: 'manual', headers: { Authorization: `Basic ${basic}` } },
        ...(body && { body: JSON.stringify(body) }),
      });
    own = await answersOf(ask);
  });

  for (const [n, { call, status, type, body }] of recorded.answers.entries()) {
    it(`${n + 1}. ${call}`, () => {
      const answer = own[n];
      expect(answer?.status).to.equal(status);
      if (status >= 300) return;
      expect(answer?.type).to.equal(type);
      const [ours, theirs] = [answer?.body, body];
      const differs = DIFFERENT[call];
      if (type === 'text/html') {
        expect(ours).to.include(String(theirs).trim());
      } else if (call.endsWith('/raw')) {
        const withTrace = String(theirs);
        expect(withTrace.slice(withTrace.indexOf('From: '))).to.equal(ours);
      } else {
        const expected = differs && isObject(theirs) ? differs(theirs) : theirs;
        expect(comparable(ours, '', false)).to.deep.equal(comparable(expected, '', false));
      }
    });
  }
});
