import { expect } from 'chai';
import { createMailboxes } from '../../core/mailboxes/create.ts';
import { createMailbox, deleteMailbox, listMailboxes } from '../../core/mailboxes/mailboxes.ts';
import { hasTitle, testDashboard } from '../support/browser/dashboard.ts';

describe('dashboard: mailboxes', () => {
  const dashboard = testDashboard();

  const names = async () =>
    (await listMailboxes(dashboard.context, dashboard.caller, { limit: 100 })).mailboxes.map(
      ({ name }) => name,
    );

  it('creates the first mailbox and mail of a new workspace with one click', async () => {
    const { page, faults } = await dashboard.open('/', await dashboard.stranger('free'));
    await page.getByRole('button', { name: 'Create a mailbox' }).click();
    await page.getByRole('link', { name: 'It works: your first message' }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'It works.' }).waitFor();
    expect(page.url()).to.match(/\/mailboxes\/[a-z]+-[a-z]+-[a-z0-9]+\/messages\/msg_/);
    await page.getByRole('button', { name: 'New mailbox' }).click();
    expect(await page.getByLabel('Name').isDisabled()).to.equal(true);
    await page.getByText('Custom names require Pro.').waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('are created by name, copied, and deleted after confirmation', async () => {
    const { page } = await dashboard.open('/', undefined, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByRole('button', { name: 'New mailbox' }).click();
    await page.getByLabel('Name').fill('no');
    await page.getByRole('button', { name: 'Create mailbox' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText(/3/).waitFor();
    await page.getByLabel('Name').fill('signup');
    await page.getByRole('button', { name: 'Create mailbox' }).click();
    await page.getByText('Waiting for mail').waitFor();
    await hasTitle(page, 'signup · Mayfly');
    await page.getByText(/swaks --server localhost:2525 --to signup@one.test/).waitFor();
    await page.getByRole('tab', { name: 'curl' }).click();
    await page.getByText(/--mail-rcpt signup@one.test/).waitFor();
    await page.locator('.empty-mailbox').getByRole('button', { name: 'Copy address' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal('signup@one.test');

    await page.getByRole('button', { name: 'Delete mailbox' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await names()).to.deep.equal(['signup']);
    await page.getByRole('button', { name: 'Delete mailbox' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete mailbox' }).click();
    await page.getByRole('heading', { name: 'Your first message in one click' }).waitFor();
    expect(await names()).to.deep.equal([]);
  });

  it('appear and disappear when other clients create and delete them', async () => {
    const { context, caller } = dashboard;
    const { page } = await dashboard.open('/mailboxes/shared');
    await page.getByText('Mailbox shared not found').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await createMailbox(context, caller, 'shared');
    await page.getByText('Waiting for mail').waitFor();
    await deleteMailbox(context, caller, 'shared');
    await page.getByText('Mailbox shared not found').waitFor();
  });
});

describe('dashboard: more mailboxes than are listed', () => {
  const dashboard = testDashboard({ PLAN_PRO_MAILBOXES: '0', RATE_LIMIT_PRO: '0' });

  it('finds the others by name, and opens them', async () => {
    const { context, caller } = dashboard;
    for (const start of ['old', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) {
      const wanted = Array.from({ length: 100 }, (_, n) => ({ name: `${start}-box-${n}` }));
      await createMailboxes(context, caller, wanted);
    }
    const { page, faults } = await dashboard.open('/');
    await page.getByText('Only the newest mailboxes are listed.').waitFor();
    await page.getByText('1000+').waitFor();
    expect(await page.getByRole('link', { name: 'old-box-7' }).count()).to.equal(0);
    await page.getByLabel('Find mailboxes by the start of the name').fill('Old-box-7');
    await page.getByRole('link', { name: 'old-box-79' }).waitFor();
    expect(await page.locator('.mailbox-list .mailbox-item').count()).to.equal(11);
    await page.goto(`${new URL(page.url()).origin}/mailboxes/old-box-5`);
    await page.getByRole('link', { name: 'old-box-5', exact: false }).first().waitFor();
    expect(faults).to.deep.equal([]);
    await page.goto(`${new URL(page.url()).origin}/mailboxes/never-made`);
    await page.getByText('Mailbox never-made not found').waitFor();
  });
});
