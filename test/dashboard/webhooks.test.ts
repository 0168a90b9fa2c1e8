import { expect } from 'chai';
import { deliverWebhook } from '../../jobs/deliver-webhook.ts';
import { testDashboard } from '../support/browser/dashboard.ts';
import { PATIENCE_MS } from '../support/browser/tabs.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';
import { QUICK_WEBHOOKS, openWebhookBench } from '../support/context/webhooks.ts';
import { whileWorking } from '../support/context/workers.ts';

/**
 * The browser logs the response that rejects the first URL, and a read of the delivery log that
 * the deletion of the webhook overtakes.
 */
const EXPECTED = /status of 400 .*\/webhooks$|status of 404 .*\/deliveries\?limit=20$/;
const DELIVERED = { hasText: 'Delivered: 204' };

describe('dashboard: webhooks', () => {
  const dashboard = testDashboard(QUICK_WEBHOOKS);
  let receiver: Receiver;

  before(async () => {
    receiver = await openReceiver();
  });
  after(() => receiver.close());

  it('can be registered, tested, paused, moved, rotated and deleted', async () => {
    const { mail } = await openWebhookBench(dashboard, `${receiver.url}/first`);
    const { page, faults } = await dashboard.open('/mailboxes/box/webhooks');
    await page.getByLabel('Register a URL').fill('ftp://else.test/');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').getByText(/http/).waitFor();
    await page.getByLabel('Register a URL').fill(receiver.url);
    await page.getByLabel('Include extracted codes and links').check();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page
      .getByText(/whsec_/)
      .first()
      .waitFor({ state: 'detached' });

    await whileWorking(dashboard, [deliverWebhook], async () => {
      await page.locator('.webhook-card', { hasNotText: '/first' }).click();
      await page.locator('.facts', { hasText: 'codes and links' }).waitFor();
      await page.getByRole('button', { name: 'Send test event' }).click();
      await page
        .locator('.delivery', { hasText: 'Test' })
        .locator('.delivery-text', DELIVERED)
        .waitFor();
      await mail();
      await page
        .locator('.delivery:not(:has-text("Test"))', { hasText: 'Delivered: 204' })
        .waitFor();
    });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/^Paused .+ manually\. Deliveries are held/).waitFor();
    expect(await page.getByRole('button', { name: 'Recover' }).isDisabled()).to.equal(true);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Recover' }).click();
    await page.getByText('No deliveries to recover').waitFor();
    await page.getByRole('button', { name: 'Change URL' }).click();
    await page.getByLabel('URL', { exact: true }).fill(`${receiver.url}/moved`);
    await page.getByRole('dialog').getByRole('button', { name: 'Change URL' }).click();
    await page.locator('.page-title', { hasText: '/moved' }).waitFor();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('combobox').selectOption('0');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('Webhook deleted').waitFor();
    // Waits for the first card, then asserts that there is only one.
    await page.locator('.webhook-card').waitFor();
    expect(faults.filter((fault) => !EXPECTED.test(fault))).to.deep.equal([]);
  });

  it('show every attempt and can be redelivered', async () => {
    receiver.answer((_req, res) => res.writeHead(500).end('out of cheese'));
    const { webhook, mail, settled } = await openWebhookBench(dashboard, receiver.url, 'failing');
    await whileWorking(dashboard, [deliverWebhook], async () => {
      const id = await mail();
      await settled('abandoned', PATIENCE_MS);
      const { page } = await dashboard.open(`/mailboxes/failing/webhooks/${webhook.id}`);
      await page.getByText('Failing', { exact: true }).waitFor();
      await page.getByText('HTTP error: 500 · 6 attempts').click();
      await page.getByText('out of cheese').nth(5).waitFor();
      expect(await page.getByText('out of cheese').count()).to.equal(6);
      receiver.answer(204);
      await page.getByRole('button', { name: 'Redeliver' }).click();
      await page
        .locator('.delivery', { hasText: 'Redelivery' })
        .locator('.delivery-text', DELIVERED)
        .waitFor();
      await page.getByLabel('Filter deliveries by state').selectOption('held');
      await page.getByText('No deliveries in this state.').waitFor();
      await page.goto(`${dashboard.origin}/mailboxes/failing/messages/${id}`);
      await page.getByRole('tab', { name: 'Webhooks' }).click();
      await page.locator('.told .delivery-text', DELIVERED).first().waitFor();
    });
  });
});
