import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createToken, listTokens, revokeToken } from '../../core/auth/tokens.ts';
import { testDashboard } from '../support/browser/dashboard.ts';

/** Records the fragment of the page at each request of its scripts. */
const WATCH_FRAGMENT = `
  window.fragments = [];
  const fetched = window.fetch;
  window.fetch = (...args) => { window.fragments.push(location.hash); return fetched(...args); };`;

describe('dashboard: share links', () => {
  const dashboard = testDashboard({}, ['shown', 'hidden']);
  let messageId: string;

  before(async () => {
    messageId = await dashboard.receive('shown', { subject: 'Look', text: 'At this' });
  });

  const create = async (page: Page, what: 'mailbox' | 'message') => {
    await page.getByRole('button', { name: `Share ${what}` }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = (await page.locator('.share-link').textContent()) ?? '';
    await page.getByRole('button', { name: 'Done' }).click();
    return link;
  };
  /** A link to the mailbox, without the dashboard. */
  const linkOf = async (role: 'reader' | 'admin', mailboxes: string[] | null) => {
    const wanted = { name: 'shared', role, mailboxes };
    const { row, value } = await createToken(dashboard.context, dashboard.caller, wanted);
    return { id: row.id, url: `${dashboard.origin}/mailboxes/shown#share=${value}` };
  };

  it('open a message read-only, keep no token, and end when they are revoked', async () => {
    const admin = await dashboard.open(`/mailboxes/shown/messages/${messageId}`);
    const link = await create(admin.page, 'message');
    const [path, token = ''] = link.split('#share=');
    expect(path).to.equal(`${dashboard.origin}/mailboxes/shown/messages/${messageId}`);
    const { value } = await listTokens(dashboard.context, dashboard.caller).next();
    const [made] = value ?? [];
    expect(made).to.deep.include({ name: 'Link to shown', role: 'reader', mailboxes: ['shown'] });
    expect(made!.expiresAt!.getTime() - made!.createdAt.getTime()).to.equal(86_400_000);

    const [linked, watch] = [link.slice(dashboard.origin.length), { script: WATCH_FRAGMENT }];
    const { page, context, asked, faults, leave } = await dashboard.open(linked, null, watch);
    await page.getByRole('heading', { name: 'Look' }).waitFor();
    expect(page.url()).to.equal(path);
    const fragments: string[] = await page.evaluate('window.fragments');
    expect(new Set(fragments)).to.deep.equal(new Set(['']));
    expect(asked.filter((url) => url.includes(token) && url !== link)).to.deep.equal([]);
    const kept: string = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, document.body.innerHTML])',
    );
    expect(kept + JSON.stringify(await context.cookies())).not.to.contain(token);
    expect(await page.getByRole('button', { name: /Delete|Share|Clear$/ }).count()).to.equal(0);
    expect(await page.getByRole('link', { name: 'hidden' }).count()).to.equal(0);
    await page.reload();
    await page.getByRole('heading', { name: 'Look' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(faults.filter((text) => !text.includes('401'))).to.deep.equal([]);

    await admin.page.goto(`${dashboard.origin}/tokens`);
    const item = admin.page.locator('.token-item', { hasText: 'Link to shown' });
    await item.getByText('limited to shown').waitFor();
    await item.getByText('expires in 23 h').waitFor();
    await item.getByRole('button', { name: 'Revoke' }).click();
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('You are signed out: The token was revoked or has expired.').waitFor();
    await leave();
    await page.goto(link);
    await page.getByText('The share link has expired or was revoked.').waitFor();
  });

  it('ask before they replace the session of another user', async () => {
    const { url } = await linkOf('reader', ['shown']);
    const { page, leave } = await dashboard.open('/mailboxes/shown');
    const asks = page.getByRole('dialog', { name: 'Open the share link?' });
    const tokens = page.getByRole('link', { name: 'API tokens' });
    await tokens.waitFor();
    // Only the fragment changes, so the page is not loaded again.
    await page.goto(url);
    await asks.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await tokens.waitFor();
    await leave();
    await page.goto(url);
    await asks.getByText(/read-only access to shown/).waitFor();
    await asks.getByRole('button', { name: 'Sign out and open' }).click();
    await page.getByText('shared · reader').waitFor();
    await tokens.waitFor({ state: 'detached' });
    expect(page.url()).to.equal(`${dashboard.origin}/mailboxes/shown`);
    // The link of the current session asks nothing.
    await leave();
    await page.goto(url);
    await page.getByRole('link', { name: 'Look' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await asks.waitFor({ state: 'detached' });
  });

  it('are refused with a reason, and leave the session as it is', async () => {
    const revoked = await linkOf('reader', ['shown']);
    await revokeToken(dashboard.context, dashboard.caller, revoked.id);
    const wide = await linkOf('admin', ['shown']);
    const all = await linkOf('reader', null);
    const signedIn = await dashboard.open('/tokens');
    const signedOut = await dashboard.open('/tokens', null);
    for (const { page, leave } of [signedIn, signedOut]) {
      for (const [url, reason] of [
        [revoked.url, 'The share link has expired or was revoked.'],
        [wide.url, 'its token can do more than read certain mailboxes'],
        [all.url, 'its token can do more than read certain mailboxes'],
        [revoked.url.slice(0, -3), 'The share link is incomplete.'],
      ] as const) {
        await leave();
        await page.goto(url);
        await page.getByText(reason).waitFor();
        expect(page.url()).to.equal(`${dashboard.origin}/mailboxes/shown`);
      }
    }
    await signedIn.page.getByRole('link', { name: 'API tokens' }).waitFor();
    await signedOut.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await signedOut.context.cookies()).to.deep.equal([]);
  });

  it('are created by admins only, and the shortcut tells others why', async () => {
    const member = await dashboard.tokenOf('member');
    const { page } = await dashboard.open('/mailboxes/shown', member.value);
    await page.getByRole('link', { name: 'Look' }).waitFor();
    expect(await page.getByRole('button', { name: 'Share mailbox' }).count()).to.equal(0);
    await page.keyboard.press('s');
    await page.getByText('You cannot create a share link').waitFor();
  });
});
