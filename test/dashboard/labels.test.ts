import { expect } from 'chai';
import { createMailboxes } from '../../core/mailboxes/create.ts';
import { testDashboard } from '../support/browser/dashboard.ts';

describe('dashboard: labels and expiry of mailboxes', () => {
  const dashboard = testDashboard();

  before(async () => {
    await createMailboxes(dashboard.context, dashboard.caller, [
      { name: 'plain' },
      { name: 'one-a', labels: { run: '1', team: 'web' } },
      { name: 'one-b', labels: { run: '1' }, expiresIn: 36_000 },
      { name: 'two-a', labels: { run: '2' } },
    ]);
  });

  it('filters and groups the mailboxes by label', async () => {
    const { page, faults } = await dashboard.open('/mailboxes/plain');
    const nav = page.getByRole('navigation', { name: 'Mailboxes' });
    const names = () => nav.locator('.mailbox-name:not(.all-mail *)').allTextContents();
    await page.getByLabel('Filter by label').selectOption('run:1');
    await nav.getByText('two-a').waitFor({ state: 'detached' });
    expect((await names()).sort()).to.deep.equal(['one-a', 'one-b']);
    await nav.getByRole('link', { name: 'one-a' }).click();
    await page.getByRole('button', { name: 'team:web' }).click();
    await nav.getByText('one-b').waitFor({ state: 'detached' });
    expect(await names()).to.deep.equal(['one-a']);
    await page.getByRole('button', { name: 'team:web' }).click();
    await nav.getByText('plain').waitFor();

    await page.getByLabel('Group by label').selectOption('run');
    await nav.getByRole('region', { name: 'run: 2' }).getByText('two-a').waitFor();
    await nav.getByRole('region', { name: 'no run' }).getByText('plain').waitFor();
    expect(await nav.getByRole('region', { name: 'run: 1' }).getByRole('link').count()).to.equal(2);
    await page.reload();
    await nav.getByRole('region', { name: 'run: 2' }).getByText('two-a').waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('shows the time left of a mailbox', async () => {
    const { page } = await dashboard.open('/mailboxes/one-b');
    await page.getByRole('link', { name: /one-b \d+ (h|min) left/ }).waitFor();
    await page
      .getByTitle('Time until the mailbox expires')
      .getByText(/^9 h 5\d min/)
      .waitFor();
    await page.getByRole('link', { name: 'one-a' }).click();
    await page.getByRole('heading', { name: 'one-a' }).waitFor();
    await page.getByTitle('Time until the mailbox expires').waitFor({ state: 'detached' });
  });
});
