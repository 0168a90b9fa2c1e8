import { expect } from 'chai';
import { parse } from 'yaml';
import { browserTabs } from '../../support/browser/tabs.ts';
import { service } from '../../support/service.ts';

describe('the reference', () => {
  const test = service({ once: true });
  const { api } = test;
  const openTab = browserTabs();

  it('is served as YAML and as the same JSON, without a token', async () => {
    const yaml = await api.get('/openapi.yaml', null).expect(200);
    const json = await api.get('/openapi.json', null).expect(200);
    expect(json.body.openapi).to.match(/^3\.1\./);
    expect(parse(yaml.text)).to.deep.equal(json.body);
    await api.get('/docs', null).expect(308).expect('Location', '/docs/');
  });

  it('shows every operation in a browser, without external requests', async () => {
    const { url } = await test.listen();
    const { page, foreign, faults } = await openTab(url);
    await page.goto(`${url}/docs/`);
    await page.getByText('Create a mailbox').waitFor();
    const { body } = await api.get('/openapi.json', null);
    const operations = Object.values(body.paths as Record<string, object>).flatMap((path) =>
      Object.keys(path).filter((key) => ['get', 'post', 'put', 'patch', 'delete'].includes(key)),
    );
    expect(await page.locator('.opblock').count()).to.equal(operations.length);
    expect(foreign()).to.deep.equal([]);
    expect(faults).to.deep.equal([]);
  });
});
