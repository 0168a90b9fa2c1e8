import { expect } from 'chai';
import { verifyToken } from '../../core/auth/tokens.ts';
import { testDashboard } from '../support/browser/dashboard.ts';

describe('dashboard: tokens', () => {
  const dashboard = testDashboard();

  it('are shown once, listed with their roles, and revoked after confirmation', async () => {
    const { page, faults } = await dashboard.open('/tokens');
    await page.getByLabel('New token').fill('ci <b>');
    await page.getByLabel('Role').selectOption('reader');
    await page.getByText('Read-only access').waitFor();
    await page.getByRole('button', { name: 'Create token' }).click();
    const value = (await page.getByText(/^mf_\w{43}$/).textContent()) ?? '';
    expect((await verifyToken(dashboard.context, value))?.token).to.include({
      name: 'ci <b>',
      role: 'reader',
    });
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText(value).waitFor({ state: 'detached' });
    await page.locator('.token-item', { hasText: 'ci <b>' }).getByText('never used').waitFor();
    await page.getByRole('button', { name: 'Revoke ci <b>' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
    await page.locator('.token-item', { hasText: 'ci <b>' }).waitFor({ state: 'detached' });
    expect(await verifyToken(dashboard.context, value)).to.equal(null);
    expect(faults).to.deep.equal([]);
  });

  it('warn before the current token is revoked', async () => {
    const own = await dashboard.tokenOf('admin');
    const { page } = await dashboard.open('/tokens', own.value);
    await page.getByRole('button', { name: 'Revoke admin' }).click();
    await page.getByText('Revoking it signs you out.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText(/You are signed out:/).waitFor();
  });
});
