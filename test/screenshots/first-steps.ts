/** The views of a new installation: sign-in, the first screen, an empty mailbox. */
import type { Page } from 'playwright-core';
import { signIn } from '../support/browser/launch.ts';

interface Visit {
  page: Page;
  origin: string;
  token: string;
  picture: (name: string) => Promise<void>;
}

export async function firstSteps({ page, origin, token, picture }: Visit): Promise<void> {
  await page.goto(origin);
  await page.getByLabel('API token').waitFor();
  await picture('sign-in');
  await signIn(page, origin, token);
  await page.getByRole('button', { name: 'Create a mailbox' }).waitFor();
  await picture('welcome');
  await page.getByRole('button', { name: 'Choose a name' }).click();
  await page.getByLabel('Name').fill('first');
  await page.getByRole('button', { name: 'Create mailbox' }).click();
  await page.getByText('Waiting for mail').waitFor();
  await picture('empty-mailbox');
  await page.getByRole('button', { name: 'Delete mailbox' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete mailbox' }).click();
  await page.getByRole('button', { name: 'Create a mailbox' }).waitFor();
}
