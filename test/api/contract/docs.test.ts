import { expect } from 'chai';
import { parse } from 'yaml';
import { type TestBrowser, openBrowser } from '../../support/browser/browser.ts';
import { service } from '../../support/service.ts';

describe('the reference', () => {
  const test = service({ once: true });
  const { api } = test;

  it('is served as YAML and as the same JSON, without a token', async () => {
    const yaml = await api.get('/openapi.yaml', null).expect(200);
    const json = await api.get('/openapi.json', null).expect(200);
    expect(json.body.openapi).to.match(/^3\.1\./);
    expect(parse(yaml.text)).to.deep.equal(json.body);
    await api.get('/docs', null).expect(308).expect('Location', '/docs/');
  });

  describe('in a browser', () => {
    let browser: TestBrowser;

    before(async () => {
      browser = await openBrowser(api.app);
    });
    after(() => browser.close());

    it('shows every operation, without external requests', async () => {
      const { page, outside, faults } = await browser.visit('/docs/');
      await page.getByText('Create a mailbox').waitFor();
      const { body } = await api.get('/openapi.json', null);
      const operations = Object.values(body.paths as Record<string, object>).flatMap((path) =>
        Object.keys(path).filter((key) => ['get', 'post', 'put', 'patch', 'delete'].includes(key)),
      );
      expect(await page.locator('.opblock').count()).to.equal(operations.length);
      expect(outside()).to.deep.equal([]);
      expect(faults).to.deep.equal([]);
    });
  });
});
