import { expect } from 'chai';
import { testDashboard } from '../support/browser/dashboard.ts';
import { catchMail } from '../support/context/catch.ts';

describe('dashboard: capture', () => {
  const dashboard = testDashboard();

  it('creates a credential, fills in the settings, replaces its password and deletes it', async () => {
    await dashboard.mailbox('first');
    const { page, faults } = await dashboard.open('/mailboxes/first');
    await page.getByRole('link', { name: 'Connect your app' }).first().click();
    await page.getByLabel('Name of the application').fill('staging');
    await page.getByRole('button', { name: 'Create credential' }).click();
    const url = await page
      .getByText(/^smtp:\/\/first-/)
      .first()
      .textContent();
    const { username, password } = new URL(url!);
    expect(await page.locator('#framework-settings').textContent()).to.include(password);
    for (const tab of [
      'Nodemailer',
      'Rails',
      'Django',
      'Laravel',
      'Spring',
      'Go',
      'PHP',
      'WordPress',
      'Postfix',
    ]) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      const text = await page.locator('#framework-settings').textContent();
      expect(text, tab).to.include(username).and.include(password);
    }
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText(password).first().waitFor({ state: 'detached' });
    await page.getByText('not used yet').waitFor();
    await page.getByRole('button', { name: 'Rotate password' }).click();
    await page
      .getByText(/^smtp:\/\/first-/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('not used yet').waitFor({ state: 'detached' });
    expect(faults).to.eql([]);
  });

  it('sends a test mail, which is caught', async () => {
    await dashboard.mailbox('tested');
    const { page, faults } = await dashboard.open('/mailboxes/tested/connect');
    await page.getByRole('button', { name: 'Send a test mail' }).click();
    await page.getByText('Welcome, customer').first().waitFor();
    expect(faults).to.eql([]);
  });

  it('filters by recipient and marks Bcc in the envelope', async () => {
    const { id } = await dashboard.mailbox('caught');
    const raw = (subject: string) => `To: alice@gmail.com\r\nSubject: ${subject}\r\n\r\nx`;
    await catchMail(
      dashboard.context,
      id,
      { caught: ['alice@gmail.com', 'hidden@yahoo.com'] },
      raw('for both'),
    );
    await catchMail(dashboard.context, id, { caught: ['alice@gmail.com'] }, raw('for one'));
    const { page, faults } = await dashboard.open('/mailboxes/caught');
    await page.getByText('for one').first().waitFor();
    await page.getByLabel('Recipient').selectOption('hidden@yahoo.com');
    await page.getByText('for one').first().waitFor({ state: 'detached' });
    await page.getByText('for both').first().click();
    const envelope = page.getByLabel('Envelope');
    await envelope.waitFor();
    expect(await envelope.textContent()).to.match(/alice@gmail\.com, hidden@yahoo\.comBcc$/);
    expect(faults).to.eql([]);
  });
});
