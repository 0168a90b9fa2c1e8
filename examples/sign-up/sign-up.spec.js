import { expect, test } from '@mayfly/client/playwright';

test('signs up with the code of the mail', async ({ page, inbox }) => {
  await page.goto('/');
  await page.getByLabel('E-mail').fill(inbox.address);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByLabel('Code').fill(await inbox.waitForCode());
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('heading')).toHaveText('Welcome');
});

test('takes the code that is sent again', async ({ page, inbox }) => {
  await page.goto('/');
  await page.getByLabel('E-mail').fill(inbox.address);
  await page.getByRole('button', { name: 'Sign up' }).click();

  await inbox.waitForCode(); // the first mail is there
  const mark = await inbox.mark();
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('Another code').waitFor();
  await page.getByLabel('Code').fill(await inbox.waitForCode({ mark }));

  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('heading')).toHaveText('Welcome');
});
