import { expect } from 'chai';
import { page } from '../support/docs/pages.ts';
import { service } from '../support/service.ts';

const ROW = /^\| `([A-Z]+) (\/\S*)` +\| (.+?) +\|$/gm;
const BODIES: Record<string, object> = { 'PUT /api/v1/messages': { IDs: [], Read: true } };
const QUERIES: Record<string, string> = { search: '?query=subject:hello' };

describe('docs/migrating.md', () => {
  const test = service({ mailboxes: ['box'], once: true });
  const { text } = page('docs/migrating.md');
  const section = text.slice(text.indexOf('### Each call of Mailpit'));
  const rows = [...section.matchAll(ROW)].map(([, method = '', path = '', here = '']) => {
    return { method, path, here };
  });

  it('lists each call of Mailpit once', () => {
    const calls = rows.map(({ method, path }) => `${method} ${path}`);
    expect(calls).to.have.length(36);
    expect(new Set(calls)).to.have.property('size', 36);
  });

  for (const { method, path, here } of rows) {
    it(`${method} ${path} is ${here}`, async () => {
      const id = await test.receive('box', {
        ...{ subject: 'hello', html: '<p>x', header: ['X-Tags: a'] },
        parts: ['Content-Type: text/csv; name=a.csv\n\na;b'],
      });
      const asked = path.replace('{id}', id).replace('{part}', '2').replace('{tag}', 'a');
      const query = QUERIES[path.split('/').at(-1) ?? ''] ?? '';
      const body = BODIES[`${method} ${path}`];
      const { url } = await test.listen();
      const basic = Buffer.from(`box:${test.workspace.token}`).toString('base64');
      const { status } = await fetch(`${url}/compat/mailpit${asked}${query}`, {
        ...{ method, redirect: 'manual', headers: { Authorization: `Basic ${basic}` } },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (here === 'not here') expect(status).to.equal(404);
      else expect(status).to.be.within(200, 302);
      expect(here).to.match(/^(?:same|differs: .+|not here)$/);
    });
  }
});
