import { expect } from 'chai';
import { testDashboard } from '../support/browser/dashboard.ts';

/** Selects a file one byte above the limit of a mail. */
const LARGE_FILE = `{
  const files = new DataTransfer();
  files.items.add(new File([new Uint8Array(10485761)], 'large'));
  const input = document.querySelector('input[type=file]');
  input.files = files.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}`;

describe('dashboard: composing', () => {
  const dashboard = testDashboard({}, ['alice', 'bob']);

  it('sends text, HTML and attachments to suggested mailboxes', async () => {
    const { page, faults } = await dashboard.open('/mailboxes/alice/compose');
    const to = page.getByRole('combobox', { name: 'To' });
    await to.fill('bo');
    await page.getByRole('option', { name: 'bob@one.test' }).waitFor();
    await to.press('Enter');
    await page.getByRole('combobox', { name: 'Cc' }).fill('alice+copy,');
    await page.getByText('alice+copy@one.test').waitFor();
    await page.getByLabel('Subject').fill('Report');
    await page.getByLabel('Text of the message').fill('See the file.');
    await page.getByRole('tab', { name: 'HTML' }).click();
    await page.getByLabel('HTML of the message').fill('<p>See the <b>file</b>.</p>');
    await page.getByLabel('Files to attach').setInputFiles([
      { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('Hello') },
      { name: 'b.bin', mimeType: '', buffer: Buffer.alloc(3000) },
    ]);
    await page.getByRole('button', { name: 'Remove b.bin' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Sent to 2 mailboxes').waitFor();
    await page.getByRole('link', { name: 'Report' }).click();
    await page.frameLocator('iframe').getByText('See the file.').waitFor();
    await page.getByRole('link', { name: 'a.txt 5 bytes' }).waitFor();
    await page.locator('.message-head').getByText('copy', { exact: true }).waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('names rejected recipients and attachments, and keeps the draft', async () => {
    const { page } = await dashboard.open('/mailboxes/alice/compose');
    await page.getByRole('combobox', { name: 'To' }).fill('bob nobody x@elsewhere.test ');
    await page.getByLabel('Subject').fill('Kept');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/not mailboxes of this workspace/).waitFor();
    expect(await page.locator('.chip.is-bad').allTextContents()).to.deep.equal([
      'nobody@one.test',
      'x@elsewhere.test',
    ]);
    expect(await page.getByLabel('Subject').inputValue()).to.equal('Kept');
    for (const bad of ['nobody@one.test', 'x@elsewhere.test']) {
      await page.getByRole('button', { name: `Remove ${bad}` }).click();
    }
    await page.evaluate(LARGE_FILE);
    await page.getByText('10.0 MiB of 10.0 MiB: the attachments exceed the limit').waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).to.equal(true);
    await page.getByRole('button', { name: 'Remove large' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Sent to bob@one.test').waitFor();
  });
});
