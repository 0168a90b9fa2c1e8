import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Browser, chromium } from 'playwright-core';
import { parse } from 'yaml';
import { type TestApi, openTestApi } from '../support/api.js';
import { type TestContext, openTestContext } from '../support/context.js';

describe('the reference', () => {
  let test: TestContext;
  let api: TestApi;

  before(async () => {
    test = await openTestContext();
    api = openTestApi(test);
  });
  after(() => test.close());

  it('is served as YAML and as the same JSON, without a token', async () => {
    const yaml = await api.get('/openapi.yaml', null).expect(200);
    const json = await api.get('/openapi.json', null).expect(200);
    expect(json.body.openapi).to.match(/^3\.1\./);
    expect(parse(yaml.text)).to.deep.equal(json.body);
    await api.get('/docs', null).expect(308).expect('Location', '/docs/');
  });

  describe('in a browser', () => {
    let server: Server;
    let browser: Browser;

    before(async () => {
      server = createServer(api.app);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      browser = await chromium.launch({
        executablePath: '/usr/bin/chromium',
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-background-networking',
          '--disable-sync',
        ],
      });
    });
    after(async () => {
      await browser.close();
      server.closeAllConnections();
      server.close();
    });

    it('shows every operation, and asks nobody outside', async () => {
      const page = await browser.newPage();
      const asked: string[] = [];
      const faults: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(error.message));
      const { port } = server.address() as AddressInfo;
      await page.goto(`http://127.0.0.1:${port}/docs/`);
      await page.getByText('Create a mailbox').waitFor();
      const { body } = await api.get('/openapi.json', null);
      const operations = Object.values(body.paths as Record<string, object>).flatMap((path) =>
        Object.keys(path).filter((key) => ['get', 'post', 'put', 'patch', 'delete'].includes(key)),
      );
      expect(await page.locator('.opblock').count()).to.equal(operations.length);
      expect(
        asked.filter(
          (url) => !url.startsWith(`http://127.0.0.1:${port}/`) && !url.startsWith('data:'),
        ),
      ).to.deep.equal([]);
      expect(faults).to.deep.equal([]);
    });
  });
});
