import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { createMailboxes } from '../../core/mailboxes/create.ts';
import { registerWebhook } from '../../core/webhooks/webhooks.ts';
import { testDashboard } from '../support/browser/dashboard.ts';
import type { Tab } from '../support/browser/tabs.ts';
import { QUICK_WEBHOOKS } from '../support/context/webhooks.ts';

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
/** Color schemes differ only in contrast; the other rules are checked once. */
const CONTRAST = { type: 'rule', values: ['color-contrast'] };
/** Sums the scores of the Layout Instability API, where 1 is a whole screen. */
const WATCH_JUMPS = `
  window.jumps = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) jumps += value;
  }).observe({ type: 'layout-shift', buffered: true });`;
const PHONE = { width: 380, height: 700 };
const DESKTOP = { width: 1280, height: 800 };
const BOX = 'a-name-as-long-as-they-may-become-to-the.end'.slice(0, 40);

describe('dashboard: accessibility', () => {
  const dashboard = testDashboard(QUICK_WEBHOOKS, [BOX, 'empty']);
  let axe: string;
  let views: Record<string, string>;

  before(async () => {
    const require = createRequire(import.meta.url);
    axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
    const { context, caller } = dashboard;
    const labels = { run: 'long'.repeat(25), team: 'web' };
    await createMailboxes(context, caller, [{ name: 'labeled', labels, expiresIn: 36_000 }]);
    await dashboard.receive('labeled');
    const url = `http://127.0.0.1:65000/${'long/'.repeat(60)}`;
    const { webhook } = await registerWebhook(context, caller, BOX, url);
    const id = await dashboard.receive(`${BOX}+tag@one.test`, {
      subject: `A subject without ${'end'.repeat(60)}`,
      html: `<p>Hello</p><img src="https://else.test/a.png"><p>${'wide'.repeat(200)}</p>`,
      parts: [
        `Content-Type: application/pdf\nContent-Disposition: attachment; filename="${'long'.repeat(40)}.pdf"\n\nx`,
      ],
    });
    for (let n = 0; n < 8; n += 1) await dashboard.receive(BOX);
    views = {
      'all mail': '/messages',
      mailbox: `/mailboxes/${BOX}`,
      message: `/mailboxes/${BOX}/messages/${id}`,
      'empty mailbox': '/mailboxes/empty',
      compose: `/mailboxes/${BOX}/compose`,
      webhooks: `/mailboxes/${BOX}/webhooks`,
      webhook: `/mailboxes/${BOX}/webhooks/${webhook.id}`,
      tokens: '/tokens',
      labeled: '/mailboxes/labeled',
      mailboxes: '/mailboxes',
      nowhere: '/mailboxes/empty/nothing',
    };
  });

  const loaded = async ({ page }: Tab) => {
    await page.locator('h1:visible, h2:visible').first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  };
  /** Serious and critical WCAG 2.1 AA findings in both color schemes, with their elements. */
  const findings = async ({ page }: Tab, part = ':root'): Promise<string[]> => {
    // A page has it from an earlier call.
    if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const runOnly = JSON.stringify(colorScheme === 'light' ? WCAG : CONTRAST);
      const violations: Finding[] = await page.evaluate(
        `axe.run('${part}', { iframes: false, preload: false, resultTypes: ['violations'], runOnly: ${runOnly} }).then(({ violations }) => violations)`,
      );
      for (const { id, impact, nodes } of violations) {
        if (!['serious', 'critical'].includes(impact)) continue;
        found.push(`${colorScheme}, ${id}: ${nodes.map(({ html }) => html).join('\n')}`);
      }
    }
    return found;
  };

  it('fits a phone without horizontal scrolling or layout shifts, and has no serious accessibility findings', async () => {
    const tab = await dashboard.open('/healthz', undefined, { script: WATCH_JUMPS });
    const { page } = tab;
    for (const [name, path] of Object.entries(views)) {
      await page.setViewportSize(PHONE);
      await page.emulateMedia({ reducedMotion: 'no-preference', colorScheme: 'light' });
      await page.goto(dashboard.origin + path);
      await loaded(tab);
      const wide: string[] = await page.evaluate(
        "Array.from(document.querySelectorAll('body, main, .page, .message, .mailbox-pane, .sidebar')).filter((e) => e.scrollWidth > e.clientWidth && e.clientWidth > 0).map((e) => e.className || e.tagName)",
      );
      expect(wide, name).to.deep.equal([]);
      expect(await page.evaluate('jumps'), name).to.be.below(0.02);
      // Contrast cannot be measured during a color transition.
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.setViewportSize(DESKTOP);
      expect(await findings(tab), name).to.deep.equal([]);
    }
    expect(tab.foreign(), 'asked of anybody else').to.deep.equal([]);
  });

  it('has no serious accessibility findings in the parts that a view opens, or signed out', async () => {
    const outside = await dashboard.open('/sign-in', null);
    await outside.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await findings(outside), 'sign-in').to.deep.equal([]);

    const tab = await dashboard.open(views['message']!);
    await loaded(tab);
    for (const name of ['Text', 'Headers', 'Source']) {
      await tab.page.getByRole('tab', { name }).click();
      await tab.page.locator('.skeleton').waitFor({ state: 'detached' });
      expect(await findings(tab, '.message'), name).to.deep.equal([]);
    }
    await tab.page.getByLabel('Select all').check();
    await tab.page.getByText(/^\d+ selected$/).waitFor();
    expect(await findings(tab), 'selection').to.deep.equal([]);
    for (const key of ['?', 'n', 's']) {
      await tab.page.keyboard.press(key);
      await tab.page.getByRole('dialog').waitFor();
      expect(await findings(tab, 'dialog[open]'), key).to.deep.equal([]);
      await tab.page.keyboard.press('Escape');
    }
  });

  it('leads from a mailbox to all mailboxes on a phone', async () => {
    const { page } = await dashboard.open('/mailboxes', undefined, { viewport: PHONE });
    await page.getByRole('link', { name: 'empty' }).click();
    await page.getByText('Waiting for mail').waitFor();
    await page.getByRole('link', { name: 'All mailboxes' }).click();
    await page.getByRole('link', { name: 'empty' }).waitFor();
  });

  it('keeps the selected color theme', async () => {
    const { page } = await dashboard.open('/tokens', undefined, { colorScheme: 'light' });
    const ground = () =>
      page.evaluate('getComputedStyle(document.body.parentElement).backgroundColor');
    const light = await ground();
    await page.getByText('Dark', { exact: true }).click({ force: true });
    const dark = await ground();
    expect(dark).not.to.equal(light);
    await page.reload();
    await page.getByRole('heading', { name: 'API tokens' }).waitFor();
    expect(await ground()).to.equal(dark);
  });

  it('shows a banner while it waits for the rate limit, and resumes automatically', async () => {
    const { page } = await dashboard.open('/tokens');
    await page.getByRole('link', { name: 'empty' }).waitFor();
    let refusals = 1;
    const isList = ({ pathname }: URL) => pathname === '/api/mailboxes';
    await page.route(isList, async (route) => {
      refusals -= 1;
      if (refusals < 0) return route.continue();
      return route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, body: '{}' });
    });
    await page.reload();
    const banner = page.getByText(/Rate limit of the workspace reached/);
    await banner.waitFor();
    await page.getByRole('link', { name: 'empty' }).waitFor();
    await banner.waitFor({ state: 'detached' });
  });
});
