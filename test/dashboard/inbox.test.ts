import { expect } from 'chai';
import { deleteMessage } from '../../core/messages/delete.ts';
import { hasTitle, testDashboard } from '../support/browser/dashboard.ts';
import { PATIENCE_MS } from '../support/browser/tabs.ts';
import { eventually } from '../support/mocha/eventually.ts';

describe('dashboard: the messages of a mailbox', () => {
  const dashboard = testDashboard();

  let boxes = 0;
  const newBox = () => dashboard.mailbox(`box-${(boxes += 1)}`);
  const mail = (to: string, subject: string, receivedAt?: number) =>
    dashboard.receive(to, { subject, text: `Hello ${subject}` }, receivedAt);
  const subjects = '.message-subject';

  it('appear live, are marked unread, and are counted in other mailboxes', async () => {
    const [box, other] = [await newBox(), await newBox()];
    const { page, asked } = await dashboard.open(`/mailboxes/${box.name}`);
    await page.getByText('Waiting for mail').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    // Data loaded before the stream was ready is loaded again.
    await page.waitForLoadState('networkidle');
    const before = asked.length;
    await mail(`${box.name}+vip@one.test`, 'One');
    const row = page.locator('.message-row.is-unread', { hasText: 'One' });
    await row.getByText('vip').waitFor();
    await row.getByText('Hello One').waitFor();
    expect(asked.slice(before)).to.have.lengthOf(1);
    await mail(other.name, 'Two');
    await page.getByRole('link', { name: `${other.name} 1 unread` }).waitFor();
    expect(asked.slice(before)).to.have.lengthOf(1);
    await hasTitle(page, `(1) ${box.name} · Mayfly`);
    await page.getByRole('link', { name: `${other.name} 1 unread` }).click();
    await page.getByRole('link', { name: 'Two' }).click();
    await page.locator('.text-body', { hasText: 'Hello Two' }).waitFor();
    await page.locator('.message-row:not(.is-unread)', { hasText: 'Two' }).waitFor();
    await page.reload();
    await page.locator('.message-row:not(.is-unread)', { hasText: 'Two' }).waitFor();
  });

  it('arrive in large numbers with few requests, without missing one', async () => {
    const box = await newBox();
    const { page, asked } = await dashboard.open(`/mailboxes/${box.name}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('Waiting for mail').waitFor();
    const before = asked.length;
    const start = Date.now();
    await Promise.all(Array.from({ length: 40 }, (_, n) => mail(box.name, `Mail ${n}`)));
    await page.locator(subjects).nth(39).waitFor();
    const most = 2 + (Date.now() - start) / 300;
    expect(asked.length - before).to.be.at.most(most);
    await page.getByRole('link', { name: `${box.name} 40` }).waitFor();
  });

  it('load on scrolling, and are searched by the server', async () => {
    const box = await newBox();
    const newest = Date.now();
    for (let n = 0; n < 70; n += 1) {
      await mail(box.name, `Number ${n}`, newest - 1000 * n);
    }
    const { page } = await dashboard.open(`/mailboxes/${box.name}`);
    await page.getByRole('link', { name: 'Number 49' }).waitFor();
    expect(await page.locator(subjects).count()).to.equal(50);
    await page.route('**/messages?*after=*', (route) => route.abort(), { times: 1 });
    await page.getByRole('link', { name: 'Number 49' }).scrollIntoViewIfNeeded();
    await page.getByText('Cannot reach Mayfly.').waitFor();
    await page.getByRole('link', { name: 'Number 0' }).scrollIntoViewIfNeeded();
    await page.getByRole('link', { name: 'Number 49' }).scrollIntoViewIfNeeded();
    await page.getByRole('link', { name: 'Number 69' }).waitFor();
    await page.getByText('Messages are kept for 24 hours.').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('number 33');
    await page.getByText('1 match.').waitFor();
    expect(await page.locator(subjects).allTextContents()).to.deep.equal(['Number 33']);
    expect(await page.locator(`${subjects} mark`).allTextContents()).to.deep.equal([
      'Number',
      '33',
    ]);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Number 49' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nosuchword');
    await page.getByText('No matches.').waitFor();
  });

  it('can be navigated with the keyboard', async () => {
    const box = await newBox();
    for (const [n, subject] of ['Last', 'Middle', 'First'].entries()) {
      await mail(box.name, subject, Date.now() - 3000 + n * 1000);
    }
    const { page } = await dashboard.open(`/mailboxes/${box.name}`);
    const open = (subject: string) => page.getByRole('heading', { name: subject }).waitFor();
    await page.getByRole('link', { name: 'First' }).waitFor();
    for (const key of ['j', 'ArrowDown', 'k', 'j', 'Enter']) await page.keyboard.press(key);
    await open('Middle');
    await page.keyboard.press('j');
    await open('Last');
    await page.keyboard.press('k');
    await open('Middle');
    await page.goBack();
    await page.getByText('No message is open').waitFor();
    await page.goForward();
    await open('Middle');
    await page.keyboard.press('Escape');
    await page.getByText('No message is open').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.getByLabel('Subject').fill('Not lost by a slip');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No message is open').waitFor();
  });

  it('are deleted after the undo time, or when another client deletes them', async () => {
    const box = await newBox();
    const elsewhere = await mail(box.name, 'Elsewhere');
    await mail(box.name, 'Mine');
    const left = async () => (await dashboard.messages(box.name)).length;
    const { page, leave } = await dashboard.open(`/mailboxes/${box.name}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Mine' }).click();
    await page.getByRole('button', { name: 'Delete message' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Mine' }).click();
    await page.getByRole('heading', { name: 'Mine' }).waitFor();
    await page.keyboard.press('x');
    await page.getByText('Message deleted').waitFor();
    await deleteMessage(dashboard.context, dashboard.caller, box.name, elsewhere);
    await page.getByText('Waiting for mail').waitFor();
    expect(await left()).to.equal(1);
    // Leaving the page does not undo the deletion.
    await leave();
    await eventually('the deletion', async () => (await left()) === 0, PATIENCE_MS);
  });
});
