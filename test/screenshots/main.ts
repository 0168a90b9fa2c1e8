/**
 * `test/long screenshots [FOLDER]`: starts the product with the content of `npm run demo` and takes
 * a picture of each view of the dashboard: light and dark, on a desktop and on a phone.
 */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, signIn } from '../support/browser/launch.ts';
import { startProduct } from '../support/process/product.ts';
import { backdate } from './backdate.ts';
import { makeSample } from './sample.ts';
import { views } from './views.ts';

const sizes = {
  wide: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true },
} satisfies Record<string, BrowserContextOptions>;
const schemes = ['light', 'dark'] as const;

const given = process.argv[2];
const folder = given ? resolve(given) : await mkdtemp(join(tmpdir(), 'mayfly-screenshots-'));
await mkdir(folder, { recursive: true });

const product = await startProduct({
  MAIL_DOMAIN: 'harbour.test',
  WEBHOOK_RETRY_SCHEDULE_MS: '50,60,70,80,90',
});
const origin = `http://127.0.0.1:${product.httpPort}`;
const browser = await launchBrowser();
try {
  // A private instance starts with the mailbox `inbox`, so it does not show its first steps.
  await product.ask('DELETE', '/mailboxes/inbox');
  await eachLook(browser, (page, look) => firstSteps(page, (name) => shoot(page, name, look)));
  const sample = await makeSample(product);
  backdate(product.dataDir);
  await eachLook(browser, async (page, look) => {
    await signIn(page, origin, product.token ?? '');
    for (const view of views) {
      await page.goto(origin + view.path(sample));
      await page.locator(view.ready).first().waitFor();
      await view.prepare?.(page);
      await shoot(page, view.name, look);
      await view.restore?.(page);
    }
  });
  await sample.close();
} finally {
  await browser.close();
  await product.stop();
}
process.stdout.write(`${folder}\n`);

async function eachLook(
  browser: Browser,
  look: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  for (const [size, options] of Object.entries(sizes)) {
    for (const colorScheme of schemes) {
      const context = await browser.newContext({ ...options, colorScheme });
      await look(await context.newPage(), `${size}-${colorScheme}`);
      await context.close();
    }
  }
}

async function shoot(page: Page, name: string, look: string): Promise<void> {
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page.screenshot({ path: join(folder, `${name}-${look}.png`), animations: 'disabled' });
}

/** The views of a new installation: sign-in, the first screen, an empty mailbox. */
async function firstSteps(page: Page, picture: (name: string) => Promise<void>): Promise<void> {
  await page.goto(origin);
  await page.getByLabel('API token').waitFor();
  await picture('sign-in');
  await signIn(page, origin, product.token ?? '');
  await page.getByRole('button', { name: 'Create a mailbox' }).waitFor();
  await picture('welcome');
  await page.getByRole('button', { name: 'Choose a name' }).click();
  await page.getByLabel('Name').fill('first');
  await page.getByRole('button', { name: 'Create mailbox' }).click();
  await page.getByText('Waiting for mail').waitFor();
  await picture('empty-mailbox');
  await page.getByRole('button', { name: 'Delete mailbox' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete mailbox' }).click();
  await page.getByRole('button', { name: 'Create a mailbox' }).waitFor();
}
