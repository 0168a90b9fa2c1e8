import { expect } from 'chai';
import { revokeToken } from '../../core/auth/tokens.ts';
import { PLAIN_HOST } from '../support/browser/launch.ts';
import { testDashboard } from '../support/browser/dashboard.ts';

describe('dashboard: signing in', () => {
  const dashboard = testDashboard();

  it('opens the requested view and stores the token nowhere', async () => {
    const { token } = dashboard.workspace;
    const { page, context } = await dashboard.open('/tokens', null);
    await page.getByLabel('API token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'API tokens' }).waitFor();
    expect(page.url()).to.equal(`${dashboard.origin}/tokens`);
    const kept: string = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    expect(kept + JSON.stringify(await context.cookies())).not.to.contain(token);
    await page.reload();
    await page.getByRole('heading', { name: 'API tokens' }).waitFor();
  });

  it('shows why a revoked token is rejected', async () => {
    const revoked = await dashboard.tokenOf('member');
    await revokeToken(dashboard.context, dashboard.caller, revoked.id);
    const { page } = await dashboard.open('/', null);
    await page.getByLabel('API token').fill(revoked.value);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Check the token for typing errors.').waitFor();
  });

  it('ends at sign-out in all tabs of the session', async () => {
    const { page, context } = await dashboard.open('/');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const other = await context.newPage();
    await other.goto(`${dashboard.origin}/tokens`);
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('ends when the token is revoked, and shows the reason', async () => {
    const member = await dashboard.tokenOf('member');
    const { page } = await dashboard.open('/', member.value);
    await page.getByText('Live', { exact: true }).waitFor();
    await revokeToken(dashboard.context, dashboard.caller, member.id);
    await page.getByText('You are signed out: The token was revoked or has expired.').waitFor();
  });

  it('shows readers no actions that would be rejected', async () => {
    const reader = await dashboard.tokenOf('reader');
    const { page } = await dashboard.open('/', reader.value);
    await page.getByText('Your token is read-only.').waitFor();
    expect(await page.getByRole('button', { name: /mailbox/i }).count()).to.equal(0);
    expect(await page.getByRole('link', { name: 'API tokens' }).count()).to.equal(0);
    await page.goto(`${dashboard.origin}/tokens`);
    await page.getByText('Admin role required').waitFor();
  });
});

describe('dashboard: signing in over plain http where PUBLIC_URL is https', () => {
  const dashboard = testDashboard({ PUBLIC_URL: 'https://mail.example.com' });

  it('explains that the page was loaded over plain HTTP, and which URL to open', async () => {
    const { page, context } = await dashboard.open('/', null);
    const plain = dashboard.origin.replace('127.0.0.1', PLAIN_HOST);
    await page.goto(`${plain}/`);
    await page.getByLabel('API token').fill(dashboard.workspace.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const told = page.getByText(/Cannot sign in over plain HTTP/);
    await told.waitFor();
    expect(await told.innerText())
      .to.contain('Open https://mail.example.com and sign in there.')
      .and.to.contain(`set PUBLIC_URL to ${plain} and restart Mayfly`);
    expect(await page.getByText(/Authorization|signed out/).count()).to.equal(0);
    expect(await context.cookies()).to.deep.equal([]);
  });
});
