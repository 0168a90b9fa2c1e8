import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { testDashboard } from '../support/browser/dashboard.ts';
import { PATIENCE_MS } from '../support/browser/tabs.ts';
import { eventually } from '../support/mocha/eventually.ts';

/** Makes the time to undo so long that a slow page cannot miss it. */
const LONG_UNDO = `
  const set = window.setTimeout;
  window.setTimeout = (run, ms, ...rest) => set(run, ms > 5000 && ms < 7000 ? ms * 50 : ms, ...rest);`;
const SHORT_UNDO = `
  const set = window.setTimeout;
  window.setTimeout = (run, ms, ...rest) => set(run, ms === 5500 ? 100 : ms, ...rest);`;

interface Box {
  name: string;
}

describe('dashboard: several messages', () => {
  const dashboard = testDashboard();
  let boxes = 0;

  /** A mailbox with these subjects, the first one newest. */
  const boxWith = async (...mails: string[]) => {
    const box = await dashboard.mailbox(`box-${(boxes += 1)}`);
    const newest = Date.now() - 1000;
    for (const [n, subject] of mails.entries()) await mail(box, subject, newest - n * 1000);
    return box;
  };
  const mail = ({ name }: Box, subject: string, at?: number) =>
    dashboard.receive(name, { subject, text: `Hello ${subject}` }, at);
  const left = async ({ name }: Box) =>
    (await dashboard.messages(name, '?limit=100')).map(({ subject }) => subject).sort();
  const open = ({ name }: Box) => openPath(`/mailboxes/${name}`);
  const openPath = async (path: string, script = LONG_UNDO) => {
    const tab = await dashboard.open(path, undefined, { script });
    await tab.page.getByText('Live', { exact: true }).waitFor();
    await tab.page.locator('.message-row').first().waitFor();
    return tab;
  };
  const row = (page: Page, subject: string) => page.getByRole('link', { name: subject });
  const selects = (page: Page, count: number) =>
    page.getByText(`${count} selected`, { exact: true }).waitFor();

  it('are selected by Ctrl, by Shift, by their boxes and all at once', async () => {
    const box = await boxWith('Alpha', 'Beta', 'Gamma', 'Delta');
    const { page, faults } = await open(box);
    await row(page, 'Delta').click({ modifiers: ['Control'] });
    await selects(page, 1);
    await row(page, 'Beta').click({ modifiers: ['Shift'] });
    await selects(page, 3);
    await row(page, 'Gamma').click({ modifiers: ['Control'] });
    await selects(page, 2);
    await page.getByLabel('Select Alpha').check();
    await selects(page, 3);
    expect(await page.locator('.is-selected .message-subject').allTextContents()).to.deep.equal([
      ...['Alpha', 'Beta', 'Delta'],
    ]);
    await page.keyboard.press('Control+a');
    await selects(page, 4);
    await page.keyboard.press('Escape');
    await page.locator('.is-selected').first().waitFor({ state: 'detached' });
    await page.getByLabel('Select all').check();
    await selects(page, 4);
    await page.getByLabel('Select all').uncheck();
    await page.locator('.is-selected').first().waitFor({ state: 'detached' });
    expect(page.url()).to.equal(`${dashboard.origin}/mailboxes/${box.name}`);
    expect(faults).to.deep.equal([]);
  });

  it('are deleted together, with one undo', async () => {
    const box = await boxWith('Alpha', 'Beta', 'Gamma');
    const { page, leave } = await open(box);
    await row(page, 'Alpha').click({ modifiers: ['Control'] });
    await row(page, 'Gamma').click({ modifiers: ['Control'] });
    const remove = page.getByRole('toolbar').getByRole('button', { name: 'Delete' });
    await remove.click();
    await row(page, 'Alpha').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, 'Alpha').click({ modifiers: ['Control'] });
    await row(page, 'Gamma').click({ modifiers: ['Control'] });
    await remove.click();
    await page.getByText('2 messages deleted').waitFor();
    expect(await left(box)).to.deep.equal(['Alpha', 'Beta', 'Gamma']);
    // Leaving the page does not undo the deletion.
    await leave();
    await eventually('the deletion', async () => (await left(box)).length === 1, PATIENCE_MS);
    expect(await left(box)).to.deep.equal(['Beta']);
  });

  it('are selected, marked as read and deleted among the search results of all mailboxes', async () => {
    const [one, other] = [
      await boxWith('Zeta one', 'Zeta two'),
      await boxWith('Zeta three', 'Eta'),
    ];
    const { page, faults, leave } = await openPath('/messages');
    await page.getByRole('combobox', { name: 'Search messages' }).fill('subject:zeta');
    await page.getByText('3 matches.').waitFor();
    const rows = page.locator('.message-row');
    await rows.first().click({ modifiers: ['Control'] });
    await rows.last().click({ modifiers: ['Shift'] });
    await selects(page, 3);
    await page.getByRole('button', { name: 'Mark read' }).click();
    await page.getByRole('link', { name: `${one.name} 2 messages` }).waitFor();
    await page.getByRole('link', { name: `${other.name} 1 unread` }).waitFor();

    await page.getByLabel('Select all').check();
    const remove = page.getByRole('toolbar').getByRole('button', { name: 'Delete' });
    await remove.click();
    await rows.first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: `${one.name} 0 messages` }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: `${one.name} 2 messages` }).waitFor();
    await rows.last().click();
    await page.getByRole('article', { name: 'Message' }).waitFor();
    await page.getByLabel('Select all').check();
    await remove.click();
    await page.getByText('No message is open').waitFor();
    expect(await left(one)).to.deep.equal(['Zeta one', 'Zeta two']);
    await leave();
    await eventually('the deletion', async () => (await left(one)).length === 0, PATIENCE_MS);
    await eventually('the deletion', async () => (await left(other)).length === 1, PATIENCE_MS);
    expect(await left(other)).to.deep.equal(['Eta']);
    expect(faults).to.deep.equal([]);
  });

  it('are counted as unread until they are opened or all are marked', async () => {
    const box = await boxWith('Alpha', 'Beta', 'Gamma');
    const { page, context } = await open(box);
    const countedIn = (tab: Page, text: string) =>
      tab.getByRole('link', { name: `${box.name} ${text}` });
    const counted = (text: string) => countedIn(page, text);
    await counted('3 unread').waitFor();
    const other = await context.newPage();
    await other.goto(page.url());
    await countedIn(other, '3 unread').waitFor({ timeout: PATIENCE_MS });
    await row(page, 'Beta').click();
    await counted('2 unread').waitFor();
    await countedIn(other, '2 unread').waitFor({ timeout: PATIENCE_MS });
    await page.reload();
    await counted('2 unread').waitFor();
    await page.getByRole('heading', { name: 'Beta' }).waitFor();
    await page.keyboard.press('m');
    await counted('3 unread').waitFor();
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await counted('3 messages').waitFor();
    await page.locator('.message-row.is-unread').first().waitFor({ state: 'detached' });
    await page.reload();
    await counted('3 messages').waitFor();
    await mail(box, 'Delta');
    await counted('1 unread').waitFor();
  });

  it('are cleared from a mailbox, which keeps later mail, with undo', async () => {
    const box = await boxWith('Alpha', 'Beta');
    const { page, leave } = await open(box);
    const clear = page.getByRole('button', { name: 'Clear', exact: true });
    await clear.click();
    await page.getByText('Waiting for mail').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, 'Beta').waitFor();
    await clear.click();
    await page.getByText('Waiting for mail').waitFor();
    await mail(box, 'Later');
    await row(page, 'Later').waitFor();
    await page.getByRole('link', { name: `${box.name} 1 unread` }).waitFor();
    expect(await left(box)).to.deep.equal(['Alpha', 'Beta', 'Later']);
    await leave();
    await eventually('the clear', async () => (await left(box)).length === 1, PATIENCE_MS);
    expect(await left(box)).to.deep.equal(['Later']);
  });

  it('come back, with the reason, when the server does not delete or clear them', async () => {
    const box = await boxWith('Alpha', 'Beta');
    const { page } = await openPath(`/mailboxes/${box.name}`, SHORT_UNDO);
    await page.route(/\/messages/, async (route) => {
      if (route.request().method() !== 'DELETE') await route.continue();
      else await route.fulfill({ status: 403, json: { error: 'Not today.', code: 'forbidden' } });
    });
    await row(page, 'Alpha').click({ modifiers: ['Control'] });
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Message not deleted. Not today.').waitFor();
    await row(page, 'Alpha').waitFor();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByText(`Mailbox ${box.name} not cleared. Not today.`).waitFor();
    await row(page, 'Alpha').waitFor();
    await page.getByRole('link', { name: `${box.name} 2 unread` }).waitFor();
  });

  it('disappear from an open page when another client clears the mailbox', async () => {
    const box = await boxWith('Alpha', 'Beta');
    const { page } = await open(box);
    const other = await open(box);
    await other.page.getByRole('button', { name: 'Clear', exact: true }).click();
    await other.page.getByText('Waiting for mail').waitFor();
    await other.leave();
    await page.getByText('Waiting for mail').waitFor();
    await page.getByRole('link', { name: `${box.name} 0 messages` }).waitFor();
  });
});
