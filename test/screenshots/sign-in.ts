import type { Page } from 'playwright-core';

export async function signIn(page: Page, origin: string, token: string): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel('API token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
}
