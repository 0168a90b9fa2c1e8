import { expect } from 'chai';
import { llmsPage } from '../../api/routes/llms.ts';
import { TOOLS } from '../../api/mcp/server.ts';
import { route } from '../support/contract/operations.ts';
import { page } from '../support/docs/pages.ts';
import { service } from '../support/service.ts';

describe('docs/agents.md', () => {
  it('has every tool with its role and its arguments', () => {
    const rows = [
      ...page('docs/agents.md').text.matchAll(/^\| `(\w+)` +\| (\w+) +\| (.*?) +\|$/gm),
    ];
    const shown = rows.map(([, name, role, cells = '']) => ({
      ...{ name, role },
      arguments: [...cells.matchAll(/\w+/g)].map(([argument]) => argument),
    }));
    const made = TOOLS.map(({ name, changes, input }) => ({
      ...{ name, role: changes === undefined ? 'reader' : 'member' },
      arguments: Object.keys(input.shape),
    }));
    const byName = (all: { name: string | undefined; arguments: string[] }[]) =>
      Object.fromEntries(all.map((one) => [one.name, { ...one, arguments: one.arguments.sort() }]));
    expect(byName(shown)).to.deep.equal(byName(made));
  });
});

describe('/llms.txt', () => {
  const { api } = service({ env: { PUBLIC_URL: 'https://mail.example.com/' }, once: true });
  const text = llmsPage('https://mail.example.com');

  it('names only calls and parameters of openapi.yaml', () => {
    const calls = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?]*)(?:\?([^`]*))?`/g)];
    expect(calls.length).to.be.above(15);
    for (const [all, method = '', path = '', query = ''] of calls) {
      const { operation } = route(method, path);
      expect(operation?.path, all).to.equal(path);
      const names = operation?.parameters.map(({ name }) => name);
      for (const name of new URLSearchParams(query).keys()) expect(names, all).to.include(name);
    }
  });

  it('is one page, and is served with the address of the service', async () => {
    expect(text.length).to.be.below(5000);
    const served = await api.get('/llms.txt', null).expect(200);
    expect(served.headers['content-type']).to.equal('text/plain; charset=utf-8');
    expect(served.text).to.equal(text);
  });
});
