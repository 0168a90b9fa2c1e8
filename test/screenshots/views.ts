/** Every view, and the steps that open it. */
import type { Page } from 'playwright-core';
import type { Sample } from './sample.ts';

export interface View {
  name: string;
  path: (sample: Sample) => string;
  /** Selector that is visible once the view is complete. */
  ready: string;
  /** Steps before the picture. */
  prepare?: (page: Page) => Promise<void>;
  /** Steps after the picture. */
  restore?: (page: Page) => Promise<void>;
}

const WELCOME = '482 913 is your Harbour code';

async function openNewest(page: Page): Promise<void> {
  await page.getByRole('link', { name: WELCOME }).click();
  await page.getByRole('heading', { name: WELCOME }).waitFor();
}

/** A tab of the open message; a phone shows list and message one after the other. */
const openTab = (tab: string) => async (page: Page) => {
  await openNewest(page);
  await page.getByRole('tab', { name: tab }).click();
};

/** A phone shows the list of mailboxes by itself. */
async function showMailboxes(page: Page): Promise<void> {
  const all = page.getByRole('link', { name: 'All mailboxes' });
  if (await all.isVisible()) await all.click();
}

const inMailbox = ({ mailbox }: Sample) => `/mailboxes/${mailbox}`;

export const views: View[] = [
  { name: 'mailbox', path: inMailbox, ready: '.message-row' },
  { name: 'all-mail', path: () => '/messages', ready: '.message-row' },
  {
    name: 'search',
    path: () => '/messages',
    ready: '.message-row',
    prepare: async (page) => {
      const field = page.getByRole('combobox', { name: 'Search messages' });
      await field.fill('code fr');
      await page.getByRole('option', { name: 'from:' }).waitFor();
      await field.fill('your f');
      await page.locator('.message-row mark').first().waitFor();
    },
  },
  { name: 'message', path: inMailbox, ready: '.message-row', prepare: openNewest },
  { name: 'message-headers', path: inMailbox, ready: '.message-row', prepare: openTab('Headers') },
  { name: 'message-source', path: inMailbox, ready: '.message-row', prepare: openTab('Source') },
  {
    name: 'message-webhooks',
    path: inMailbox,
    ready: '.message-row',
    prepare: async (page) => {
      await openTab('Webhooks')(page);
      await page.locator('.told').waitFor();
    },
  },
  {
    name: 'message-attachment',
    path: () => '/mailboxes/billing',
    ready: '.message-row',
    prepare: async (page) => {
      await page.getByRole('link', { name: 'Your invoice' }).click();
      await page.locator('.attachment').waitFor();
    },
  },
  {
    name: 'message-remote',
    path: () => '/mailboxes/newsletter',
    ready: '.message-row',
    prepare: async (page) => {
      await page.getByRole('link', { name: 'The week in field notes' }).click();
      await page.locator('.remote-bar').waitFor();
      const phone = page.getByRole('button', { name: 'Phone width' });
      if (await phone.isVisible()) await phone.click();
      await page.getByRole('button', { name: 'Dark colors' }).click();
    },
  },
  {
    name: 'message-right-to-left',
    path: () => '/mailboxes/storefront',
    ready: '.message-row',
    prepare: async (page) => {
      await page.getByRole('link', { name: 'تم تأكيد طلبك' }).click();
      await page.locator('.mail-frame').waitFor();
    },
  },
  {
    name: 'compose',
    path: (sample) => `${inMailbox(sample)}/compose`,
    ready: '.compose',
    prepare: async (page) => {
      await page.getByLabel('Subject').fill('Tomorrow’s test run');
      await page.getByLabel('Text of the message').fill('The suite runs at nine.\n');
      await page.getByRole('combobox', { name: 'To' }).fill('billing');
      await page.getByRole('combobox', { name: 'To' }).press('Enter');
      await page.getByRole('combobox', { name: 'Cc' }).fill('ac');
    },
  },
  { name: 'webhooks', path: (sample) => `${inMailbox(sample)}/webhooks`, ready: '.webhook-card' },
  {
    name: 'webhook',
    path: (sample) => `${inMailbox(sample)}/webhooks/${sample.failingWebhook}`,
    ready: '.delivery',
    prepare: (page) => page.locator('.delivery summary').first().click(),
  },
  {
    name: 'share',
    path: inMailbox,
    ready: '.message-row',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Share mailbox' }).click();
      await page.getByRole('button', { name: 'Create link' }).click();
      await page.locator('.share-link').waitFor();
    },
  },
  {
    name: 'tokens',
    path: () => '/tokens',
    ready: '.token-item',
    prepare: async (page) => {
      await page.getByLabel('New token').fill(`nightly ${Date.now() % 1000}`);
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.locator('.secret').waitFor();
    },
  },
  {
    name: 'help',
    path: inMailbox,
    ready: '.message-row',
    prepare: (page) => page.keyboard.press('?'),
  },
  {
    name: 'new-mailbox',
    path: inMailbox,
    ready: '.message-row',
    prepare: (page) => page.keyboard.press('n'),
  },
  {
    name: 'selection',
    path: inMailbox,
    ready: '.message-row',
    prepare: async (page) => {
      await page
        .locator('.message-row')
        .nth(1)
        .click({ modifiers: ['Control'] });
      await page
        .locator('.message-row')
        .nth(3)
        .click({ modifiers: ['Shift'] });
      await page.getByText('3 selected').waitFor();
    },
  },
  {
    name: 'cleared',
    path: () => '/mailboxes/billing',
    ready: '.message-row',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Clear', exact: true }).click();
      await page.getByRole('button', { name: 'Undo' }).waitFor();
    },
    restore: (page) => page.getByRole('button', { name: 'Undo' }).click(),
  },
  {
    name: 'labels',
    path: () => '/mailboxes/gh-4182-worker-1',
    ready: '.mailbox-facts',
    prepare: async (page) => {
      await showMailboxes(page);
      await page.getByLabel('Group by label').selectOption('run');
    },
  },
  {
    name: 'labeled-mailbox',
    path: () => '/mailboxes/gh-4182-worker-1',
    ready: '.mailbox-facts',
    prepare: (page) => page.getByRole('button', { name: 'run:gh-4182' }).click(),
  },
  { name: 'mailboxes', path: () => '/mailboxes', ready: '.mailbox-item, .message-row' },
];
