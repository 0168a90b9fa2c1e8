/** Time from the 250 to a row in the dashboard, which is open on the mailbox. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { launchBrowser, signIn } from '../../support/browser/launch.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { benchMail } from '../../load/mails.ts';
import { type Figure, median, percentile } from '../figures.ts';
import { openSession } from '../../load/smtp.ts';
import { type Target, onProduct } from '../target.ts';

const MAILS = 50;
/** Longer than the gap between two requests of the dashboard under load. */
const APART_MS = 400;

/** Records when each row was painted, by its subject, on the shared clock. */
const WATCH = `
  window.painted = {};
  new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll('.message-subject')) {
      if (textContent in painted) continue;
      painted[textContent] = null;
      requestAnimationFrame(() => {
        setTimeout(() => (painted[textContent] = performance.timeOrigin + performance.now()));
      });
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true });`;

export function dashboardFigures(): Promise<Figure[]> {
  return onProduct(async (target) => {
    const browser = await launchBrowser();
    try {
      const times = await timesToRow(target, await browser.newPage());
      const [p50, p95] = [median(times), percentile(times, 0.95)];
      return [
        {
          work: `250 to a row on screen, median of ${MAILS}`,
          result: `${p50.toFixed(0)} ms (p95 ${p95.toFixed(0)} ms)`,
        },
      ];
    } finally {
      await browser.close();
    }
  });
}

async function timesToRow(
  { rest, product, smtpPort, domain }: Target,
  page: Page,
): Promise<number[]> {
  await rest.createMailbox('seen');
  const origin = `http://127.0.0.1:${product.httpPort}`;
  await signIn(page, origin, product.token ?? '');
  await page.goto(`${origin}/mailboxes/seen`);
  await page.getByText('Live', { exact: true }).first().waitFor();
  await page.evaluate(WATCH);
  const session = await openSession(smtpPort);
  const times: number[] = [];
  // The first mail warms up.
  for (let n = 0; n <= MAILS; n += 1) {
    await session.send(`seen@${domain}`, benchMail(2048, n));
    const answered = performance.timeOrigin + performance.now();
    const painted = await eventually<number | null>('the row', () =>
      page.evaluate(`window.painted['bench ${n}'] ?? null`),
    );
    if (n > 0) times.push(painted - answered);
    await delay(APART_MS);
  }
  await session.quit();
  return times;
}
