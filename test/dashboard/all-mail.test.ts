import { expect } from 'chai';
import { testDashboard } from '../support/browser/dashboard.ts';

describe('dashboard: all mail', () => {
  const dashboard = testDashboard({}, ['red', 'blue']);

  const mail = (to: string, from: string, subject: string) =>
    dashboard.receive(to, { from, subject, text: `Text of ${subject}` });

  it('is listed live with its mailboxes, searched with operators, and opened', async () => {
    await mail('red', 'anna@shop.example', 'Invoice');
    await mail('blue', 'bob@else.example', 'Newsletter');
    const { page, faults } = await dashboard.open('/mailboxes');
    const subjects = page.locator('.message-subject');
    await page.getByRole('link', { name: 'All mail' }).click();
    await page.getByText('Messages are kept for 24 hours.').waitFor();
    expect(await subjects.allTextContents()).to.deep.equal(['Newsletter', 'Invoice']);
    expect(await page.locator('.in-mailbox').allTextContents()).to.deep.equal(['blue', 'red']);
    await page.getByText('Live', { exact: true }).waitFor();
    await mail('red', 'anna@shop.example', 'Second invoice');
    await page.getByRole('link', { name: 'Second invoice' }).waitFor();

    const field = page.getByRole('combobox', { name: 'Search messages' });
    await field.fill('fro');
    await page.getByRole('option', { name: 'from:' }).waitFor();
    await field.press('ArrowDown');
    await field.press('Enter');
    expect(await field.inputValue()).to.equal('from:');
    await page.getByText('The value of "from:" must be').waitFor();
    await field.fill('from:@shop.example second');
    await page.getByText('1 match.').waitFor();
    expect(await page.locator('mark').allTextContents()).to.deep.equal([
      ...['shop', 'example', 'Second'],
    ]);
    await page.getByRole('link', { name: 'Second invoice' }).click();
    await page.getByLabel('Text of the message').getByText('Text of Second invoice').waitFor();
    expect(new URL(page.url()).pathname).to.match(/^\/messages\/red\/msg_/);
    await page.keyboard.press('Escape');
    await page.getByText('No message is open').waitFor();
    expect(await subjects.allTextContents()).to.deep.equal(['Second invoice']);

    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('link', { name: 'Newsletter' }).waitFor();
    await page.goto(`${dashboard.origin}/messages`);
    await page.getByRole('link', { name: 'Newsletter' }).waitFor();
    // The browser reports each response with a status of 400.
    expect(faults.filter((fault) => !fault.includes('400'))).to.deep.equal([]);
  });
});
